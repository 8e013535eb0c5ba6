#include "demo/lexicon.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace memsizer::demo {
namespace {

TEST(Lexicon, NounsAreCapitalisedInGermanOnly) {
  std::set<std::string_view> seen;
  for (const Noun& noun : nouns()) {
    EXPECT_TRUE(seen.insert(noun.english).second) << noun.english;
    EXPECT_TRUE(noun.english.front() >= 'a' && noun.english.front() <= 'z') << noun.english;
    // A capital umlaut is two bytes, of which the first is no letter.
    EXPECT_FALSE(noun.german.front() >= 'a' && noun.german.front() <= 'z') << noun.german;
    const bool mass = (noun.kinds & kMass) != 0;
    EXPECT_EQ(noun.german_plural.empty(), mass) << noun.german;
    EXPECT_EQ(noun.english_plural.empty(), mass) << noun.english;
    // Otherwise the English sentence would not say how many there are.
    EXPECT_NE(noun.english, noun.english_plural);
  }
}

TEST(Lexicon, VerbsHaveTheFormsTheirUsageNeeds) {
  std::set<std::string_view> seen;
  for (const Verb& verb : verbs()) {
    EXPECT_TRUE(seen.insert(verb.english.base).second) << verb.english.base;
    EXPECT_TRUE(verb.german.infinitive.ends_with("n")) << verb.german.infinitive;
    EXPECT_NE(verb.subjects, 0U);
    if (verb.usage == Usage::PresentOnly) continue;
    EXPECT_FALSE(verb.english.past.empty()) << verb.english.base;
    EXPECT_TRUE(verb.english.ing.ends_with("ing")) << verb.english.base;
    EXPECT_TRUE(verb.german.participle.starts_with(verb.german.prefix)) << verb.german.participle;
    EXPECT_TRUE(verb.german.participle.ends_with("t") || verb.german.participle.ends_with("n"))
        << verb.german.participle;
  }
}

TEST(Lexicon, EveryKindOfPlaceThatAVerbWantsIsThere) {
  for (const Verb& verb : verbs()) {
    if (verb.places == 0) continue;
    bool found = false;
    for (const Place& place : places()) found |= (place.activities & verb.places) != 0;
    EXPECT_TRUE(found) << verb.english.base;
  }
}

TEST(Lexicon, FindsWordsOrSaysWhichIsMissing) {
  EXPECT_EQ(find_noun("dog").german, "Hund");
  EXPECT_EQ(find_verb("call").german.prefix, "an");
  EXPECT_EQ(find_adjective("expensive").stem, "teur");
  EXPECT_EQ(find_name("Anna").gender, Gender::Feminine);
  EXPECT_THROW(find_noun("unicorn"), std::logic_error);
  EXPECT_THROW(find_verb(""), std::logic_error);
}

}  // namespace
}  // namespace memsizer::demo
