#include "runtime/selected_output.h"

#include <gtest/gtest.h>

#include "runtime/small_models.h"
#include "runtime/step_model.h"

namespace memsizer::runtime {
namespace {

using decode::RowGroup;
using decode::TokenList;

TokenList random_list(uint64_t seed) {
  Random random = Random::of(seed);
  std::vector<int32_t> list = {0, 1, 2, 3};
  for (int32_t token = 4; token < 70; ++token) {
    if (random.below(6) == 0) list.push_back(token);
  }
  return std::make_shared<const std::vector<int32_t>>(list);
}

// To the bit, whatever lists the rows beside it have.
TEST(SelectedOutput, LogitsAreThoseOfTheWholeVocabulary) {
  const ModelConfig config = small_config(mechanism_named("memsizer"));
  for (const WeightType type : {WeightType::F32, WeightType::BF16, WeightType::I8}) {
    const auto model = random_model(config, type);
    Work work(2);
    const std::vector<uint64_t> names = {1, 2, 3, 4, 5};
    RuntimeStepModel fast(*model, work, start_rows(*model, work, names));
    RuntimeStepModel plain(*model, work, start_rows(*model, work, names));
    Random random = Random::of(11);
    std::vector<TokenList> lists = {random_list(1), random_list(2), random_list(3)};
    for (uint64_t step = 0; step < 20; ++step) {
      // Lists come and go, and now and then a row wants all.
      if (step % 3 == 2) lists[random.below(3)] = random_list(100 + step);
      if (step % 5 == 4) lists[random.below(3)] = random.below(2) == 0 ? nullptr : lists[0];
      const std::vector<RowGroup> groups = {{2, lists[0]}, {1, lists[1]}, {2, lists[2]}};
      std::vector<int32_t> tokens;
      for (const uint64_t name : names) tokens.push_back(token_of(name, step));
      const std::span<float> found = fast.advance_among(tokens, groups);
      const std::span<float> expected = plain.decode::StepModel::advance_among(tokens, groups);
      ASSERT_EQ(std::vector<float>(found.begin(), found.end()),
                std::vector<float>(expected.begin(), expected.end()))
          << "step " << step;
    }
  }
}

TEST(SelectedOutput, HasTheRowsOfAllListsOnce) {
  const auto model = random_model(small_config(mechanism_named("memsizer")));
  Work work(1);
  const auto list = [](std::vector<int32_t> tokens) {
    return std::make_shared<const std::vector<int32_t>>(std::move(tokens));
  };
  SelectedOutput selected;
  const std::vector<RowGroup> first = {{1, list({0, 1, 2, 3, 9})}, {3, list({0, 1, 2, 3, 7, 50})}};
  selected.cover(*model, work, first);
  EXPECT_EQ(selected.matrix().rows(), 7);
  const std::span<const int32_t> columns = selected.columns(first[1].among);
  EXPECT_EQ(std::vector<int32_t>(columns.begin(), columns.end()), (std::vector<int32_t>{0, 1, 2, 3, 4, 6}));
  // What is there already serves a list that needs no more; others begin a new selection.
  const std::vector<RowGroup> fewer = {{1, list({0, 1, 2, 3, 50})}};
  selected.cover(*model, work, fewer);
  EXPECT_EQ(selected.matrix().rows(), 7);
  EXPECT_EQ(selected.columns(fewer[0].among).back(), 6);
  const std::vector<RowGroup> others = {{1, list({0, 1, 2, 3, 51})}};
  selected.cover(*model, work, others);
  EXPECT_EQ(selected.matrix().rows(), 5);
}

TEST(SelectedOutput, IsNotForAdaptiveSoftmax) {
  ModelConfig config = small_config(mechanism_named("memsizer"));
  config.architecture = Architecture::LanguageModel;
  config.adaptive.cutoffs = {20, 40};
  const auto model = random_model(config);
  Work work(1);
  EXPECT_THROW(model->output_rows(work, std::vector<int32_t>{1}), std::logic_error);
}

}  // namespace
}  // namespace memsizer::runtime
