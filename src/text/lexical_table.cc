#include "text/lexical_table.h"

#include <algorithm>

namespace memsizer::text {

LexicalTable::LexicalTable(const TokenPairs& pairs, int64_t source_vocab, int64_t target_vocab)
    : pairs_(pairs),
      pairs_of_source_(static_cast<size_t>(source_vocab)),
      translations_(static_cast<size_t>(source_vocab)),
      laid_out_(static_cast<size_t>(target_vocab)),
      counts_(static_cast<size_t>(target_vocab)) {
  for (size_t pair = 0; pair < pairs.size(); ++pair) {
    for (const int32_t token : pairs.source(pair))
      pairs_of_source_[static_cast<size_t>(token)].push_back(static_cast<uint32_t>(pair));
  }
  std::vector<size_t> last_source(static_cast<size_t>(target_vocab), translations_.size());
  for (size_t source = 0; source < translations_.size(); ++source) {
    std::vector<Translation>& translations = translations_[source];
    for (const uint32_t pair : pairs_of_source_[source]) {
      for (const int32_t target : pairs.target(pair)) {
        if (last_source[static_cast<size_t>(target)] == source) continue;
        last_source[static_cast<size_t>(target)] = source;
        translations.push_back({.target = target, .probability = 1.0F / static_cast<float>(target_vocab)});
      }
    }
    std::ranges::sort(translations, {}, &Translation::target);
  }
}

void LexicalTable::lay_out(size_t source) {
  for (const Translation& translation : translations_[source])
    laid_out_[static_cast<size_t>(translation.target)] = translation.probability;
}

void LexicalTable::improve() {
  // Of each target token in the corpus: the probabilities that the tokens of its source give it, together.
  std::vector<float> sums(pairs_.targets().size());
  for (size_t source = 0; source < translations_.size(); ++source) {
    lay_out(source);
    for (const uint32_t pair : pairs_of_source_[source]) {
      float* sum = sums.data() + pairs_.target_begin(pair);
      for (const int32_t target : pairs_.target(pair)) *sum++ += laid_out_[static_cast<size_t>(target)];
    }
  }
  for (size_t source = 0; source < translations_.size(); ++source) {
    lay_out(source);
    for (const Translation& translation : translations_[source])
      counts_[static_cast<size_t>(translation.target)] = 0.0F;
    for (const uint32_t pair : pairs_of_source_[source]) {
      const float* sum = sums.data() + pairs_.target_begin(pair);
      for (const int32_t target : pairs_.target(pair)) {
        const auto at = static_cast<size_t>(target);
        if (*sum > 0.0F) counts_[at] += laid_out_[at] / *sum;
        ++sum;
      }
    }
    double total = 0.0;
    for (const Translation& translation : translations_[source])
      total += static_cast<double>(counts_[static_cast<size_t>(translation.target)]);
    for (Translation& translation : translations_[source]) {
      const auto count = static_cast<double>(counts_[static_cast<size_t>(translation.target)]);
      translation.probability = total > 0.0 ? static_cast<float>(count / total) : 0.0F;
    }
  }
}

float LexicalTable::probability(int32_t source, int32_t target) const {
  const std::vector<Translation>& translations = translations_[static_cast<size_t>(source)];
  const auto found = std::ranges::lower_bound(translations, target, {}, &Translation::target);
  return found != translations.end() && found->target == target ? found->probability : 0.0F;
}

std::vector<int32_t> LexicalTable::best(int32_t source, int64_t count) const {
  std::vector<Translation> sorted = translations_[static_cast<size_t>(source)];
  const auto kept = std::min(sorted.size(), static_cast<size_t>(count));
  const auto likelier = [](const Translation& a, const Translation& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  };
  std::ranges::partial_sort(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(kept), likelier);
  std::vector<int32_t> best;
  for (size_t i = 0; i < kept; ++i) best.push_back(sorted[i].target);
  return best;
}

}  // namespace memsizer::text
