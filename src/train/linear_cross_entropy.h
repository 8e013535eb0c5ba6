#pragma once

#include "train/losses.h"

namespace memsizer::train {

// label_smoothed_loss of the logits features · weightᵀ, which are never held all at once: they are made,
// turned into their gradient and used in blocks that stay in the cache, and padded rows are left out.
// features [n, dim], weight [vocab, dim], targets [n]. With a lesson it is distillation_loss, and the
// teacher's logits are made in the same blocks.
Loss linear_cross_entropy(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& targets,
                          double epsilon, const Lesson* lesson = nullptr);

}  // namespace memsizer::train
