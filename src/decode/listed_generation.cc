#include "decode/listed_generation.h"

#include <algorithm>

#include "core/error.h"

namespace memsizer::decode {
namespace {

int32_t place_of(int32_t token, const std::vector<int32_t>& list) {
  const auto found = std::ranges::lower_bound(list, token);
  if (found == list.end() || *found != token)
    throw UserError("token {} of the request is none of the {} that it may choose among", token, list.size());
  return static_cast<int32_t>(found - list.begin());
}

}  // namespace

Request in_places(Request request, const std::vector<int32_t>& list, int64_t vocab) {
  const bool rising = std::ranges::adjacent_find(list, std::ranges::greater_equal{}) == list.end();
  const bool special = list.size() > kUnk && list[kUnk] == kUnk;
  if (!rising || !special || list.front() < 0 || list.back() >= vocab) {
    throw UserError("a request's list of {} tokens does not rise from the special tokens to at most {}",
                    list.size(), vocab - 1);
  }
  request.start_token = place_of(request.start_token, list);
  for (int32_t& token : request.prefix) token = place_of(token, list);
  return request;
}

ListedGeneration::ListedGeneration(std::unique_ptr<Generation> inside, TokenList among)
    : Generation(std::move(among)), inside_(std::move(inside)) {
  take_over();
}

void ListedGeneration::take_over() {
  rows_.clear();
  for (const NextRow& row : inside_->next_rows())
    rows_.push_back({.parent = row.parent, .token = token_at(row.token)});
  const std::span<const int32_t> settled = inside_->settled();
  for (size_t i = settled_.size(); i < settled.size(); ++i) settled_.push_back(token_at(settled[i]));
}

void ListedGeneration::step(std::span<float> logits, StepScratch& scratch) {
  inside_->step(logits, scratch);
  take_over();
}

std::vector<Hypothesis> ListedGeneration::take() {
  if (stopped()) inside_->stop();
  std::vector<Hypothesis> found = inside_->take();
  for (Hypothesis& hypothesis : found) {
    for (int32_t& token : hypothesis.tokens) token = token_at(token);
    for (auto& alternatives : hypothesis.alternatives) {
      for (Alternative& alternative : alternatives) alternative.token = token_at(alternative.token);
    }
  }
  return found;
}

}  // namespace memsizer::decode
