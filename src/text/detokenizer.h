#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace memsizer::text {

// Text of tokens that come one by one, in pieces that never cut through a character and that together are
// what Tokenizer::decode makes of all tokens. A token costs the same however many came before it.
class Detokenizer {
 public:
  // `tokenizer` must outlive it.
  explicit Detokenizer(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // What one more token makes certain: nothing, as long as it may be the beginning of a character.
  std::string push(int32_t token);

  // What is left at the end.
  std::string finish();

 private:
  void forget_old_tokens(size_t held);

  const Tokenizer& tokenizer_;
  // The last tokens, and before them the anchor: what a token adds to the text depends on no others.
  std::vector<int32_t> window_;
  std::optional<int32_t> anchor_;
  size_t told_ = 0;  // bytes of the window's text
};

}  // namespace memsizer::text
