#include "decode/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/special_tokens.h"
#include "core/random.h"
#include "decode/best_candidates.h"
#include "decode/limits.h"
#include "decode/ngrams.h"
#include "decode/row_loop.h"
#include "decode/row_scores.h"

namespace memsizer::decode {
namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();
constexpr double kMaxRepetitionPenalty = 100.0;
constexpr int64_t kMaxTopK = int64_t{1} << 31;
// Tokens sorted for top_p before the whole vocabulary is looked at; most rows of a trained model need fewer.
constexpr size_t kNucleusGuess = 256;

struct Drawn {
  int32_t token = 0;
  float score = 0.0F;
};

struct SampleScratch {
  RowScores scores;
  BestCandidates best;
  std::vector<Candidate> all;
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
std::span<const Candidate> wide_nucleus(SampleScratch& scratch, double mass) {
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
std::span<const Candidate> likely_tokens(const SamplingOptions& options, SampleScratch& scratch) {
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

std::optional<Drawn> draw(const SamplingOptions& options, SampleScratch& scratch, Random& random) {
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

// One request's text as it grows.
class SampledText {
 public:
  SampledText(size_t index, const SampleRequest& request, const SamplingOptions& options, int64_t vocab,
              int64_t max_positions, const OnToken& on_token, SampleScratch& scratch)
      : index_(index),
        request_(&request),
        options_(&options),
        on_token_(&on_token),
        scratch_(&scratch),
        longest_(longest_output(options.max_length_ratio, options.max_length, request.source_length,
                                max_positions)),
        random_(Random::of(static_cast<uint64_t>(options.seed), request.stream)),
        history_{static_cast<int32_t>(kEos)} {
    require_tokens(vocab, request.prefix);
    if (longest_ > 0) rows_.push_back({.parent = 0, .token = static_cast<int32_t>(kEos)});
  }

  std::span<const NextRow> next_rows() const { return rows_; }

  void step(std::span<float> row) {
    rows_.clear();
    const size_t place = sample_.tokens.size();
    const int32_t forced = place < request_->prefix.size() ? request_->prefix[place] : int32_t{kPad};
    const std::optional<Drawn> drawn = forced == kPad ? drawn_token(row) : forced_token(row, forced);
    if (!drawn) {
      sample_.finish = Finish::NoTokens;
      return;
    }
    sample_.tokens.push_back(drawn->token);
    sample_.token_scores.push_back(drawn->score);
    history_.push_back(drawn->token);
    seen_.insert(drawn->token);
    const bool wanted = forced != kPad || !*on_token_ || (*on_token_)(index_, drawn->token);
    if (drawn->token == kEos) {
      sample_.finish = Finish::End;
    } else if (!wanted) {
      sample_.finish = Finish::Stopped;
    } else if (std::ssize(sample_.tokens) < longest_) {
      rows_.push_back({.parent = 0, .token = drawn->token});
    }
  }

  Sample take() { return std::move(sample_); }

 private:
  std::optional<Drawn> forced_token(std::span<float> row, int32_t token) {
    scratch_->scores.read(row, options_->temperature);
    return Drawn{token, scratch_->scores.score(static_cast<size_t>(token))};
  }

  std::optional<Drawn> drawn_token(std::span<float> row) {
    if (options_->repetition_penalty != 1.0) {
      const auto penalty = static_cast<float>(options_->repetition_penalty);
      for (const int32_t token : seen_) {
        float& logit = row[static_cast<size_t>(token)];
        logit = logit > 0.0F ? logit / penalty : logit * penalty;
      }
    }
    row[kPad] = kImpossible;
    if (std::ssize(sample_.tokens) < options_->min_length) row[kEos] = kImpossible;
    if (options_->no_repeat_ngram > 0) ban_repeated_ngrams(history_, options_->no_repeat_ngram, row);
    scratch_->scores.read(row, options_->temperature);
    return draw(*options_, *scratch_, random_);
  }

  size_t index_;
  const SampleRequest* request_;
  const SamplingOptions* options_;
  const OnToken* on_token_;
  SampleScratch* scratch_;
  int64_t longest_;
  Random random_;
  std::vector<int32_t> history_;      // the start token, then those of the sample
  std::unordered_set<int32_t> seen_;  // without the start token, which was not chosen
  std::vector<NextRow> rows_;
  Sample sample_;
};

}  // namespace

void SamplingOptions::validate(const std::string& prefix) const {
  require_temperature(prefix, temperature);
  require_range(prefix, "top_k", top_k, 0, kMaxTopK);
  if (!(top_p > 0.0 && top_p <= 1.0)) {
    throw UserError("{}.top_p is {}; it must be above 0 and at most 1", prefix, top_p);
  }
  require_range(prefix, "repetition_penalty", repetition_penalty, 1.0 / kMaxRepetitionPenalty,
                kMaxRepetitionPenalty);
  require_ngram(prefix, no_repeat_ngram);
  require_lengths(prefix, max_length_ratio, max_length, min_length);
}

std::vector<Sample> sample(StepModel& model, const std::vector<SampleRequest>& requests,
                           const SamplingOptions& options, int64_t max_positions, const OnToken& on_token) {
  options.validate("sampling");
  SampleScratch scratch;
  std::vector<SampledText> texts;
  texts.reserve(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    texts.emplace_back(i, requests[i], options, model.vocab(), max_positions, on_token, scratch);
  }
  run_rows(model, texts);
  std::vector<Sample> samples;
  samples.reserve(texts.size());
  for (SampledText& text : texts) samples.push_back(text.take());
  return samples;
}

}  // namespace memsizer::decode
