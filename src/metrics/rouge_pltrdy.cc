#include "metrics/rouge_pltrdy.h"

#include <algorithm>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "metrics/lcs.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace memsizer::metrics {
namespace {

// Numbers of words, a list for each sentence.
using Sentences = std::vector<std::vector<uint32_t>>;

Sentences sentences_of(std::string_view text, WordIds& ids) {
  Sentences sentences;
  std::vector<std::string_view> words;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('.', start), text.size());
    if (end > start) {
      words.clear();
      split_words(text.substr(start, end - start), words);
      // White space alone is a sentence of one empty word.
      if (words.empty()) words.emplace_back();
      const std::span<const uint32_t> numbers = ids.add(words);
      sentences.emplace_back(numbers.begin(), numbers.end());
    }
    start = end + 1;
  }
  return sentences;
}

void check_side(const char* side, const Sentences& sentences) {
  if (sentences.empty()) {
    throw UserError("found a {} without any sentence; this form of ROUGE needs words on both sides", side);
  }
}

std::set<std::vector<uint32_t>> distinct_ngrams(const Sentences& sentences, size_t order) {
  std::vector<uint32_t> words;
  for (const std::vector<uint32_t>& sentence : sentences) {
    words.insert(words.end(), sentence.begin(), sentence.end());
  }
  std::set<std::vector<uint32_t>> ngrams;
  for (size_t end = order; end <= words.size(); ++end) {
    const auto last = words.begin() + static_cast<std::ptrdiff_t>(end);
    ngrams.emplace(last - static_cast<std::ptrdiff_t>(order), last);
  }
  return ngrams;
}

RougeValue value_of(size_t hits, size_t hypothesis, size_t reference) {
  const auto ratio = [](size_t part, size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  RougeValue value;
  value.precision = ratio(hits, hypothesis);
  value.recall = ratio(hits, reference);
  // The package's guard against a division by zero, which all its values carry.
  constexpr double kGuard = 1e-8;
  value.f1 = 2.0 * (value.precision * value.recall / (value.precision + value.recall + kGuard));
  return value;
}

RougeValue rouge_n(const Sentences& hypothesis, const Sentences& reference, size_t order) {
  const auto ours = distinct_ngrams(hypothesis, order);
  const auto theirs = distinct_ngrams(reference, order);
  const auto shared =
      std::count_if(ours.begin(), ours.end(), [&](const auto& ngram) { return theirs.contains(ngram); });
  return value_of(static_cast<size_t>(shared), ours.size(), theirs.size());
}

RougeValue rouge_l(const Sentences& hypothesis, const Sentences& reference) {
  std::set<uint32_t> common;
  for (const std::vector<uint32_t>& sentence : reference) {
    std::vector<bool> marks(sentence.size());
    for (const std::vector<uint32_t>& other : hypothesis) {
      mark_lcs(sentence, other, LcsTie::LeaveHypothesis, marks);
    }
    for (size_t i = 0; i < sentence.size(); ++i) {
      if (marks[i]) common.insert(sentence[i]);
    }
  }
  return value_of(common.size(), distinct_ngrams(hypothesis, 1).size(), distinct_ngrams(reference, 1).size());
}

}  // namespace

PltrdyRougeScore rouge_pltrdy(const std::string& hypothesis, const std::string& reference) {
  WordIds ids;
  const Sentences hypothesis_sentences = sentences_of(hypothesis, ids);
  const Sentences reference_sentences = sentences_of(reference, ids);
  check_side("hypothesis", hypothesis_sentences);
  check_side("reference", reference_sentences);
  return {.rouge1 = rouge_n(hypothesis_sentences, reference_sentences, 1),
          .rouge2 = rouge_n(hypothesis_sentences, reference_sentences, 2),
          .rouge_l = rouge_l(hypothesis_sentences, reference_sentences)};
}

}  // namespace memsizer::metrics
