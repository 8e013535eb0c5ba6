#pragma once

#include "mechanisms/linformer/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {

// Linformer: softmax attention over keys and values compressed along time to a fixed number
// of slots. Encoder only.
class LinformerMixer : public Mixer {
 public:
  LinformerMixer(const MixerConfig& config, const Weights& weights);

  void encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const override;

 private:
  // out [slots, dim] = the compression's first columns times x [tokens, dim]
  void compress(const std::vector<float>& compression, ConstRows x, int64_t tokens, float* out) const;

  int64_t dim_;
  int64_t heads_;
  int64_t slots_;
  int64_t max_length_;
  bool compress_first_;  // fairseq's form; the other compresses what is projected
  Linear query_;
  Linear key_;
  Linear value_;
  bool keys_are_values_;
  Linear output_;
  std::vector<float> compress_keys_;  // [max_length, slots]
  std::vector<float> compress_values_;
};

}  // namespace memsizer::runtime
