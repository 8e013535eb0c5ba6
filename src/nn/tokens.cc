#include "nn/tokens.h"

#include <sstream>

#include "core/error.h"
#include "core/special_tokens.h"

namespace memsizer::nn {

void check_tokens(const at::Tensor& tokens, int64_t vocab, std::string_view name) {
  if (!tokens.defined() || tokens.dim() != 2 || tokens.numel() == 0 || tokens.scalar_type() != at::kLong) {
    std::ostringstream found;
    if (tokens.defined()) found << tokens.sizes() << " of " << c10::toString(tokens.scalar_type());
    throw UserError("{} tokens are {}; expected [batch, time] of 64-bit integers, at least one of each", name,
                    tokens.defined() ? found.str() : "missing");
  }
  const int64_t low = tokens.min().item<int64_t>();
  const int64_t high = tokens.max().item<int64_t>();
  if (low < 0 || high >= vocab) {
    throw UserError("{} tokens hold id {}; the vocabulary has ids 0 to {}", name, low < 0 ? low : high,
                    vocab - 1);
  }
  const at::Tensor empty_rows = tokens.eq(kPad).all(1);
  if (empty_rows.any().item<bool>()) {
    throw UserError("row {} of the {} tokens is all padding; every sequence needs at least one token",
                    empty_rows.nonzero()[0].item<int64_t>(), name);
  }
}

at::Tensor padding_of(const at::Tensor& tokens) {
  const at::Tensor padding = tokens.eq(kPad);
  return padding.any().item<bool>() ? padding : at::Tensor();
}

}  // namespace memsizer::nn
