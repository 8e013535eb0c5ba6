#include "nn/adaptive_softmax.h"

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

AdaptiveSoftmaxImpl::AdaptiveSoftmaxImpl(const ModelConfig& config, const AdaptiveInput& input)
    : config_(config.adaptive), bands_(input->bands()), input_(input) {
  const auto tails = static_cast<int64_t>(bands_.size()) - 1;
  if (config_.tie_weights) {
    const auto head = register_module("head", std::make_shared<torch::nn::Module>());
    clusters_ = head->register_module("class_proj", Linear(config.dim, tails, /*with_bias=*/false));
  } else {
    head_ = register_module("head", Linear(config.dim, bands_[0].size() + tails, /*with_bias=*/false));
  }
  const auto list = register_module("tail", std::make_shared<torch::nn::Module>());
  for (int64_t i = 0; i < tails; ++i) {
    const AdaptiveBand& band = bands_[i + 1];
    const auto tail = list->register_module(std::to_string(i), std::make_shared<torch::nn::Module>());
    if (!config_.tie_projections) {
      tail_projections_.push_back(
          tail->register_module("0", Linear(config.dim, band.width, /*with_bias=*/false)));
    }
    if (!config_.tie_weights) {
      tail_words_.push_back(tail->register_module("2", Linear(band.width, band.size(), /*with_bias=*/false)));
    }
  }
}

void AdaptiveSoftmaxImpl::initialise(at::Generator& generator) {
  for (const Tensor& weight : parameters()) xavier_uniform(weight, 1.0, generator);
}

Tensor AdaptiveSoftmaxImpl::head_logits(const Tensor& x) const {
  if (head_) return head_->forward(x);
  return at::cat({at::linear(x, input_->embedding(0)), clusters_->forward(x)}, -1);
}

Tensor AdaptiveSoftmaxImpl::tail_logits(const Tensor& x, size_t tail, const Pass& pass) const {
  const Tensor narrow = config_.tie_projections ? at::matmul(x, input_->projection(tail + 1))
                                                : tail_projections_[tail]->forward(x);
  const Tensor& words = config_.tie_weights ? input_->embedding(tail + 1) : tail_words_[tail]->weight;
  return at::linear(pass.dropout(narrow, config_.dropout), words);
}

Tensor AdaptiveSoftmaxImpl::loss(const Tensor& features, const Tensor& targets, const Pass& pass) const {
  const Tensor x = pass.dropout(features, config_.dropout);
  const int64_t head_words = bands_[0].size();
  Tensor head_targets = targets.clone();
  std::vector<Tensor> tail_rows;
  for (size_t i = 0; i + 1 < bands_.size(); ++i) {
    const AdaptiveBand& band = bands_[i + 1];
    const Tensor in_band = targets.ge(band.begin).logical_and(targets.lt(band.end));
    head_targets.masked_fill_(in_band, head_words + static_cast<int64_t>(i));
    tail_rows.push_back(in_band.nonzero().squeeze(1));
  }
  Tensor loss = at::nll_loss(head_logits(x).log_softmax(-1), head_targets, {}, at::Reduction::Sum, kPad);
  for (size_t i = 0; i < tail_rows.size(); ++i) {
    if (tail_rows[i].numel() == 0) continue;
    const Tensor log_probs = tail_logits(x.index_select(0, tail_rows[i]), i, pass).log_softmax(-1);
    const Tensor relative = targets.index_select(0, tail_rows[i]) - bands_[i + 1].begin;
    // The reference applies "ignore padding" to ids within the tail too, where 1 is an ordinary token.
    const int64_t ignored = config_.reference_loss ? kPad : -100;
    loss = loss + at::nll_loss(log_probs, relative, {}, at::Reduction::Sum, ignored);
  }
  return loss;
}

Tensor AdaptiveSoftmaxImpl::log_probs(const Tensor& features) const {
  const int64_t head_words = bands_[0].size();
  const Tensor head = head_logits(features).log_softmax(-1);
  std::vector<Tensor> parts{head.slice(-1, 0, head_words)};
  for (size_t i = 0; i + 1 < bands_.size(); ++i) {
    const auto cluster = head_words + static_cast<int64_t>(i);
    parts.push_back(tail_logits(features, i, Pass{}).log_softmax(-1) + head.slice(-1, cluster, cluster + 1));
  }
  return at::cat(parts, -1);
}

}  // namespace memsizer::nn
