#pragma once

#include <memory>

#include "mechanisms/performer/description.h"
#include "nn/kernel_mixer.h"

namespace memsizer::nn {

// FAVOR+ in its three released flavours.

// (b) Features exp(+-u), strictly causal: the form that streams, and the default.
class FavorMixer : public KernelMixer {
 public:
  explicit FavorMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;
  void redraw(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  int64_t feature_count() const override { return 2 * omega_.size(1); }

 private:
  at::Tensor omega_;  // [head_dim, features / 2]
};

// (a) The softmax kernel with stabilisers. The keys' stabiliser looks at the whole sequence, so it cannot
// stream.
class SoftmaxKernelMixer : public KernelMixer {
 public:
  explicit SoftmaxKernelMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;
  void redraw(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  int64_t feature_count() const override { return projection_matrix_.size(0); }
  bool padding_stays_in_keys() const override { return true; }
  at::Tensor finish(const at::Tensor& out, const Pass& pass) const override;
  void require_streaming() const override;

 private:
  at::Tensor projection_matrix_;  // [features, head_dim]
};

// (c) The T2R repository's positive random features.
class PrfMixer : public KernelMixer {
 public:
  explicit PrfMixer(const MixerConfig& config);

  void initialise(at::Generator& generator) override;
  void redraw(at::Generator& generator) override;

 protected:
  at::Tensor feature_map(const Pass& pass) const override;
  at::Tensor features(const at::Tensor& x, Side side, const at::Tensor& map) const override;
  at::Tensor denominator(const at::Tensor& norm, const at::Tensor& query_features) const override;
  int64_t feature_count() const override { return random_matrices_.size(1); }
  bool drops_weights() const override { return true; }

 private:
  at::Tensor tau_;              // [1], frozen
  at::Tensor random_matrices_;  // [heads, features, head_dim]
};

}  // namespace memsizer::nn
