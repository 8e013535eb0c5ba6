#include "decode/hash_model.h"

#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/special_tokens.h"
#include "core/random.h"

namespace memsizer::decode::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

}  // namespace

uint64_t HashLogits::start(uint64_t sentence) const {
  return Random::of(seed, sentence).next();
}

uint64_t HashLogits::after(uint64_t state, int32_t token) const {
  return Random::of(state, static_cast<uint64_t>(token)).next();
}

void HashLogits::fill(uint64_t state, std::span<float> row) const {
  Random random{state};
  const bool dead = random.uniform() < dead_share;
  for (float& logit : row) {
    double value = 3.0 * (random.uniform() + random.uniform() + random.uniform() - 1.5);
    if (grid > 0.0) value = grid * std::round(value / grid);
    logit = static_cast<float>(value);
    if (random.uniform() < hostile_share) {
      logit = std::array{kNaN, kInfinity, -kInfinity, kLargest, -kLargest, 1e30F}[random.below(6)];
    }
    if (dead) logit = random.below(2) == 0 ? kNaN : -kInfinity;
  }
  row[kEos] += static_cast<float>(end_bias);
}

HashModel::HashModel(const HashLogits& logits, const std::vector<uint64_t>& sentences) : logits_(logits) {
  for (const uint64_t sentence : sentences) states_.push_back(logits.start(sentence));
}

void HashModel::reorder(std::span<const int64_t> parents) {
  std::vector<uint64_t> states;
  for (const int64_t parent : parents) states.push_back(states_.at(static_cast<size_t>(parent)));
  states_ = states;
  ++reorders_;
}

std::span<float> HashModel::advance(std::span<const int32_t> tokens) {
  if (tokens.size() != states_.size()) throw std::logic_error("not one token a row");
  const auto width = static_cast<size_t>(logits_.vocab);
  buffer_.assign(tokens.size() * width, kNaN);
  for (size_t row = 0; row < tokens.size(); ++row) {
    states_[row] = logits_.after(states_[row], tokens[row]);
    logits_.fill(states_[row], std::span(buffer_).subspan(row * width, width));
  }
  rows_of_steps_.push_back(tokens.size());
  return buffer_;
}

}  // namespace memsizer::decode::testing
