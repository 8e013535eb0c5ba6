#include "decode/step_model.h"

#include <gtest/gtest.h>

#include <vector>

namespace memsizer::decode {
namespace {

TEST(StepModel, KeepsTheColumnsOfEachGroup) {
  std::vector<float> scores = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33};
  const std::vector<int32_t> some = {0, 3};
  const std::vector<int32_t> one = {1};
  const std::vector<ColumnGroup> groups = {{2, some}, {1, {}}, {1, one}};
  const std::span<float> kept = keep_columns(scores, 4, groups);
  EXPECT_EQ(std::vector<float>(kept.begin(), kept.end()),
            (std::vector<float>{0, 3, 10, 13, 20, 21, 22, 23, 31}));
}

TEST(StepModel, KeepsAllWhereNothingIsListed) {
  std::vector<float> scores = {0, 1, 2, 3};
  const std::vector<ColumnGroup> groups = {{2, {}}};
  const std::span<float> kept = keep_columns(scores, 2, groups);
  EXPECT_EQ(std::vector<float>(kept.begin(), kept.end()), (std::vector<float>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace memsizer::decode
