#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/model_config.h"
#include "nn/adaptive_input.h"
#include "nn/pass.h"

namespace memsizer::nn {

// Softmax in a head of frequent tokens and clusters of rare ones (docs/mathematics.md, Adaptive softmax),
// with embeddings and projections shared with the adaptive input where the configuration ties them.
class AdaptiveSoftmaxImpl : public torch::nn::Module {
 public:
  AdaptiveSoftmaxImpl(const ModelConfig& config, const AdaptiveInput& input);

  // Sum of -log p(target) over the targets that are not padding. features [n, dim], targets [n].
  // With adaptive.reference_loss, as the reference trains: see the configuration's help.
  at::Tensor loss(const at::Tensor& features, const at::Tensor& targets, const Pass& pass) const;

  // features [..., dim] -> log-probabilities of the whole vocabulary [..., vocab]
  at::Tensor log_probs(const at::Tensor& features) const;

  void initialise(at::Generator& generator);

 private:
  at::Tensor head_logits(const at::Tensor& x) const;
  at::Tensor tail_logits(const at::Tensor& x, size_t tail, const Pass& pass) const;

  AdaptiveConfig config_;
  std::vector<AdaptiveBand> bands_;
  AdaptiveInput input_{nullptr};  // owned by the decoder; unregistered here, for the tied tensors
  Linear head_{nullptr};          // words and clusters, if weights are not tied
  Linear clusters_{nullptr};      // clusters alone, if they are
  std::vector<Linear> tail_projections_;
  std::vector<Linear> tail_words_;
};
TORCH_MODULE(AdaptiveSoftmax);

}  // namespace memsizer::nn
