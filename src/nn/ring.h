#pragma once

#include <torch/torch.h>

// The newest tokens of a sequence, kept in a ring: of `size` rows, token t is in row t modulo size.
namespace memsizer::nn {

// The ring [batch, size, dim] in the order of the tokens, the newest last, as [size, batch, dim]; `count`
// [batch] is how many tokens were read.
at::Tensor in_order(const at::Tensor& ring, const at::Tensor& count);

// Back: the newest rows of a sequence [at least size, batch, dim] as a ring, `count` including them.
at::Tensor as_ring(const at::Tensor& tokens, int64_t size, const at::Tensor& count);

}  // namespace memsizer::nn
