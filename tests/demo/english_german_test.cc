#include "demo/english_german.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "core/random.h"
#include "demo/calendar.h"
#include "demo/lexicon.h"
#include "demo/numbers.h"
#include "demo/set_aside.h"
#include "support/messages.h"

namespace memsizer::demo {
namespace {

constexpr int64_t kTrain = 20000;

const SentencePairs& pairs() {
  static const SentencePairs kPairs = english_german(kTrain, 500, 1000, 1);
  return kPairs;
}

std::vector<std::string> words_of(const std::string& sentence) {
  std::istringstream in(sentence);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    while (word.ends_with('.') || word.ends_with('?') || word.ends_with(',')) word.pop_back();
    words.push_back(word);
  }
  return words;
}

std::string uncapitalised(std::string word) {
  if (word.front() >= 'A' && word.front() <= 'Z') word.front() = static_cast<char>(word.front() - 'A' + 'a');
  return word;
}

using Counts = std::map<std::string, int>;

Counts count_words(const std::vector<SentencePair>& sentences, std::string SentencePair::*side) {
  Counts counts;
  for (const SentencePair& pair : sentences) {
    for (const std::string& word : words_of(pair.*side)) ++counts[uncapitalised(word)];
  }
  return counts;
}

TEST(EnglishGerman, AsManyAsAskedFor) {
  EXPECT_EQ(pairs().train.size(), 20000U);
  EXPECT_EQ(pairs().valid.size(), 500U);
  EXPECT_EQ(pairs().test.size(), 1000U);
  const SentencePairs none = english_german(0, 0, 0, 7);
  EXPECT_TRUE(none.train.empty() && none.valid.empty() && none.test.empty());
}

TEST(EnglishGerman, NegativeCountsAreRefused) {
  using memsizer::testing::has_text;
  using memsizer::testing::message_of;
  EXPECT_TRUE(has_text(message_of([] { english_german(-1, 0, 0, 1); }), "train is -1"));
  EXPECT_TRUE(has_text(message_of([] { english_german(0, -2, 0, 1); }), "valid is -2"));
  EXPECT_TRUE(has_text(message_of([] { english_german(0, 0, -3, 1); }), "test is -3"));
}

TEST(EnglishGerman, NoSentenceTwiceAndNoneInTwoSets) {
  std::set<std::string> seen;
  for (const auto* set : {&pairs().train, &pairs().valid, &pairs().test}) {
    for (const SentencePair& pair : *set) EXPECT_TRUE(seen.insert(pair.english).second) << pair.english;
  }
}

TEST(EnglishGerman, TheSameForTheSameSeed) {
  const SentencePairs again = english_german(300, 20, 20, 1);
  for (size_t i = 0; i < again.train.size(); ++i) EXPECT_EQ(again.train[i].german, pairs().train[i].german);
  // The test set does not depend on how much there is to train on.
  for (size_t i = 0; i < again.test.size(); ++i) EXPECT_EQ(again.test[i].english, pairs().test[i].english);
  EXPECT_NE(english_german(1, 0, 0, 2).train[0].english, pairs().train[0].english);
}

TEST(EnglishGerman, TheSameOnEveryMachine) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto* set : {&pairs().train, &pairs().valid, &pairs().test}) {
    for (const SentencePair& pair : *set) {
      for (const std::string& text : {pair.english, pair.german}) {
        for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      }
    }
  }
  EXPECT_EQ(hash, 10149417487176714919ULL)
      << "a change of the grammar or the lexicon changes this number, nothing else may";
}

TEST(EnglishGerman, VocabularySize) {
  for (const auto side : {&SentencePair::english, &SentencePair::german}) {
    const size_t words = count_words(pairs().train, side).size();
    EXPECT_GE(words, 250U);
    EXPECT_LE(words, 700U);
  }
}

TEST(EnglishGerman, EveryWordIsMetOftenEnoughToLearn) {
  for (const auto side : {&SentencePair::english, &SentencePair::german}) {
    const Counts train = count_words(pairs().train, side);
    int rare = 0;
    for (const auto& [word, count] : train) {
      EXPECT_GE(count, 4) << word;
      rare += count < 20 ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(rare), 0.06 * static_cast<double>(train.size()));
    for (const auto* set : {&pairs().valid, &pairs().test}) {
      for (const auto& [word, count] : count_words(*set, side)) EXPECT_TRUE(train.contains(word)) << word;
    }
  }
}

