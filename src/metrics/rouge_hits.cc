#include "metrics/rouge_hits.h"

#include <unordered_map>
#include <utility>

#include "metrics/lcs.h"
#include "metrics/ngrams.h"

namespace memsizer::metrics {
namespace {

constexpr size_t kShortestStemmed = 4;

bool is_word_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

using Sentences = std::vector<std::vector<std::string>>;

Sentences words_of(std::string_view text, std::optional<PorterVariant> stemmer) {
  Sentences sentences;
  for (const std::string_view line : lines_of(text)) {
    std::vector<std::string> words = rouge_words(line, stemmer);
    if (!words.empty()) sentences.push_back(std::move(words));
  }
  return sentences;
}

std::vector<std::vector<uint32_t>> numbers_of(const Sentences& sentences, WordIds& ids) {
  std::vector<std::vector<uint32_t>> numbers;
  for (const std::vector<std::string>& words : sentences) {
    const std::vector<std::string_view> views(words.begin(), words.end());
    const std::span<const uint32_t> of_sentence = ids.add(views);
    numbers.emplace_back(of_sentence.begin(), of_sentence.end());
  }
  return numbers;
}

std::vector<uint32_t> joined(const std::vector<std::vector<uint32_t>>& sentences) {
  std::vector<uint32_t> all;
  for (const std::vector<uint32_t>& sentence : sentences) {
    all.insert(all.end(), sentence.begin(), sentence.end());
  }
  return all;
}

}  // namespace

std::vector<std::string> rouge_words(std::string_view text, std::optional<PorterVariant> stemmer) {
  std::vector<std::string> words;
  for (size_t start = 0; start < text.size();) {
    size_t end = start;
    while (end < text.size() && is_word_letter(text[end])) ++end;
    const std::string_view word = text.substr(start, end - start);
    if (stemmer && word.size() >= kShortestStemmed) {
      words.push_back(porter_stem(word, *stemmer));
    } else if (!word.empty()) {
      words.emplace_back(word);
    }
    start = end + 1;
  }
  return words;
}

RougePair::RougePair(std::string_view hypothesis, std::string_view reference,
                     std::optional<PorterVariant> stemmer) {
  const Sentences hypothesis_words = words_of(hypothesis, stemmer);
  const Sentences reference_words = words_of(reference, stemmer);
  WordIds ids;
  reference_sentences_ = numbers_of(reference_words, ids);
  hypothesis_sentences_ = numbers_of(hypothesis_words, ids);
  hypothesis_ = joined(hypothesis_sentences_);
  reference_ = joined(reference_sentences_);
}

RougeHits RougePair::ngrams(size_t order) const {
  NgramTable table(order);
  table.add_reference(reference_);
  std::vector<int64_t> matches(order);
  table.match(hypothesis_, matches);
  return {matches.back(), ngram_total(hypothesis_.size(), order), ngram_total(reference_.size(), order)};
}

RougeHits RougePair::lcs() const {
  return {lcs_length(reference_, hypothesis_), static_cast<int64_t>(hypothesis_.size()),
          static_cast<int64_t>(reference_.size())};
}

RougeHits RougePair::summary_lcs() const {
  struct Left {
    int64_t hypothesis = 0;
    int64_t reference = 0;
  };
  std::unordered_map<uint32_t, Left> left;
  for (const uint32_t word : hypothesis_) ++left[word].hypothesis;
  for (const uint32_t word : reference_) ++left[word].reference;
  RougeHits result = {0, static_cast<int64_t>(hypothesis_.size()), static_cast<int64_t>(reference_.size())};
  for (const std::vector<uint32_t>& sentence : reference_sentences_) {
    std::vector<bool> marks(sentence.size());
    for (const std::vector<uint32_t>& other : hypothesis_sentences_) {
      mark_lcs(sentence, other, LcsTie::LeaveReference, marks);
    }
    for (size_t i = 0; i < sentence.size(); ++i) {
      if (!marks[i]) continue;
      Left& of_word = left[sentence[i]];
      if (of_word.hypothesis == 0 || of_word.reference == 0) continue;
      --of_word.hypothesis;
      --of_word.reference;
      ++result.hits;
    }
  }
  return result;
}

}  // namespace memsizer::metrics
