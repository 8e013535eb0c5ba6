#pragma once

#include <torch/torch.h>

namespace memsizer::train {

// Summed over the targets that are not padding, in nats.
struct Loss {
  at::Tensor value;  // what is differentiated
  at::Tensor nll;    // without smoothing: what perplexity is made of
  // With a teacher, the parts of the value; undefined without one.
  at::Tensor smoothed;  // label-smoothed cross-entropy
  at::Tensor teacher;   // cross-entropy to the teacher's distribution
};

// What a teacher says of the same targets. Its logits are features · weightᵀ, [n, dim] and [vocab, dim] of
// its own width.
struct Lesson {
  at::Tensor features;
  at::Tensor weight;
  double share = 0.0;        // w: of the teacher in the loss
  double temperature = 1.0;  // T: both sides' logits are divided by it
};

// Label-smoothed cross-entropy (docs/mathematics.md, Loss): (1 - epsilon) nll + epsilon/V times the sum of
// -log p over all V classes, target and padding included. logits [n, vocab], targets [n]; epsilon 0 is plain
// cross-entropy.
Loss label_smoothed_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon);

// Word-level distillation: (1 - w) times the label-smoothed loss + w T² times the cross-entropy between the
// teacher's and the model's distributions at temperature T; T² makes up for the gradient, which T divides.
Loss distillation_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon,
                       const Lesson& lesson);

}  // namespace memsizer::train
