#include "text/lexical_table.h"

#include <gtest/gtest.h>

namespace memsizer::text {
namespace {

// Das Haus, das Buch, ein Buch: "das" is 1, "Haus" 2, "Buch" 3, "ein" 4; the, house, book, a likewise.
TokenPairs three_pairs() {
  TokenPairs pairs;
  pairs.add(std::vector{1, 2}, std::vector{1, 2});
  pairs.add(std::vector{1, 3}, std::vector{1, 3});
  pairs.add(std::vector{4, 3}, std::vector{4, 3});
  return pairs;
}

// The numbers of the textbook example (Koehn 2010, figure 4.4) after one and two steps.
TEST(LexicalTable, ImprovesAsTheTextbookDoes) {
  const TokenPairs pairs = three_pairs();
  LexicalTable table(pairs, 5, 5);
  table.improve();
  EXPECT_NEAR(table.probability(1, 1), 0.5, 1e-6);
  EXPECT_NEAR(table.probability(1, 2), 0.25, 1e-6);
  EXPECT_NEAR(table.probability(2, 2), 0.5, 1e-6);
  EXPECT_NEAR(table.probability(4, 3), 0.5, 1e-6);
  table.improve();
  EXPECT_NEAR(table.probability(1, 1), 0.6364, 1e-4);
  EXPECT_NEAR(table.probability(1, 2), 0.1818, 1e-4);
  EXPECT_NEAR(table.probability(2, 2), 0.5714, 1e-4);
  for (int i = 0; i < 50; ++i) table.improve();
  for (const int32_t token : {1, 2, 3, 4}) EXPECT_GT(table.probability(token, token), 0.95F) << token;
}

TEST(LexicalTable, GivesTheLikeliestFirst) {
  const TokenPairs pairs = three_pairs();
  LexicalTable table(pairs, 5, 5);
  EXPECT_EQ(table.best(1, 9), (std::vector{1, 2, 3}));
  for (int i = 0; i < 3; ++i) table.improve();
  EXPECT_EQ(table.best(3, 2).front(), 3);
  EXPECT_EQ(table.best(3, 2).size(), 2U);
  EXPECT_EQ(table.best(1, 0), std::vector<int32_t>());
}

TEST(LexicalTable, KnowsNothingOfWhatItHasNotSeen) {
  TokenPairs pairs = three_pairs();
  pairs.add({}, std::vector{1, 1});
  pairs.add(std::vector{2}, {});
  LexicalTable table(pairs, 6, 6);
  for (int i = 0; i < 3; ++i) table.improve();
  EXPECT_EQ(table.probability(5, 1), 0.0F);
  EXPECT_EQ(table.probability(4, 2), 0.0F);
  EXPECT_TRUE(table.best(5, 3).empty());
}

}  // namespace
}  // namespace memsizer::text
