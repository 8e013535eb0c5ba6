#pragma once

#include <memory>
#include <vector>

#include "decode/generation.h"

namespace memsizer::decode {

// A generation that chooses among some tokens. The one inside knows them by their places in the list, as if
// they were the whole vocabulary; the special tokens are the same in both.
class ListedGeneration : public Generation {
 public:
  // `inside` has a vocabulary of the list's size.
  ListedGeneration(std::unique_ptr<Generation> inside, TokenList among);

  void step(std::span<float> logits, StepScratch& scratch) override;
  std::span<const int32_t> settled() const override { return settled_; }
  std::vector<Hypothesis> take() override;

 private:
  int32_t token_at(int32_t place) const { return (*among())[static_cast<size_t>(place)]; }
  void take_over();

  std::unique_ptr<Generation> inside_;
  std::vector<int32_t> settled_;
};

// The request with its tokens as places in the list. Throws UserError if the list is none that a request can
// have, or lacks a token of the request.
Request in_places(Request request, const std::vector<int32_t>& list, int64_t vocab);

}  // namespace memsizer::decode
