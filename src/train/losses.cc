#include "train/losses.h"

#include "core/special_tokens.h"

namespace memsizer::train {

Loss label_smoothed_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon) {
  // Half precision loses too much in a sum over the vocabulary.
  const bool half = logits.scalar_type() == at::kHalf || logits.scalar_type() == at::kBFloat16;
  const at::Tensor log_probs = (half ? logits.to(at::kFloat) : logits).log_softmax(-1);
  const at::Tensor nll = at::nll_loss(log_probs, targets, {}, at::Reduction::Sum, kPad);
  if (epsilon <= 0.0) return {nll, nll};
  const at::Tensor real = targets.ne(kPad).to(log_probs.scalar_type());
  const at::Tensor spread = -(log_probs.sum(-1) * real).sum();
  const double vocab = static_cast<double>(logits.size(-1));
  return {(1.0 - epsilon) * nll + (epsilon / vocab) * spread, nll};
}

}  // namespace memsizer::train
