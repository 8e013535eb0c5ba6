#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/porter_stemmer.h"
#include "metrics/rouge.h"

namespace memsizer::metrics {

// What the hypothesis and the reference share, and how much each has.
struct RougeHits {
  int64_t hits = 0;
  int64_t hypothesis = 0;
  int64_t reference = 0;
};

// The runs of a-z and 0-9 in a text of lower case, stemmed if longer than three letters.
std::vector<std::string> rouge_words(std::string_view text, std::optional<PorterVariant> stemmer);

// A summary and its reference as numbers, equal for equal words.
class RougePair {
 public:
  // Texts in lower case, a sentence on a line.
  RougePair(std::string_view hypothesis, std::string_view reference, std::optional<PorterVariant> stemmer);

  RougeHits ngrams(size_t order) const;

  // The longest common subsequence of the whole texts.
  RougeHits lcs() const;

  // For each sentence of the reference, what it has in common with any sentence of the hypothesis, each word
  // counted no more often than both texts have it.
  RougeHits summary_lcs() const;

 private:
  std::vector<std::vector<uint32_t>> hypothesis_sentences_;
  std::vector<std::vector<uint32_t>> reference_sentences_;
  std::vector<uint32_t> hypothesis_;
  std::vector<uint32_t> reference_;
};

}  // namespace memsizer::metrics
