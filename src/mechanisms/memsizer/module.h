#pragma once

#include "mechanisms/memsizer/description.h"
#include "mechanisms/memsizer/factors.h"
#include "nn/mixer.h"
#include "nn/modules.h"

namespace memsizer::nn {

// The paper's mechanism for training: a memory of `slots` rows, written by the outer product of two
// normalised projections of each token, read by a softmax over learned keys that is averaged over the heads.
class MemsizerMixer : public Mixer {
 public:
  explicit MemsizerMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;

 protected:
  at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                       const Pass& pass) override;
  at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass) override;
  at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state) override;
  MixerState read_source(const at::Tensor& source, const at::Tensor& padding) override;
  at::Tensor attend_state(const at::Tensor& query, const MixerState& state) override;

 private:
  // The two factors a token writes: left [time, batch, left_width], right [time, batch, dim].
  struct Writer {
    Linear left_proj{nullptr};
    Linear right_proj{nullptr};
    LayerNorm left_norm{nullptr};
    LayerNorm right_norm{nullptr};

    at::Tensor left(const at::Tensor& x) const;
    at::Tensor right(const at::Tensor& x) const { return right_norm->forward(right_proj->forward(x)); }
  };

  Writer make_writer(const std::string& prefix, int64_t left_width);
  void initialise(Writer& writer, at::Generator& generator);

  at::Tensor causal_mix(const at::Tensor& x, const at::Tensor& padding, MixerState& state, bool with_state,
                        const Pass& pass) const;
  at::Tensor mix_segment(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& skipped,
                         MixerState& state, bool with_state, const Pass& pass) const;

  // Tokens of each sequence that go through the layer at once.
  int64_t segment_length(int64_t batch) const;

  // Address and both factors of every token from one product with the joined weights.
  MemsizerFactors joint_factors(const at::Tensor& x, const at::Tensor& scale, const Pass& pass) const;

  at::Tensor input_key_logits(const at::Tensor& x, const at::Tensor& scale, const at::Tensor& skipped,
                              MixerState& state, bool with_state) const;
  at::Tensor read_memory(const at::Tensor& query, const MixerState& state, const Pass& pass) const;

  // Softmax over the slots for each head, averaged over heads: [time, batch, heads * slots] -> [time, batch,
  // slots].
  at::Tensor address(const at::Tensor& logits, const at::Tensor& scale, const Pass& pass) const;

  int64_t slots_;
  int64_t heads_;
  Linear keys_{nullptr};  // absent if keys are made from the input
  Writer key_writer_;     // present if keys are made from the input
  Writer writer_;
};

}  // namespace memsizer::nn
