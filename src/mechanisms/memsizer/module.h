#pragma once

#include <optional>

#include "mechanisms/memsizer/description.h"
#include "mechanisms/memsizer/factors.h"
#include "nn/causal_convolution.h"
#include "nn/mixer.h"
#include "nn/modules.h"
#include "nn/window_attention.h"

namespace memsizer::nn {

// The paper's mechanism for training: a memory of `slots` rows, written by the outer product of two
// normalised projections of each token, read by a softmax over learned keys that is averaged over the heads;
// and what goes past the paper (description.h).
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
    LayerNorm right_norm{nullptr};  // absent where values are not normalised
    int64_t mean_groups = 0;        // the last ones: a softmax in place of the layer norm
    bool norms_left = true;         // some groups have the layer norm

    at::Tensor left(const at::Tensor& x) const;
    at::Tensor right(const at::Tensor& x) const;
  };

  Writer make_writer(const std::string& prefix, int64_t left_width, int64_t mean_groups);
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
  // What each source token writes to slots that attend to the source: [source, batch, groups * slots].
  at::Tensor pool_weights(const at::Tensor& source, const at::Tensor& padding) const;
  at::Tensor read_memory(const at::Tensor& query, const MixerState& state, const Pass& pass) const;

  // Softmax over the slots for each head, averaged over the heads of a group, in groups that sum times
  // `scale`: [time, batch, heads * slots] -> [time, batch, groups * slots].
  at::Tensor address(const at::Tensor& logits, const at::Tensor& scale, const Pass& pass) const;

  // The groups' reads, side by side [time, batch, dim], from the products of their addresses with memories
  // [time, batch * groups, group_dim] and normalisers [time, batch * groups].
  at::Tensor read_of(const at::Tensor& products, const at::Tensor& norms, int64_t batch) const;
  // Gate and output projection of a read.
  at::Tensor finish(at::Tensor read, const at::Tensor& x) const;

  // A state's normaliser with a row for each group, those that sum included: [batch * groups, slots].
  at::Tensor all_normalisers(const at::Tensor& normaliser) const;
  // A state's fields as its mechanism describes them, from those of batch * groups memories.
  at::Tensor memory_field(const at::Tensor& memories) const;
  at::Tensor normaliser_field(const at::Tensor& normalisers) const;

  MemsizerForm form_;
  Linear keys_{nullptr};  // absent if keys are made from the input
  Writer key_writer_;     // present if keys are made from the input
  Writer writer_;
  Linear forget_{nullptr};  // these are absent where the options leave them out
  LayerNorm read_norm_{nullptr};
  Linear gate_{nullptr};
  Linear output_{nullptr};
  std::optional<InputConvolution> convolution_;
  std::optional<WindowAttention> window_;
};

}  // namespace memsizer::nn
