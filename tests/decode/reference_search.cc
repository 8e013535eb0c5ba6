#include "decode/reference_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/special_tokens.h"

namespace memsizer::decode::testing {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

struct Partial {
  std::vector<int32_t> tokens = {static_cast<int32_t>(kEos)};  // with the start token
  std::vector<float> scores;
  double sum = 0.0;
  uint64_t state = 0;
};

struct Choice {
  size_t from = 0;
  int32_t token = 0;
  float score = 0.0F;
  double sum = 0.0;
};

bool completes_seen_ngram(const std::vector<int32_t>& tokens, int32_t token, size_t n) {
  std::vector<int32_t> longer = tokens;
  longer.push_back(token);
  if (longer.size() < n) return false;
  const std::vector<int32_t> last(longer.end() - static_cast<std::ptrdiff_t>(n), longer.end());
  return std::search(tokens.begin(), tokens.end(), last.begin(), last.end()) != tokens.end();
}

}  // namespace

std::vector<float> plain_log_softmax(std::span<const float> logits, double temperature) {
  double sum = 0.0;
  for (const float logit : logits) {
    if (!std::isnan(logit)) sum += std::exp(static_cast<double>(logit) / temperature);
  }
  std::vector<float> scores;
  for (const float logit : logits) {
    const double score = static_cast<double>(logit) / temperature - std::log(sum);
    scores.push_back(std::isnan(logit) ? kNever : static_cast<float>(score));
  }
  return scores;
}

std::vector<Hypothesis> reference_search(const HashLogits& logits, uint64_t sentence, const Request& request,
                                         const GenerationOptions& options, int64_t max_positions,
                                         const LogSoftmax& log_softmax) {
  const auto vocab = static_cast<size_t>(logits.vocab);
  const size_t width = std::min(static_cast<size_t>(options.beam), vocab - 1);
  auto longest = static_cast<int64_t>(options.max_length_ratio * static_cast<double>(request.source_length) +
                                      static_cast<double>(options.max_length));
  if (max_positions > 0) longest = std::min(longest, max_positions - 1);
  std::vector<Partial> beam(1);
  beam[0].state = logits.start(sentence);
  std::vector<Hypothesis> finished;
  for (int64_t step = 0; step <= longest && finished.size() < width; ++step) {
    std::vector<Choice> choices;
    for (size_t from = 0; from < beam.size(); ++from) {
      beam[from].state = logits.after(beam[from].state, beam[from].tokens.back());
      std::vector<float> row(vocab);
      logits.fill(beam[from].state, row);
      std::vector<float> scores = log_softmax(row, options.temperature);
      scores[kPad] = kNever;
      scores[kUnk] -= static_cast<float>(options.unk_penalty);
      const bool in_prefix = step < std::ssize(request.prefix) && step < longest;
      const int64_t forced = in_prefix ? request.prefix[static_cast<size_t>(step)] : kPad;
      for (size_t token = 0; token < vocab; ++token) {
        const bool is_end = token == static_cast<size_t>(kEos);
        if (step == longest && !is_end) scores[token] = kNever;
        if (in_prefix && forced != kPad && token != static_cast<size_t>(forced)) scores[token] = kNever;
        if (!in_prefix && step < std::min(options.min_length, longest) && is_end) scores[token] = kNever;
        if (options.no_repeat_ngram > 0 && forced == kPad &&
            completes_seen_ngram(beam[from].tokens, static_cast<int32_t>(token),
                                 static_cast<size_t>(options.no_repeat_ngram))) {
          scores[token] = kNever;
        }
        choices.push_back({.from = from,
                           .token = static_cast<int32_t>(token),
                           .score = scores[token],
                           .sum = beam[from].sum + static_cast<double>(scores[token])});
      }
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.sum > b.sum; });
    choices.resize(std::min(choices.size(), 2 * width));
    std::vector<Partial> next;
    for (size_t rank = 0; rank < choices.size(); ++rank) {
      const Choice& choice = choices[rank];
      Partial longer = beam[choice.from];
      longer.tokens.push_back(choice.token);
      longer.scores.push_back(choice.score);
      longer.sum = choice.sum;
      if (choice.token != kEos) {
        if (next.size() < width) next.push_back(longer);
      } else if (rank < width && finished.size() < width && std::isfinite(choice.sum)) {
        const double length = static_cast<double>(step + 1);
        finished.push_back({.tokens = {longer.tokens.begin() + 1, longer.tokens.end()},
                            .score = options.normalize_scores
                                         ? choice.sum / std::pow(length, options.length_penalty)
                                         : choice.sum,
                            .token_scores = longer.scores});
      }
    }
    beam = next;
  }
  std::stable_sort(finished.begin(), finished.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  finished.resize(std::min(finished.size(), static_cast<size_t>(options.n_best)));
  return finished;
}

}  // namespace memsizer::decode::testing
