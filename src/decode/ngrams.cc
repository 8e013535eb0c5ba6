#include "decode/ngrams.h"

#include <algorithm>
#include <limits>

namespace memsizer::decode {

void ban_repeated_ngrams(std::span<const int32_t> history, int64_t n, std::span<float> row) {
  const auto context_length = static_cast<size_t>(n) - 1;
  if (history.size() <= context_length) return;
  const auto context = history.last(context_length);
  for (size_t next = context_length; next < history.size(); ++next) {
    if (std::ranges::equal(history.subspan(next - context_length, context_length), context)) {
      row[static_cast<size_t>(history[next])] = -std::numeric_limits<float>::infinity();
    }
  }
}

}  // namespace memsizer::decode
