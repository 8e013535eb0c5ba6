#pragma once

#include <torch/torch.h>

namespace memsizer::nn {

// How many tokens each row of a batch has read, for causal mixers that count them. Padding before a row's
// first token does not count; padding after its last token cannot reach any real output and is left alone, as
// in the authors' code.
struct TokenCounts {
  at::Tensor before;     // tokens read before these [batch], undefined at the start
  at::Tensor positions;  // of each token, from 1: [time, batch or 1], of the tokens' type
  at::Tensor after;      // tokens read including these [batch]
  at::Tensor skipped;    // padding before a row's first token [batch, time], undefined: none
};

// Of x [time, batch, dim] with its padding [batch, time] (or undefined), after `before` others.
TokenCounts count_tokens(const at::Tensor& x, const at::Tensor& padding, const at::Tensor& before);

}  // namespace memsizer::nn
