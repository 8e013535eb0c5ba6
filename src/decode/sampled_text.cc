#include "decode/sampled_text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "decode/ngrams.h"

namespace memsizer::decode {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();
// Tokens sorted for top_p before the whole vocabulary is looked at; most rows of a trained model need fewer.
constexpr size_t kNucleusGuess = 256;

struct Drawn {
  int32_t token = 0;
  float score = 0.0F;
};

double probability(float score) {
  return std::exp(static_cast<double>(score));
}

double mass_of(std::span<const Candidate> candidates) {
  double mass = 0.0;
  for (const Candidate& candidate : candidates) mass += probability(candidate.token_score);
  return mass;
}

// The fewest of `candidates`, best first, that have at least this much probability.
std::span<const Candidate> nucleus(std::span<const Candidate> candidates, double mass) {
  double sum = 0.0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    sum += probability(candidates[i].token_score);
    if (sum >= mass) return candidates.first(i + 1);
  }
  return candidates;
}

// The nucleus of the whole vocabulary, by token: halves it again and again instead of sorting it.
std::span<const Candidate> wide_nucleus(StepScratch& scratch, double mass) {
  std::vector<Candidate>& all = scratch.all;
  all.clear();
  for (size_t token = 0; token < scratch.scores.tokens(); ++token) {
    const float score = scratch.scores.score(token);
    if (score == kImpossible) continue;
    all.push_back({.token = static_cast<int32_t>(token), .token_score = score});
  }
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.token_score != b.token_score ? a.token_score > b.token_score : a.token < b.token;
  };
  auto first = all.begin();
  auto last = all.end();
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, likelier);
    const double upper = mass_of({first, middle});
    if (upper >= mass) {
      last = middle;
    } else {
      mass -= upper;
      first = middle;
    }
  }
  all.erase(last, all.end());
  // The order within the halves is the library's; a draw must not depend on it.
  std::ranges::sort(all, {}, &Candidate::token);
  return all;
}

// The tokens that top_k and top_p leave to draw from, in an order that depends on the row alone.
std::span<const Candidate> likely_tokens(const GenerationOptions& options, StepScratch& scratch) {
  const auto best = [&](size_t count) {
    scratch.best.reset(count);
    scratch.best.offer_tokens(scratch.scores, 0, 0, 0.0);
    return scratch.best.sorted();
  };
  const size_t vocab = scratch.scores.tokens();
  if (options.top_k > 0) {
    const auto candidates = best(std::min(static_cast<size_t>(options.top_k), vocab));
    return options.top_p < 1.0 ? nucleus(candidates, options.top_p * mass_of(candidates)) : candidates;
  }
  const auto candidates = best(std::min(kNucleusGuess, vocab));
  if (vocab <= kNucleusGuess || mass_of(candidates) >= options.top_p) {
    return nucleus(candidates, options.top_p);
  }
  return wide_nucleus(scratch, options.top_p);
}

std::vector<Alternative> likeliest(int64_t count, StepScratch& scratch) {
  scratch.best.reset(std::min(static_cast<size_t>(count), scratch.scores.tokens()));
  scratch.best.offer_tokens(scratch.scores, 0, 0, 0.0);
  std::vector<Alternative> found;
  for (const Candidate& candidate : scratch.best.sorted())
    found.push_back({candidate.token, candidate.token_score});
  return found;
}

std::optional<Drawn> draw(const GenerationOptions& options, StepScratch& scratch, Random& random) {
  std::optional<Drawn> last;
  // Where rounding leaves the target beyond the sum, the last possible token is it.
  if (options.top_k == 0 && options.top_p >= 1.0) {
    double target = random.uniform();
    for (size_t token = 0; token < scratch.scores.tokens(); ++token) {
      const float score = scratch.scores.score(token);
      if (score == kImpossible) continue;
      last = Drawn{static_cast<int32_t>(token), score};
      target -= probability(score);
      if (target < 0.0) break;
    }
    return last;
  }
  const auto candidates = likely_tokens(options, scratch);
  double target = random.uniform() * mass_of(candidates);
  for (const Candidate& candidate : candidates) {
    last = Drawn{candidate.token, candidate.token_score};
    target -= probability(candidate.token_score);
    if (target < 0.0) break;
  }
  return last;
}

}  // namespace

SampledText::SampledText(Request request, const GenerationOptions& options, int64_t longest)
    : request_(std::move(request)),
      options_(options),
      longest_(longest),
      random_(Random::of(static_cast<uint64_t>(options.seed), request_.stream)),
      history_{request_.start_token} {
  text_.finish = Finish::Length;
  if (longest_ > 0) rows_.push_back({.parent = 0, .token = request_.start_token});
}

void SampledText::step(std::span<float> row, StepScratch& scratch) {
  rows_.clear();
  const auto place = static_cast<size_t>(length_);
  const int32_t forced = place < request_.prefix.size() ? request_.prefix[place] : int32_t{kPad};
  if (forced == kPad) constrain(row);
  scratch.scores.read(row, options_.temperature);
  if (request_.alternatives > 0) text_.alternatives.push_back(likeliest(request_.alternatives, scratch));
  const std::optional<Drawn> drawn = forced == kPad
                                         ? draw(options_, scratch, random_)
                                         : Drawn{forced, scratch.scores.score(static_cast<size_t>(forced))};
  if (!drawn) {
    text_.finish = Finish::NoTokens;
    if (request_.alternatives > 0) text_.alternatives.pop_back();
    return;
  }
  text_.tokens.push_back(drawn->token);
  text_.token_scores.push_back(drawn->score);
  text_.score += drawn->score;
  ++length_;
  if (options_.no_repeat_ngram > 0) history_.push_back(drawn->token);
  seen_.insert(drawn->token);
  if (drawn->token == kEos) {
    text_.finish = Finish::End;
  } else if (length_ < longest_) {
    rows_.push_back({.parent = 0, .token = drawn->token});
  }
}

void SampledText::constrain(std::span<float> row) const {
  if (options_.repetition_penalty != 1.0) {
    const auto penalty = static_cast<float>(options_.repetition_penalty);
    for (const int32_t token : seen_) {
      float& logit = row[static_cast<size_t>(token)];
      logit = logit > 0.0F ? logit / penalty : logit * penalty;
    }
  }
  row[kPad] = kImpossible;
  if (length_ < options_.min_length) row[kEos] = kImpossible;
  if (options_.no_repeat_ngram > 0) ban_repeated_ngrams(history_, options_.no_repeat_ngram, row);
}

void SampledText::forget_settled() {
  text_.forgotten += std::ssize(text_.tokens);
  text_.tokens.clear();
  text_.token_scores.clear();
  text_.alternatives.clear();
}

std::vector<Hypothesis> SampledText::take() {
  if (stopped()) text_.finish = Finish::Stopped;
  std::vector<Hypothesis> only;
  only.push_back(std::move(text_));
  return only;
}

}  // namespace memsizer::decode
