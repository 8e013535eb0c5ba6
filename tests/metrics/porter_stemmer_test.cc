#include "metrics/porter_stemmer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace memsizer::metrics {
namespace {

using Expected = std::vector<std::pair<std::string, std::string>>;

void expect_stems(const Expected& stems, PorterVariant variant) {
  for (const auto& [word, stem] : stems) EXPECT_EQ(porter_stem(word, variant), stem) << word;
}

// The examples of Porter's paper, where both variants follow it.
const Expected kOfThePaper = {{"caresses", "caress"},    {"ponies", "poni"},
                              {"caress", "caress"},      {"cats", "cat"},
                              {"feed", "feed"},          {"agreed", "agre"},
                              {"plastered", "plaster"},  {"bled", "bled"},
                              {"motoring", "motor"},     {"sing", "sing"},
                              {"conflated", "conflat"},  {"troubled", "troubl"},
                              {"sized", "size"},         {"hopping", "hop"},
                              {"tanned", "tan"},         {"falling", "fall"},
                              {"hissing", "hiss"},       {"fizzed", "fizz"},
                              {"failing", "fail"},       {"filing", "file"},
                              {"happy", "happi"},        {"relational", "relat"},
                              {"conditional", "condit"}, {"rational", "ration"},
                              {"digitizer", "digit"},    {"operator", "oper"},
                              {"feudalism", "feudal"},   {"decisiveness", "decis"},
                              {"hopefulness", "hope"},   {"callousness", "callous"},
                              {"formaliti", "formal"},   {"sensibiliti", "sensibl"},
                              {"triplicate", "triplic"}, {"formative", "form"},
                              {"electrical", "electr"},  {"goodness", "good"},
                              {"revival", "reviv"},      {"allowance", "allow"},
                              {"airliner", "airlin"},    {"adjustable", "adjust"},
                              {"irritant", "irrit"},     {"replacement", "replac"},
                              {"adjustment", "adjust"},  {"dependent", "depend"},
                              {"adoption", "adopt"},     {"communism", "commun"},
                              {"homologous", "homolog"}, {"effective", "effect"},
                              {"probate", "probat"},     {"rate", "rate"},
                              {"cease", "ceas"},         {"controlling", "control"},
                              {"roll", "roll"},          {"3rd", "3rd"},
                              {"2000s", "2000"}};

TEST(PorterStemmer, FollowsThePaper) {
  expect_stems(kOfThePaper, PorterVariant::Nltk);
  expect_stems(kOfThePaper, PorterVariant::Rouge155);
}

TEST(PorterStemmer, NltkExtensions) {
  expect_stems({{"dies", "die"},
                {"died", "die"},
                {"spied", "spi"},
                {"flies", "fli"},
                {"fly", "fli"},
                {"enjoy", "enjoy"},
                {"skies", "sky"},
                {"dying", "die"},
                {"news", "news"},
                {"innings", "inning"},
                {"proceed", "proceed"},
                {"using", "use"},
                {"geology", "geolog"},
                {"carefully", "care"},
                {"happily", "happili"},
                {"radically", "radic"}},
               PorterVariant::Nltk);
}

TEST(PorterStemmer, Rouge155) {
  expect_stems({{"flies", "fli"},
                {"flying", "fly"},
                {"fly", "fly"},
                {"enjoy", "enjoi"},
                {"dying", "dy"},
                {"news", "new"},
                {"using", "us"},
                {"proceed", "proce"},
                {"yyed", "yy"},
                {"geology", "geologi"}},
               PorterVariant::Rouge155);
}

TEST(PorterStemmer, ShortAndOddWords) {
  for (const auto variant : {PorterVariant::Nltk, PorterVariant::Rouge155}) {
    expect_stems({{"", ""}, {"s", "s"}, {"is", "is"}}, variant);
    EXPECT_GE(porter_stem(std::string(100'000, 'y') + "ing", variant).size(), 99'999U);
  }
  EXPECT_EQ(porter_stem("yyy", PorterVariant::Nltk), "yyy");
  EXPECT_EQ(porter_stem("yyy", PorterVariant::Rouge155), "yyi");
}

}  // namespace
}  // namespace memsizer::metrics
