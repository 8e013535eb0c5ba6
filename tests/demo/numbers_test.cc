#include "demo/numbers.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace memsizer::demo {
namespace {

struct Words {
  int number;
  std::string english;
  std::string german;
};

TEST(Numbers, TrickyOnes) {
  const Words table[] = {
      {0, "zero", "null"},
      {1, "one", "eins"},
      {2, "two", "zwei"},
      {6, "six", "sechs"},
      {7, "seven", "sieben"},
      {10, "ten", "zehn"},
      {11, "eleven", "elf"},
      {12, "twelve", "zwölf"},
      {13, "thirteen", "dreizehn"},
      {16, "sixteen", "sechzehn"},
      {17, "seventeen", "siebzehn"},
      {18, "eighteen", "achtzehn"},
      {20, "twenty", "zwanzig"},
      {21, "twenty-one", "einundzwanzig"},
      {22, "twenty-two", "zweiundzwanzig"},
      {26, "twenty-six", "sechsundzwanzig"},
      {27, "twenty-seven", "siebenundzwanzig"},
      {30, "thirty", "dreißig"},
      {31, "thirty-one", "einunddreißig"},
      {40, "forty", "vierzig"},
      {60, "sixty", "sechzig"},
      {66, "sixty-six", "sechsundsechzig"},
      {70, "seventy", "siebzig"},
      {77, "seventy-seven", "siebenundsiebzig"},
      {99, "ninety-nine", "neunundneunzig"},
      {100, "one hundred", "hundert"},
      {101, "one hundred and one", "hunderteins"},
      {111, "one hundred and eleven", "hundertelf"},
      {121, "one hundred and twenty-one", "hunderteinundzwanzig"},
      {200, "two hundred", "zweihundert"},
      {616, "six hundred and sixteen", "sechshundertsechzehn"},
      {701, "seven hundred and one", "siebenhunderteins"},
      {999, "nine hundred and ninety-nine", "neunhundertneunundneunzig"},
      {1000, "one thousand", "tausend"},
      {1001, "one thousand and one", "tausendeins"},
      {1100, "one thousand one hundred", "tausendeinhundert"},
      {1101, "one thousand one hundred and one", "tausendeinhunderteins"},
      {1234, "one thousand two hundred and thirty-four", "tausendzweihundertvierunddreißig"},
      {2000, "two thousand", "zweitausend"},
      {2100, "two thousand one hundred", "zweitausendeinhundert"},
      {6017, "six thousand and seventeen", "sechstausendsiebzehn"},
      {9999, "nine thousand nine hundred and ninety-nine", "neuntausendneunhundertneunundneunzig"},
  };
  for (const Words& words : table) {
    EXPECT_EQ(english_number(words.number), words.english);
    EXPECT_EQ(german_number(words.number), words.german);
  }
}

TEST(Numbers, AllDiffer) {
  std::set<std::string> english;
  std::set<std::string> german;
  for (int number = 0; number <= 9999; ++number) {
    english.insert(english_number(number));
    german.insert(german_number(number));
  }
  EXPECT_EQ(english.size(), 10000U);
  EXPECT_EQ(german.size(), 10000U);
}

TEST(Numbers, OutsideTheRangeIsOurBug) {
  EXPECT_THROW(german_number(-1), std::logic_error);
  EXPECT_THROW(german_number(10000), std::logic_error);
  EXPECT_THROW(english_number(-1), std::logic_error);
  EXPECT_THROW(english_number(10000), std::logic_error);
  EXPECT_THROW(english_ordinal(0), std::logic_error);
  EXPECT_THROW(german_ordinal_stem(32), std::logic_error);
}

TEST(Numbers, Ordinals) {
  const Words table[] = {
      {1, "first", "erst"},
      {2, "second", "zweit"},
      {3, "third", "dritt"},
      {4, "fourth", "viert"},
      {5, "fifth", "fünft"},
      {6, "sixth", "sechst"},
      {7, "seventh", "siebt"},
      {8, "eighth", "acht"},
      {9, "ninth", "neunt"},
      {11, "eleventh", "elft"},
      {12, "twelfth", "zwölft"},
      {16, "sixteenth", "sechzehnt"},
      {17, "seventeenth", "siebzehnt"},
      {19, "nineteenth", "neunzehnt"},
      {20, "twentieth", "zwanzigst"},
      {21, "twenty-first", "einundzwanzigst"},
      {23, "twenty-third", "dreiundzwanzigst"},
      {28, "twenty-eighth", "achtundzwanzigst"},
      {30, "thirtieth", "dreißigst"},
      {31, "thirty-first", "einunddreißigst"},
  };
  for (const Words& words : table) {
    EXPECT_EQ(english_ordinal(words.number), words.english);
    EXPECT_EQ(german_ordinal_stem(words.number), words.german);
  }
}

}  // namespace
}  // namespace memsizer::demo
