#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "core/random.h"

namespace memsizer::metrics {
namespace {

using Tokens = std::vector<uint32_t>;

// The definition itself, with maps of n-grams.
std::array<int64_t, 4> plain_matches(const Tokens& hypothesis, const std::vector<Tokens>& references) {
  const auto counts = [](const Tokens& tokens, size_t order) {
    std::map<Tokens, int64_t> result;
    for (size_t end = order; end <= tokens.size(); ++end) {
      const auto last = tokens.begin() + static_cast<std::ptrdiff_t>(end);
      ++result[Tokens(last - static_cast<std::ptrdiff_t>(order), last)];
    }
    return result;
  };
  std::array<int64_t, 4> matches{};
  for (size_t order = 1; order <= 4; ++order) {
    std::map<Tokens, int64_t> most;
    for (const Tokens& reference : references) {
      for (const auto& [ngram, count] : counts(reference, order)) most[ngram] = std::max(most[ngram], count);
    }
    for (const auto& [ngram, count] : counts(hypothesis, order)) {
      const auto found = most.find(ngram);
      if (found != most.end()) matches[order - 1] += std::min(count, found->second);
    }
  }
  return matches;
}

TEST(Ngrams, AgreeWithTheDefinition) {
  Random random = Random::of(7);
  NgramTable table(4);
  for (int trial = 0; trial < 500; ++trial) {
    const auto sentence = [&] {
      Tokens tokens(random.below(40));
      for (uint32_t& token : tokens) token = static_cast<uint32_t>(random.below(4));
      return tokens;
    };
    std::vector<Tokens> references;
    for (uint64_t r = 0; r <= random.below(3); ++r) references.push_back(sentence());
    const Tokens hypothesis = sentence();
    table.clear();
    for (const Tokens& reference : references) table.add_reference(reference);
    std::array<int64_t, 4> matches{};
    table.match(hypothesis, matches);
    ASSERT_EQ(matches, plain_matches(hypothesis, references));
    // Matching leaves the references as they were.
    table.match(hypothesis, matches);
    ASSERT_EQ(matches, plain_matches(hypothesis, references));
  }
}

TEST(Ngrams, GrowWithLongSegments) {
  Tokens tokens(200'000);
  for (uint32_t i = 0; i < tokens.size(); ++i) tokens[i] = i;
  NgramTable table(4);
  table.add_reference(tokens);
  std::array<int64_t, 4> matches{};
  table.match(tokens, matches);
  EXPECT_EQ(matches, (std::array<int64_t, 4>{200'000, 199'999, 199'998, 199'997}));
}

TEST(Ngrams, UnknownTokensMatchNothing) {
  NgramTable table(4);
  table.add_reference(Tokens{1, 2, 3});
  std::array<int64_t, 4> matches{};
  table.match(Tokens{1, WordIds::kUnknown, 2, 3}, matches);
  EXPECT_EQ(matches, (std::array<int64_t, 4>{3, 1, 0, 0}));
}

TEST(Ngrams, Totals) {
  EXPECT_EQ(ngram_total(5, 1), 5);
  EXPECT_EQ(ngram_total(5, 4), 2);
  EXPECT_EQ(ngram_total(3, 4), 0);
  EXPECT_EQ(ngram_total(0, 1), 0);
}

TEST(WordIds, NumberWordsByContent) {
  const std::string twice = "the the";
  WordIds ids;
  const std::vector<std::string_view> words = {std::string_view(twice).substr(0, 3), "cat",
                                               std::string_view(twice).substr(4)};
  const auto numbers = ids.add(words);
  EXPECT_EQ(Tokens(numbers.begin(), numbers.end()), (Tokens{0, 1, 0}));
  const std::vector<std::string_view> others = {"cat", "dog", ""};
  const auto found = ids.find(others);
  EXPECT_EQ(Tokens(found.begin(), found.end()), (Tokens{1, WordIds::kUnknown, WordIds::kUnknown}));
  ids.clear();
  EXPECT_EQ(ids.find(others)[0], WordIds::kUnknown);
}

TEST(WordIds, HoldManyWords) {
  std::vector<std::string> texts;
  for (int i = 0; i < 50'000; ++i) texts.push_back(std::to_string(i));
  const std::vector<std::string_view> words(texts.begin(), texts.end());
  WordIds ids;
  ids.add(words);
  const auto numbers = ids.find(words);
  for (uint32_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
}

}  // namespace
}  // namespace memsizer::metrics
