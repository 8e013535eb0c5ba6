#include "engine/prompt_text.h"

#include <algorithm>

#include "core/special_tokens.h"
#include "core/utf8.h"

namespace memsizer::engine {
namespace {

constexpr size_t kPartBytes = 8 << 10;

// The length of the next part of a line: up to a space if there is one.
size_t part_of(std::string_view line) {
  if (line.size() <= kPartBytes) return line.size();
  const size_t space = line.rfind(' ', kPartBytes);
  if (space != std::string_view::npos && space > 0) return space;
  return std::max<size_t>(1, whole_characters(line, kPartBytes).size());
}

void encode_line(const TextModel& model, std::string_view line, std::vector<int32_t>& tokens) {
  while (!line.empty()) {
    const size_t part = part_of(line);
    model.tokenizer().encode(line.substr(0, part), tokens);
    line.remove_prefix(part);
  }
}

}  // namespace

std::vector<int32_t> prompt_tokens(const TextModel& model, std::string_view text) {
  std::vector<int32_t> tokens;
  for (;;) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    encode_line(model, line, tokens);
    if (end == std::string_view::npos) return tokens;
    tokens.push_back(static_cast<int32_t>(kEos));
    text.remove_prefix(end + 1);
  }
}

}  // namespace memsizer::engine
