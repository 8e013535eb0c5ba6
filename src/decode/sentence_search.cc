#include "decode/sentence_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/special_tokens.h"
#include "decode/limits.h"
#include "decode/ngrams.h"

namespace memsizer::decode {

SentenceSearch::SentenceSearch(const Request& request, const GenerationOptions& options, int64_t vocab,
                               int64_t max_positions, SearchScratch& scratch)
    : request_(&request),
      options_(&options),
      scratch_(&scratch),
      vocab_(static_cast<size_t>(vocab)),
      width_(static_cast<size_t>(std::min(options.beam, vocab - 1))),
      longest_(
          longest_output(options.max_length_ratio, options.max_length, request.source_length, max_positions)),
      // A source too short for the shortest output gets its longest: there would be no output otherwise.
      shortest_(std::min(options.min_length, longest_)),
      nodes_{{.parent = -1, .token = static_cast<int32_t>(kEos)}},
      live_{{.node = 0, .score = 0.0}},
      rows_{{.parent = 0, .token = static_cast<int32_t>(kEos)}} {
  require_tokens(vocab, request.prefix);
}

void SentenceSearch::step(std::span<float> logits) {
  // A beam of one needs no second candidate: the best one either ends the search or goes on.
  scratch_->best.reset(width_ == 1 ? 1 : 2 * width_);
  for (size_t i = 0; i < live_.size(); ++i) {
    offer_row(static_cast<int64_t>(i), logits.subspan(i * vocab_, vocab_));
  }
  continue_with(scratch_->best.sorted());
  ++step_;
}

void SentenceSearch::offer_row(int64_t hypothesis, std::span<float> row) {
  scratch_->scores.read(row, options_->temperature);
  const bool in_prefix = step_ < std::ssize(request_->prefix) && step_ < longest_;
  if (in_prefix) {
    // Taken even where it repeats an n-gram: banning it would leave the sentence without any output.
    const int32_t forced = request_->prefix[static_cast<size_t>(step_)];
    if (forced != kPad) return offer_token(hypothesis, forced);
  }
  if (options_->no_repeat_ngram > 0) ban_ngrams(live_[static_cast<size_t>(hypothesis)].node, row);
  if (step_ == longest_) return offer_token(hypothesis, kEos);
  offer_token(hypothesis, kBos);
  if (in_prefix || step_ >= shortest_) offer_token(hypothesis, kEos);
  offer_token(hypothesis, kUnk);
  scratch_->best.offer_tokens(scratch_->scores, kUnk + 1, hypothesis,
                              live_[static_cast<size_t>(hypothesis)].score);
}

void SentenceSearch::offer_token(int64_t hypothesis, int64_t token) {
  float score = scratch_->scores.score(static_cast<size_t>(token));
  if (token == kUnk) score -= static_cast<float>(options_->unk_penalty);
  scratch_->best.offer({.score = live_[static_cast<size_t>(hypothesis)].score + static_cast<double>(score),
                        .hypothesis = hypothesis,
                        .token = static_cast<int32_t>(token),
                        .token_score = score});
}

void SentenceSearch::ban_ngrams(int32_t node, std::span<float> row) {
  std::vector<int32_t>& history = scratch_->history;
  history.clear();
  for (int32_t at = node; at >= 0; at = nodes_[static_cast<size_t>(at)].parent) {
    history.push_back(nodes_[static_cast<size_t>(at)].token);
  }
  std::ranges::reverse(history);
  ban_repeated_ngrams(history, options_->no_repeat_ngram, row);
}

void SentenceSearch::continue_with(std::span<const Candidate> candidates) {
  std::vector<Live> next;
  rows_.clear();
  for (size_t rank = 0; rank < candidates.size(); ++rank) {
    const Candidate& candidate = candidates[rank];
    if (candidate.token == kEos) {
      if (rank < width_ && finished_.size() < width_) finished_.push_back(finished(candidate));
    } else if (next.size() < width_) {
      const int32_t parent = live_[static_cast<size_t>(candidate.hypothesis)].node;
      next.push_back({.node = static_cast<int32_t>(nodes_.size()), .score = candidate.score});
      nodes_.push_back({.parent = parent, .token = candidate.token, .score = candidate.token_score});
      rows_.push_back({.parent = candidate.hypothesis, .token = candidate.token});
    }
  }
  live_ = std::move(next);
  if (finished_.size() == width_) rows_.clear();
}

Hypothesis SentenceSearch::finished(const Candidate& candidate) const {
  Hypothesis hypothesis;
  hypothesis.tokens.push_back(candidate.token);
  hypothesis.token_scores.push_back(candidate.token_score);
  int32_t at = live_[static_cast<size_t>(candidate.hypothesis)].node;
  for (; nodes_[static_cast<size_t>(at)].parent >= 0; at = nodes_[static_cast<size_t>(at)].parent) {
    hypothesis.tokens.push_back(nodes_[static_cast<size_t>(at)].token);
    hypothesis.token_scores.push_back(nodes_[static_cast<size_t>(at)].score);
  }
  std::ranges::reverse(hypothesis.tokens);
  std::ranges::reverse(hypothesis.token_scores);
  hypothesis.score = candidate.score;
  if (options_->normalize_scores) {
    hypothesis.score /= std::pow(static_cast<double>(hypothesis.tokens.size()), options_->length_penalty);
  }
  return hypothesis;
}

std::vector<Hypothesis> SentenceSearch::take_hypotheses() {
  std::ranges::stable_sort(finished_, std::ranges::greater{}, &Hypothesis::score);
  finished_.resize(std::min(finished_.size(), static_cast<size_t>(options_->n_best)));
  return std::move(finished_);
}

}  // namespace memsizer::decode
