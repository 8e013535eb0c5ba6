#include "engine/shortlist_maker.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "text/lexical_table.h"

namespace memsizer::engine {
namespace {

// More steps make the likely translations likelier, but hardly change which they are.
constexpr int kSteps = 5;
constexpr uint64_t kSampleSeed = 1;

std::vector<int32_t> most_frequent(std::span<const int32_t> tokens, int64_t vocab, int64_t count) {
  std::vector<int64_t> seen(static_cast<size_t>(vocab));
  for (const int32_t token : tokens) ++seen[static_cast<size_t>(token)];
  std::vector<int32_t> order(seen.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](int32_t token) { return seen[static_cast<size_t>(token)]; });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  return order;
}

}  // namespace

void ShortlistOptions::validate() const {
  const auto require = [](const char* name, int64_t value, int64_t low) {
    constexpr int64_t kMost = 1 << 20;
    if (value < low || value > kMost)
      throw UserError("{} is {}; it must be from {} to {}", name, value, low, kMost);
  };
  require("best", best, 1);
  require("frequent", frequent, 0);
}

text::TokenPairs token_pairs(const TextModel& model, text::ExampleReader& reader, int64_t most_pairs) {
  // Of a larger corpus an even sample: each pair is in it with the same probability.
  std::vector<text::Example> sample;
  Random random = Random::of(kSampleSeed);
  uint64_t seen = 0;
  for (text::Example example; reader.next(example);) {
    ++seen;
    if (std::ssize(sample) < most_pairs) {
      sample.push_back(std::move(example));
    } else if (const uint64_t slot = random.below(seen); slot < sample.size()) {
      sample[slot] = std::move(example);
    }
  }
  text::TokenPairs pairs;
  std::vector<int32_t> target;
  for (const text::Example& example : sample) {
    target.clear();
    model.tokenizer().encode(example.target, target);
    pairs.add(model.encode(example.source), target);
  }
  return pairs;
}

Shortlist make_shortlist(const TextModel& model, const text::TokenPairs& pairs,
                         const ShortlistOptions& options) {
  options.validate();
  const ModelConfig& config = model.description().config;
  const int64_t sources = config.source_vocab_size();
  text::LexicalTable table(pairs, sources, config.vocab);
  for (int step = 0; step < kSteps; ++step) table.improve();
  const bool one_vocabulary = model.description().source_tokenizer.empty();
  std::vector<std::vector<int32_t>> likely;
  for (int32_t source = 0; source < sources; ++source) {
    likely.push_back(table.best(source, options.best));
    if (one_vocabulary) likely.back().push_back(source);
  }
  return {most_frequent(pairs.targets(), config.vocab, options.frequent), likely};
}

ShortlistCoverage coverage_of(const Shortlist& shortlist, const text::TokenPairs& pairs) {
  ShortlistCoverage coverage;
  if (pairs.size() == 0 || pairs.targets().empty()) return coverage;
  int64_t covered = 0;
  for (size_t pair = 0; pair < pairs.size(); ++pair) {
    const std::vector<int32_t> candidates = shortlist.candidates(pairs.source(pair));
    coverage.candidates += static_cast<double>(candidates.size()) / static_cast<double>(pairs.size());
    covered += std::ranges::count_if(
        pairs.target(pair), [&](int32_t token) { return std::ranges::binary_search(candidates, token); });
  }
  coverage.covered = static_cast<double>(covered) / static_cast<double>(pairs.targets().size());
  return coverage;
}

}  // namespace memsizer::engine
