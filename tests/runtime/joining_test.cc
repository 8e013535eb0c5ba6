// Rows that join a state, leave it and are forked: each goes on as if it were alone.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "runtime/small_models.h"

namespace memsizer::runtime {
namespace {

constexpr uint64_t kSteps = 12;

// Some rows of a state, each with the name that decides what it reads and the steps it has made.
class RunningBatch {
 public:
  RunningBatch(const Model& model, Work& work) : model_(model), work_(work), state_(model.empty_state()) {}

  size_t rows() const { return names_.size(); }
  const DecoderState& state() const { return state_; }

  void join(const std::vector<uint64_t>& names) {
    state_.append(start_rows(model_, work_, names));
    names_.insert(names_.end(), names.begin(), names.end());
    steps_.resize(names_.size());
  }

  void reorder(const std::vector<int64_t>& parents) {
    state_.reorder(parents);
    std::vector<uint64_t> names;
    std::vector<uint64_t> steps;
    for (const int64_t parent : parents) {
      names.push_back(names_[static_cast<size_t>(parent)]);
      steps.push_back(steps_[static_cast<size_t>(parent)]);
    }
    names_ = std::move(names);
    steps_ = std::move(steps);
  }

  // The last row fills the place of the one that leaves.
  void leave(size_t row) {
    std::vector<int64_t> parents(rows() - 1);
    std::iota(parents.begin(), parents.end(), int64_t{0});
    if (row + 1 < rows()) parents[row] = static_cast<int64_t>(rows()) - 1;
    reorder(parents);
  }

  void remove_finished() {
    for (size_t row = rows(); row-- > 0;) {
      if (steps_[row] == kSteps) leave(row);
    }
  }

  // All rows read one token; each must score as it does alone.
  void step(std::map<uint64_t, std::vector<std::vector<float>>>& alone) {
    std::vector<int32_t> tokens;
    for (size_t row = 0; row < rows(); ++row) tokens.push_back(token_of(names_[row], steps_[row]));
    const auto scores = step_rows(model_, work_, state_, tokens);
    for (size_t row = 0; row < rows(); ++row) {
      const uint64_t name = names_[row];
      if (!alone.contains(name)) alone[name] = steps_alone(model_, work_, name, kSteps);
      EXPECT_EQ(scores[row], alone[name][steps_[row]]) << "row named " << name << " at step " << steps_[row];
      ++steps_[row];
    }
  }

