#include "metrics/chrf.h"

#include <cmath>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "metrics/chrf_statistics.h"
#include "metrics/corpus_check.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"

namespace memsizer::metrics {
namespace {

constexpr int64_t kMaxOrder = 100;

void check_order(const char* name, int64_t order) {
  if (order < 0 || order > kMaxOrder) {
    throw UserError("found a chrF {} order of {}; it must be from 0 to {}", name, order, kMaxOrder);
  }
}

void check_options(const ChrfOptions& options) {
  check_order("character", options.char_order);
  check_order("word", options.word_order);
  if (options.char_order + options.word_order == 0) {
    throw UserError("found chrF orders of 0 for characters and words; set at least one of them");
  }
  if (!(options.beta > 0.0) || std::isinf(options.beta)) {
    throw UserError("found a chrF beta of {}; it must be greater than 0", options.beta);
  }
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// One line as chrF sees it: its characters without white space, and its words with one punctuation mark taken
// off the end, or else off the beginning.
class Segment {
 public:
  explicit Segment(const ChrfOptions& options) : options_(options) {}

  void read(std::string_view line) {
    if (options_.lowercase) {
      lowered_ = lowercase(line);
      line = lowered_;
    }
    plain_words_.clear();
    split_words(line, plain_words_);
    characters_.clear();
    if (options_.char_order > 0) {
      for (const std::string_view word : plain_words_) {
        for (size_t at = 0; at < word.size();) characters_.push_back(next_character(word, at));
      }
    }
    words_.clear();
    if (options_.word_order > 0) {
      for (const std::string_view word : plain_words_) add_word(word);
    }
  }

  std::span<const uint32_t> characters() const { return characters_; }
  std::span<const std::string_view> words() const { return words_; }

 private:
  void add_word(std::string_view word) {
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      words_.push_back(word.substr(0, word.size() - 1));
      words_.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      words_.push_back(word.substr(0, 1));
      words_.push_back(word.substr(1));
    } else {
      words_.push_back(word);
    }
  }

  const ChrfOptions& options_;
  std::string lowered_;
  std::vector<std::string_view> plain_words_;
  std::vector<uint32_t> characters_;
  std::vector<std::string_view> words_;
};

class ChrfMatcher {
 public:
  explicit ChrfMatcher(const ChrfOptions& options)
      : char_orders_(static_cast<size_t>(options.char_order)),
        word_orders_(static_cast<size_t>(options.word_order)),
        characters_(char_orders_),
        words_(word_orders_) {}

  void compare(const Segment& hypothesis, const Segment& reference, ChrfStatistics& statistics) {
    statistics.orders.clear();
    count(characters_, char_orders_, hypothesis.characters(), reference.characters(), statistics);
    if (word_orders_ == 0) return;
    ids_.clear();
    const std::span<const uint32_t> ids = ids_.add(reference.words());
    reference_ids_.assign(ids.begin(), ids.end());
    count(words_, word_orders_, ids_.find(hypothesis.words()), reference_ids_, statistics);
  }

 private:
  void count(NgramTable& table, size_t orders, std::span<const uint32_t> hypothesis,
             std::span<const uint32_t> reference, ChrfStatistics& statistics) {
    table.clear();
    table.add_reference(reference);
    matches_.resize(orders);
    table.match(hypothesis, matches_);
    for (size_t i = 0; i < orders; ++i) {
      const int64_t of_reference = ngram_total(reference.size(), i + 1);
      // n-grams that could not be right do not count as wrong.
      const int64_t of_hypothesis = of_reference > 0 ? ngram_total(hypothesis.size(), i + 1) : 0;
      statistics.orders.push_back({of_hypothesis, of_reference, matches_[i]});
    }
  }

  size_t char_orders_;
  size_t word_orders_;
  NgramTable characters_;
  NgramTable words_;
  WordIds ids_;
  std::vector<uint32_t> reference_ids_;
  std::vector<int64_t> matches_;
};

}  // namespace

ChrfStatistics& ChrfStatistics::operator+=(const ChrfStatistics& other) {
  orders.resize(other.orders.size());
  for (size_t i = 0; i < orders.size(); ++i) {
    orders[i].hypothesis += other.orders[i].hypothesis;
    orders[i].reference += other.orders[i].reference;
    orders[i].matches += other.orders[i].matches;
  }
  return *this;
}

void for_each_chrf_segment(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references, const ChrfOptions& options,
                           const std::function<void(const ChrfStatistics&)>& visit) {
  check_options(options);
  check_corpus(hypotheses, references);
  Segment hypothesis(options);
  Segment reference(options);
  ChrfMatcher matcher(options);
  ChrfStatistics statistics;
  ChrfStatistics best;
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    hypothesis.read(hypotheses[line]);
    double best_score = -1.0;
    for (const std::vector<std::string>& set : references) {
      reference.read(set[line]);
      matcher.compare(hypothesis, reference, statistics);
      const double score = chrf_score(statistics, options.beta);
      if (score > best_score) {
        best_score = score;
        std::swap(best, statistics);
      }
    }
    visit(best);
  }
}

double chrf_score(const ChrfStatistics& statistics, double beta) {
  const double factor = beta * beta;
  double precision = 0.0;
  double recall = 0.0;
  int64_t effective_order = 0;
  for (const ChrfCounts& counts : statistics.orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matches) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matches) / static_cast<double>(counts.reference);
    ++effective_order;
  }
  if (effective_order == 0 || precision + recall == 0.0) return 0.0;
  precision /= static_cast<double>(effective_order);
  recall /= static_cast<double>(effective_order);
  return 100.0 * ((1.0 + factor) * precision * recall / (factor * precision + recall));
}

double chrf(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
            const ChrfOptions& options) {
  ChrfStatistics sum;
  for_each_chrf_segment(hypotheses, references, options,
                        [&](const ChrfStatistics& segment) { sum += segment; });
  return chrf_score(sum, options.beta);
}

}  // namespace memsizer::metrics
