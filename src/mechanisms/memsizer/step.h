#pragma once

#include <optional>

#include "mechanisms/memsizer/description.h"
#include "mechanisms/memsizer/step_window.h"
#include "runtime/input_convolution.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// The paper's mechanism: a memory of k slots, written by the outer product of two normalised
// projections of each token and read by a softmax over keys, averaged over the heads. Keys made from the
// input are a second memory of the same kind. With groups, several memories are side by side.
//
// A read that is scaled, by the root of a length or by the sum of the weights of a mean, has the scale in its
// address: one pass over the memory then makes the result, whatever the read.
class MemsizerMixer : public Mixer {
 public:
  MemsizerMixer(const MixerConfig& config, const Weights& weights);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;
  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states, Rows out) const override;
  void read(Work& work, const Ragged& sources, ConstRows x,
            std::span<const SourceState> states) const override;
  void attend(Work& work, const Ragged& rows, ConstRows x, std::span<const ConstSourceState> source_of_row,
              Rows out) const override;

 private:
  // Where the fields of a state start, in the order of the description; the memory is the first.
  struct Fields {
    explicit Fields(const MemsizerForm& form);

    int64_t normaliser;
    int64_t key_memory;
    int64_t inputs;
    int64_t window;
    int64_t floats;  // of all
  };

  // What becomes of the tokens of a call, a row each. What an option does without has no data.
  struct Tokens {
    ConstRows x = {};       // what is projected
    Rows projected = {};    // [projection_.out()]
    Rows logits = {};       // [heads, slots]; a read overwrites them
    ConstRows gates = {};   // [dim]
    Rows addresses = {};    // [groups, slots]
    Rows decays = {};       // [groups]
    Rows key_queries = {};  // x, scaled for the keys that are made from the input [dim]
    Rows out = {};          // what is read [dim]
  };

  // The columns of a group that are in a range of columns, and where they are in the memory.
  struct Piece {
    int64_t group;
    int64_t first;
    int64_t width;
    int64_t at;
  };
  template <typename Task>
  void for_pieces(int64_t first, int64_t last, const Task& task) const;

  float* project(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const;
  // The same for whole sequences, with the factors of what they write in place of the projections.
  float* project_sequences(Work& work, Scratch::Frame& frame, const Ragged& sequences, ConstRows x) const;
  // Turns what a token writes, in its projections, into the factors of the outer products.
  void normalise(float* projected) const;
  // The weights of a read from logits, those of sums times `scale`.
  void address(float* logits, float scale, float* out) const;
  // Divides the address of a group that takes means by the weights of what it reads.
  void divide(const float* normaliser, float* address) const;

  // Fills the states of whole sequences, state_of(sequence), from their tokens' projections.
  template <typename StateOf>
  void write_sequences(Work& work, const Ragged& sequences, const float* projected,
                       const StateOf& state_of) const;
  // One token's output from a finished state.
  void read_state(const Tokens& tokens, int64_t token, const float* state) const;

  // The parts of a causal step, `position` counting from 1: what a token decides alone, what also depends on
  // the tokens before it, some columns of the memory, and what follows the read.
  void prepare(const Tokens& tokens, int64_t token, int64_t position) const;
  void weigh(const Tokens& tokens, int64_t token, int64_t position, float* state) const;
  void step(const Tokens& tokens, int64_t token, float* memory, int64_t first, int64_t last) const;
  void finish(const Tokens& tokens, int64_t token) const;
  void advance_memory(Work& work, const Ragged& rows, const RowStates& states, const Tokens& tokens) const;

  // Where reads go: to `out` itself, or to rows that the output projection then takes there.
  Rows reads(Scratch::Frame& frame, int64_t tokens, Rows out) const;
  void project_reads(Work& work, Rows reads, int64_t tokens, Rows out) const;

  MemsizerForm form_;
  Fields fields_;
  Linear query_;  // in cross-attention: what a token of the target reads by
  // All that a token writes and, in self-attention, reads by; side by side:
  Linear projection_;
  int64_t logits_at_ = 0;  // of query_ in cross-attention; with input-made keys, their factors are here
  int64_t gate_at_ = 0;    // of query_ in cross-attention
  int64_t key_right_at_ = 0;
  int64_t left_at_ = 0;   // [groups, slots]
  int64_t right_at_ = 0;  // [dim]
  int64_t window_at_ = 0;
  Norm key_left_norm_;
  Norm key_right_norm_;
  Norm left_norm_;
  Norm right_norm_;
  Norm read_norm_;
  std::vector<float> forget_weight_;  // [groups, dim]
  std::vector<float> forget_bias_;    // [groups]
  Linear output_;
  std::optional<InputConvolution> convolution_;
  std::optional<MemsizerWindow> window_;
};

}  // namespace memsizer::runtime
