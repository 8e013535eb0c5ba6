#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "mechanisms/description.h"
#include "runtime/linear.h"
#include "runtime/ragged.h"
#include "runtime/token_cache.h"
#include "runtime/work.h"

namespace memsizer::runtime {

// What a causal mixer keeps for each row: its constant numbers and, if it keeps any, its tokens.
struct RowStates {
  float* numbers = nullptr;       // of row 0
  int64_t stride = 0;             // from row to row
  std::span<const int64_t> seen;  // tokens each row has read before
  TokenCache* cache = nullptr;    // the new tokens are appended already
  size_t layer = 0;               // of the cache

  float* row(int64_t i) const { return numbers + i * stride; }
};

// What a cross mixer keeps of one source: its constant numbers and, if it keeps any, those of its tokens.
struct SourceState {
  float* fixed = nullptr;
  float* per_token = nullptr;
  int64_t tokens = 0;
};

struct ConstSourceState {
  const float* fixed = nullptr;
  const float* per_token = nullptr;
  int64_t tokens = 0;
};

// A mechanism in the place of attention, at generation time: the recurrent form of its module, without
// LibTorch. What it keeps of a row or a source are the float fields of its description, one after the other,
// those of each token apart. Inputs and outputs are rows of `dim` numbers, one a token, sequences one after
// the other. A sequence's result does not depend on the sequences beside it, nor on how it is cut into
// pieces.
class Mixer {
 public:
  virtual ~Mixer() = default;

  // Encoder self-attention.
  virtual void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const;

  // Causal self-attention: reads the next tokens of each row, one or many.
  virtual void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const;

  // Cross-attention: reads the sources once, each into a state of its own, then answers the tokens of each
  // row from the state of its source.
  virtual void read(Work& work, const Ragged& sources, ConstRows x,
                    std::span<const SourceState> states) const;
  virtual void attend(Work& work, const Ragged& rows, ConstRows x,
                      std::span<const ConstSourceState> source_of_row, Rows out) const;
};

// The mixer of a configuration, with its weights.
std::unique_ptr<Mixer> make_mixer(const MixerConfig& config, const Weights& weights);

// Makes the step of a mechanism that add_mechanism (mechanisms/registry.h) brought.
using MakeStep = std::unique_ptr<Mixer> (*)(const MixerConfig& config, const Weights& weights);
void add_step(std::string_view mechanism, MakeStep make);

// Shares work over rows among the team, unless it is so little that waking the others costs more.
template <typename Task>
void split_rows(Work& work, int64_t rows, int64_t numbers_a_row, const Task& task) {
  constexpr int64_t kWorthWaking = 16 << 10;
  if (rows * numbers_a_row < kWorthWaking) {
    for (int64_t row = 0; row < rows; ++row) task(row);
    return;
  }
  work.team.split(rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) task(row);
  });
}

}  // namespace memsizer::runtime
