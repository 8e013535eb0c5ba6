#include "text/detokenizer.h"

#include <algorithm>
#include <string_view>

#include "text/special_tokens.h"

namespace memsizer::text {
namespace {

// A character has up to four bytes, each of which may be a token of its own.
constexpr size_t kKeptTokens = 8;
constexpr size_t kLongestWindow = 3 * kKeptTokens;

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Bytes of text that no later token changes. Tokens of single bytes show as U+FFFD until their character is
// complete, which needs one byte more than three at most.
size_t certain_bytes(std::string_view text) {
  std::string_view certain = text;
  for (int i = 0; i < 3 && certain.ends_with(kReplacement); ++i) certain.remove_suffix(kReplacement.size());
  return certain.size();
}

}  // namespace

std::string Detokenizer::push(int32_t token) {
  if (is_control(token)) return {};
  if (!anchor_) {
    const std::string alone = tokenizer_.decode(std::span(&token, 1));
    if (!alone.empty() && alone.find(kReplacement) == std::string::npos) anchor_ = token;
  }
  window_.push_back(token);
  const std::string text = tokenizer_.decode(window_);
  const size_t certain = std::max(told_, certain_bytes(text));
  std::string piece = text.substr(told_, certain - told_);
  told_ = certain;
  if (window_.size() > kLongestWindow) forget_old_tokens(text.size() - told_);
  return piece;
}

std::string Detokenizer::finish() {
  std::string text = tokenizer_.decode(window_);
  return told_ < text.size() ? text.substr(told_) : std::string();
}

// Text begins without the space that words have before them, and tokens of single bytes may begin in the
// middle of a character: the window's text differs from the whole text there, and only there.
void Detokenizer::forget_old_tokens(size_t held) {
  std::vector<int32_t> kept;
  if (anchor_) kept.push_back(*anchor_);
  kept.insert(kept.end(), window_.end() - kKeptTokens, window_.end());
  const size_t bytes = tokenizer_.decode(kept).size();
  if (bytes <= held) return;
  window_ = std::move(kept);
  told_ = bytes - held;
}

}  // namespace memsizer::text