TEST(EnglishGerman, GermanNounsAreCapitalised) {
  std::set<std::string> lower;
  const auto add = [&](std::string_view form) {
    const std::string word = uncapitalised(std::string(form));
    if (word != form) lower.insert(word);
  };
  for (const Noun& noun : nouns()) {
    add(noun.german);
    // The plural of das Spiel is not used; "ich spiele" is.
    if (!(noun.kinds & (kMass | kOnlySingular))) add(noun.german_plural);
  }
  for (const SentencePair& pair : pairs().train) {
    for (const std::string& word : words_of(pair.german)) EXPECT_FALSE(lower.contains(word)) << pair.german;
  }
}

// Reads the combinations back from the text, without the sampler's own account of them.
std::vector<std::string> set_aside_in(const std::string& english) {
  static const auto kNounOf = [] {
    std::map<std::string, std::string> map;
    for (const Noun& noun : nouns()) {
      map.emplace(noun.english, noun.english);
      if (!noun.english_plural.empty()) map.emplace(noun.english_plural, noun.english);
    }
    for (const std::string word : {"days", "weeks", "months", "years", "euros"}) map.emplace(word, word);
    return map;
  }();
  static const auto kAdjectives = [] {
    std::set<std::string, std::less<>> set;
    for (const Adjective& adjective : adjectives()) set.emplace(adjective.english);
    return set;
  }();
  static const auto kNumbers = [] {
    std::set<std::string> set;
    for (int number = 2; number < 100; ++number) set.insert(english_number(number));
    return set;
  }();
  std::vector<std::string> found;
  const std::vector<std::string> words = words_of(english);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string first = uncapitalised(words[i]);
    const std::string& second = words[i + 1];
    const auto noun = kNounOf.find(second);
    if (noun != kNounOf.end()) {
      if (kAdjectives.contains(first) && set_aside(Combination::AdjectiveNoun, first, noun->second))
        found.push_back(first + " " + second);
      if (kNumbers.contains(first) && set_aside(Combination::NumberNoun, first, noun->second))
        found.push_back(first + " " + second);
    }
    if (i + 2 >= words.size() || !kNumbers.contains(first) || !kAdjectives.contains(second)) continue;
    const auto counted = kNounOf.find(words[i + 2]);
    if (counted != kNounOf.end() && set_aside(Combination::NumberNoun, first, counted->second))
      found.push_back(first + " " + words[i + 2]);
  }
  for (int hour = 1; hour <= 12; ++hour) {
    for (int minute = 0; minute < 60; minute += 5) {
      if (!set_aside(Combination::MinuteHour, std::to_string(minute), std::to_string(hour))) continue;
      const std::string time = clock_time(hour, minute).english;
      const size_t at = english.find(time);
      if (at == std::string::npos || at == 0 || english[at - 1] != ' ') continue;
      const std::string rest = english.substr(at + time.size(), 1);
      if (rest.find_first_of(" .?,") == 0) found.push_back(time);
    }
  }
  for (int month = 1; month <= 12; ++month) {
    for (int day = 1; day <= days_of(month); ++day) {
      if (!set_aside(Combination::DayMonth, std::to_string(day), std::to_string(month))) continue;
      const std::string date = on_date(day, month).english.substr(3);
      if (english.find(date) != std::string::npos) found.push_back(date);
    }
  }
  return found;
}

TEST(EnglishGerman, TrainingNeverSeesWhatIsSetAside) {
  for (const SentencePair& pair : pairs().train) {
    const std::vector<std::string> found = set_aside_in(pair.english);
    EXPECT_TRUE(found.empty()) << pair.english << ": " << (found.empty() ? "" : found.front());
  }
}

TEST(EnglishGerman, TheTestsAreMadeOfIt) {
  // Verbs and their objects are not read back from the text, so that some sentences show nothing here.
  for (const auto* set : {&pairs().valid, &pairs().test}) {
    const auto showing = std::ranges::count_if(
        *set, [](const SentencePair& pair) { return !set_aside_in(pair.english).empty(); });
    EXPECT_GT(showing, static_cast<int64_t>(set->size()) / 2);
  }
}

// More sentences than some constructions have: repeats are then allowed, and the drawing still ends.
TEST(EnglishGerman, ManySentences) {
  const SentencePairs many = english_german(60000, 0, 0, 3);
  std::set<std::string> unique;
  for (const SentencePair& pair : many.train) unique.insert(pair.english);
  EXPECT_GT(unique.size(), 59000U);
}

}  // namespace
}  // namespace memsizer::demo