 private:
  const Model& model_;
  Work& work_;
  DecoderState state_;
  std::vector<uint64_t> names_;
  std::vector<uint64_t> steps_;
};

TEST(Joining, RowsThatComeAndGoAtRandomStepsGoOnAsAlone) {
  for (const SmallModel& small : small_models()) {
    SCOPED_TRACE(small.name);
    const auto model = random_model(small.config);
    Work work(2);
    Random random = Random::of(5);
    RunningBatch batch(*model, work);
    std::map<uint64_t, std::vector<std::vector<float>>> alone;
    uint64_t next_name = 1;
    for (int step = 0; step < 40; ++step) {
      if (batch.rows() < 8 && random.below(2) == 0) {
        batch.join({next_name, next_name + 1});
        next_name += 2;
      }
      if (batch.rows() == 0) continue;
      switch (random.below(5)) {
        case 0:
          batch.leave(random.below(batch.rows()));
          break;
        case 1: {  // a beam: any row may follow any other
          std::vector<int64_t> parents(batch.rows());
          for (int64_t& parent : parents) parent = static_cast<int64_t>(random.below(batch.rows()));
          batch.reorder(parents);
          break;
        }
        case 2: {  // a fork at the end
          std::vector<int64_t> parents(batch.rows() + 1);
          std::iota(parents.begin(), parents.end(), int64_t{0});
          parents.back() = static_cast<int64_t>(random.below(batch.rows()));
          batch.reorder(parents);
          break;
        }
        default:
          break;
      }
      if (batch.rows() > 0) batch.step(alone);
      batch.remove_finished();
    }
    EXPECT_GT(next_name, 8U);
  }
}

TEST(Joining, AnyReorderingOfThreeRowsToAtMostFour) {
  const auto model = random_model(small_config(mechanism_named("memsizer")));
  Work work(1);
  std::map<uint64_t, std::vector<std::vector<float>>> alone;
  for (int count = 1; count <= 4; ++count) {
    const int orders = count == 4 ? 81 : count == 3 ? 27 : count == 2 ? 9 : 3;
    for (int order = 0; order < orders; ++order) {
      RunningBatch batch(*model, work);
      batch.join({1, 2, 3});
      batch.step(alone);
      std::vector<int64_t> parents;
      for (int i = 0, rest = order; i < count; ++i, rest /= 3) parents.push_back(rest % 3);
      batch.reorder(parents);
      batch.step(alone);
    }
  }
}

TEST(Joining, ASourceIsFreedWhenItsLastRowLeaves) {
  const auto model = random_model(small_config(mechanism_named("softmax")));
  Work work(1);
  RunningBatch batch(*model, work);
  batch.join({1, 2, 3});
  const std::weak_ptr<const SourceMemory> first = batch.state().sources()[0];
  const std::weak_ptr<const SourceMemory> second = batch.state().sources()[1];
  batch.reorder({0, 0, 1, 1, 2});
  EXPECT_EQ(batch.state().sources()[0], batch.state().sources()[1]) << "a beam shares its source";
  batch.reorder({4, 1, 2});
  EXPECT_FALSE(first.expired());
  batch.reorder({2, 0});
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(second.expired());
  batch.reorder({});
  EXPECT_TRUE(second.expired());
}

TEST(Joining, OnlyRowsOfTheSameModelJoin) {
  const auto one = random_model(small_config(mechanism_named("memsizer")));
  const auto other = random_model(small_config(mechanism_named("memsizer")));
  Work work(1);
  DecoderState state = one->empty_state();
  EXPECT_THROW(state.append(start_rows(*other, work, {1})), std::logic_error);
  state.append(start_rows(*one, work, {1}));
  EXPECT_THROW(state.append(start_rows(*other, work, {1})), std::logic_error);
  state.append(one->empty_state());
  EXPECT_EQ(state.rows(), 1);
}

// Layers of a stack may keep numbers of each sequence, of each token, both or none.
TEST(Joining, EachLayerHasItsOwnSizes) {
  const std::vector<KeptFloats> sizes = {{5, 0}, {0, 6}, {17, 3}, {0, 0}};
  const auto layout = std::make_shared<const StateLayout>(sizes, std::vector<KeptFloats>{});
  Work work(1);
  // Fills a row with numbers of its own, and says whether it has those of `name`.
  const auto fill = [&](DecoderState& state, int64_t row, float name) {
    for (size_t layer = 0; layer < sizes.size(); ++layer) {
      const RowStates states = state.layer(layer);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(states.row(row)) % 64, 0U);
      std::fill_n(states.row(row), sizes[layer].fixed, name + static_cast<float>(layer));
      for (const int32_t token : states.cache->tokens(row))
        std::fill_n(states.cache->layer(layer) + token * sizes[layer].per_token, sizes[layer].per_token,
                    name + static_cast<float>(layer));
    }
  };
  const auto holds = [&](DecoderState& state, int64_t row, int64_t tokens, float name) {
    bool all = state.seen()[row] == tokens;
    for (size_t layer = 0; layer < sizes.size(); ++layer) {
      const RowStates states = state.layer(layer);
      const float number = name + static_cast<float>(layer);
      for (int64_t i = 0; i < sizes[layer].fixed; ++i) all = all && states.row(row)[i] == number;
      const std::span<const int32_t> kept = states.cache->tokens(row);
      all = all && static_cast<int64_t>(kept.size()) == tokens;
      for (const int32_t token : kept) {
        for (int64_t i = 0; i < sizes[layer].per_token; ++i)
          all = all && states.cache->layer(layer)[token * sizes[layer].per_token + i] == number;
      }
    }
    return all;
  };
  DecoderState state(layout, 2);
  state.pretend_to_read(3);
  fill(state, 0, 10);
  fill(state, 1, 20);
  DecoderState joining(layout, 1);
  joining.pretend_to_read(70);
  fill(joining, 0, 30);
  state.append(std::move(joining));
  EXPECT_TRUE(holds(state, 0, 3, 10) && holds(state, 1, 3, 20) && holds(state, 2, 70, 30));
  state.reorder(std::vector<int64_t>{2, 1});
  EXPECT_TRUE(holds(state, 0, 70, 30) && holds(state, 1, 3, 20));
  state.reorder(std::vector<int64_t>{1, 0, 0});
  EXPECT_TRUE(holds(state, 0, 3, 20) && holds(state, 1, 70, 30) && holds(state, 2, 70, 30));
}

}  // namespace
}  // namespace memsizer::runtime
