#include "demo/sentence_sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace memsizer::demo {
namespace {

constexpr int kSentences = 60000;

TEST(SentenceSampler, TheTranslationIsAFunctionOfTheSentence) {
  SentenceSampler sampler(Random::of(11));
  std::map<std::string, Sentence> seen;
  for (int i = 0; i < kSentences; ++i) {
    const Sentence sentence = sampler.next();
    const auto [place, fresh] = seen.emplace(sentence.pair.english, sentence);
    if (fresh) continue;
    EXPECT_EQ(place->second.pair.german, sentence.pair.german) << sentence.pair.english;
    EXPECT_EQ(place->second.set_aside, sentence.set_aside) << sentence.pair.english;
  }
}

TEST(SentenceSampler, SentencesLookLikeSentences) {
  SentenceSampler sampler(Random::of(12));
  for (int i = 0; i < kSentences / 6; ++i) {
    const SentencePair pair = sampler.next().pair;
    for (const std::string& text : {pair.english, pair.german}) {
      EXPECT_TRUE(text.front() >= 'A' && text.front() <= 'Z') << text;
      EXPECT_TRUE(text.ends_with('.') || text.ends_with('?')) << text;
      EXPECT_EQ(text.find_first_of(".?"), text.size() - 1) << text;
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
      EXPECT_EQ(text.find(" ."), std::string::npos) << text;
      EXPECT_EQ(text.find(" ,"), std::string::npos) << text;
      EXPECT_EQ(text.find("{"), std::string::npos) << text;
    }
    EXPECT_EQ(pair.english.ends_with('?'), pair.german.ends_with('?')) << pair.english;
    // A subordinate clause stands between commas in German.
    for (const std::string_view word : {" weil ", " dass ", " wenn ", " aber ", " um zu "}) {
      const size_t found = pair.german.find(word);
      EXPECT_TRUE(found == std::string::npos || pair.german[found - 1] == ',') << pair.german;
    }
  }
}

TEST(SentenceSampler, EveryConstructionComesUp) {
  SentenceSampler sampler(Random::of(13));
  const std::string_view parts[] = {
      ", weil ",    ", dass ",      ", wenn ",    "Wenn ",      ", um ",   ", aber ",  " und ",  " gibt es ",
      "Es ist ",    "Wer ",         "Was ",       "Wo ",        "Wohin ",  "Wann ",    "Warum ", "Wie viele ",
      " als ",      " Euro.",       " Jahre alt", "Geburtstag", " gern ",  " nicht ",  " keine", " um halb ",
      " ihnen ",    " des ",        " meines ",   " dem ",      " mit ",   " ohne ",   " für ",  " oft ",
      " wird ",     " müssen ",     " kannst ",   " will ",     " sollte", " dürfen ", " hat ",  " bist ",
      " abzuholen", " um Viertel ", " vor zwei ", " hundert ",
  };
  std::set<std::string_view> missing(std::begin(parts), std::end(parts));
  for (int i = 0; i < kSentences && !missing.empty(); ++i) {
    const std::string german = sampler.next().pair.german;
    std::erase_if(missing, [&](std::string_view part) {
      return german.find(part) != std::string::npos ||
             (part.ends_with(' ') &&
              german.find(std::string(part.substr(0, part.size() - 1)) + ".") != std::string::npos);
    });
  }
  for (const std::string_view part : missing) ADD_FAILURE() << "never: '" << part << "'";
}

}  // namespace
}  // namespace memsizer::demo
