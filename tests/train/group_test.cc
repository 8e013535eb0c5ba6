#include "train/group.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>

#include "support/thread_group.h"

namespace memsizer::train {
namespace {

using at::Tensor;
using memsizer::testing::ThreadGroup;

// Three parameters: every rank has computed the first one's gradient, rank 1 the second's, none the third's.
std::vector<Tensor> parameters_of(int64_t rank) {
  std::vector<Tensor> parameters;
  for (int i = 0; i < 3; ++i) parameters.push_back(at::ones({2, 3}).requires_grad_());
  parameters[0].mutable_grad() = at::full({2, 3}, 1.0 + static_cast<double>(rank));
  if (rank == 1) parameters[1].mutable_grad() = at::full({2, 3}, 7.0);
  return parameters;
}

TEST(Group, OneProcessLeavesEverythingAsItIs) {
  SingleProcess group;
  EXPECT_EQ(group.rank(), 0);
  EXPECT_EQ(group.size(), 1);
  EXPECT_TRUE(group.is_writer());
  EXPECT_TRUE(group.any(true));
  EXPECT_FALSE(group.any(false));
  EXPECT_EQ(group.from_writer(-0.1), -0.1);
  std::array<double, 2> numbers = {0.1, -3.0};
  group.all_reduce_sum(numbers);
  EXPECT_EQ(numbers, (std::array<double, 2>{0.1, -3.0}));
  const std::vector<Tensor> parameters = parameters_of(0);
  const Tensor gradient = parameters[0].grad();
  group.sum_gradients(parameters);
  EXPECT_TRUE(parameters[0].grad().is_same(gradient));
  EXPECT_TRUE(gradient.equal(at::ones({2, 3})));
  EXPECT_FALSE(parameters[1].grad().defined());
}

TEST(Group, NumbersAndDecisionsAreThoseOfAllRanks) {
  ThreadGroup(3).run([](Group& group) {
    std::array<int64_t, 2> counts = {group.rank(), 10};
    group.all_reduce_sum(counts);
    EXPECT_EQ(counts, (std::array<int64_t, 2>{3, 30}));
    double value = 0.5;
    group.all_reduce_sum({&value, 1});
    EXPECT_EQ(value, 1.5);
    EXPECT_TRUE(group.any(group.rank() == 2));
    EXPECT_FALSE(group.any(false));
    EXPECT_EQ(group.from_writer(1.0 + static_cast<double>(group.rank())), 1.0);
    EXPECT_FALSE(group.writer_says(group.rank() == 1));
    EXPECT_TRUE(group.writer_says(group.rank() == 0));
    std::vector<Tensor> tensors = {at::full({2}, group.rank())};
    group.broadcast(tensors);
    EXPECT_TRUE(tensors[0].equal(at::zeros({2}, at::kLong)));
  });
}

TEST(Group, GradientsThatSomeRanksLackCountAsZero) {
  ThreadGroup(2).run([](Group& group) {
    const std::vector<Tensor> parameters = parameters_of(group.rank());
    group.sum_gradients(parameters);
    EXPECT_TRUE(parameters[0].grad().equal(at::full({2, 3}, 3.0)));
    EXPECT_TRUE(parameters[1].grad().equal(at::full({2, 3}, 7.0)));
    EXPECT_FALSE(parameters[2].grad().defined()) << "none has computed it: the optimizer leaves it alone";
  });
}

TEST(Group, TheOthersFindWhatTheWriterHasDone) {
  std::atomic<bool> written = false;
  ThreadGroup(3).run([&](Group& group) {
    const int64_t found = group.writer_first([&]() -> int64_t {
      if (group.is_writer()) written = true;
      EXPECT_TRUE(written);
      return group.rank();
    });
    EXPECT_EQ(found, group.rank());
  });
}

}  // namespace
}  // namespace memsizer::train
