#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/bleu.h"

namespace memsizer::metrics {

// Splits lines as sacreBLEU does: lower case if wanted, no white space at the end, the tokenizer, then words
// between white space. Keeps its buffers from line to line.
class LineTokenizer {
 public:
  explicit LineTokenizer(BleuTokenizer tokenizer, bool lowercase = false)
      : tokenizer_(tokenizer), lowercase_(lowercase) {}

  // The tokens of the line; they point into the line or into this object, until the next call.
  std::span<const std::string_view> tokens(std::string_view line);

 private:
  std::string_view tokenize(std::string_view line);

  BleuTokenizer tokenizer_;
  bool lowercase_;
  std::string lowered_;
  std::string text_;
  std::string spare_;
  std::vector<std::string_view> words_;
};

// The tokens with one space between each two, as sacreBLEU shows them.
std::string tokenized(BleuTokenizer tokenizer, std::string_view line);

}  // namespace memsizer::metrics
