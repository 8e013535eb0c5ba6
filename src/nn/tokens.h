#pragma once

#include <torch/torch.h>

#include <string_view>

namespace memsizer::nn {

// Token ids as a model takes them: [batch, time], integers from 0 to vocab - 1, at least one token that is
// not padding in each row. Anything else is a UserError.
void check_tokens(const at::Tensor& tokens, int64_t vocab, std::string_view name);

// [batch, time], true at padding; undefined if there is none.
at::Tensor padding_of(const at::Tensor& tokens);

}  // namespace memsizer::nn
