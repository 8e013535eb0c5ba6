#pragma once

#include <torch/torch.h>

namespace memsizer::train {

// Summed over the targets that are not padding, in nats.
struct Loss {
  at::Tensor value;  // what is differentiated
  at::Tensor nll;    // without smoothing: what perplexity is made of
};

// Label-smoothed cross-entropy (spec section 6): (1 - epsilon) nll + epsilon/V times the sum of -log p over
// all V classes, target and padding included. logits [n, vocab], targets [n]; epsilon 0 is plain
// cross-entropy.
Loss label_smoothed_loss(const at::Tensor& logits, const at::Tensor& targets, double epsilon);

}  // namespace memsizer::train
