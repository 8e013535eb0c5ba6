#include "train/losses.h"

#include "core/special_tokens.h"

namespace memsizer::train {
namespace {

// Half precision loses too much in a sum over the vocabulary.
at::Tensor precise(const at::Tensor& logits) {
  const bool half = logits.scalar_type() == at::kHalf || logits.scalar_type() == at::kBFloat16;
  return half ? logits.to(at::kFloat) : logits;
}

}  // namespace

Loss label_smoothed_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon) {
  const at::Tensor log_probs = precise(logits).log_softmax(-1);
  const at::Tensor nll = at::nll_loss(log_probs, targets, {}, at::Reduction::Sum, kPad);
  if (epsilon <= 0.0) return {nll, nll, {}, {}};
  const at::Tensor real = targets.ne(kPad).to(log_probs.scalar_type());
  const at::Tensor spread = -(log_probs.sum(-1) * real).sum();
  const double vocab = static_cast<double>(logits.size(-1));
  return {(1.0 - epsilon) * nll + (epsilon / vocab) * spread, nll, {}, {}};
}

Loss distillation_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon,
                       const Lesson& lesson) {
  const Loss plain = label_smoothed_loss(logits, targets, epsilon);
  const double heat = lesson.temperature;
  const at::Tensor said = (precise(at::linear(lesson.features, lesson.weight)) / heat).softmax(-1).detach();
  const at::Tensor log_probs = (precise(logits) / heat).log_softmax(-1);
  const at::Tensor real = targets.ne(kPad).to(log_probs.scalar_type());
  const at::Tensor teacher = -((said * log_probs).sum(-1) * real).sum();
  return {(1.0 - lesson.share) * plain.value + lesson.share * heat * heat * teacher, plain.nll.detach(),
          plain.value.detach(), teacher.detach()};
}

}  // namespace memsizer::train
