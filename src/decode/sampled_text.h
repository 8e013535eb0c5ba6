#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/random.h"
#include "decode/generation.h"

namespace memsizer::decode {

// A text drawn token by token. What is left out for being unlikely is decided in the usual order: repetition
// penalty, temperature, top_k, then top_p.
class SampledText : public Generation {
 public:
  // `longest` is that of the text, an end token included.
  SampledText(Request request, const GenerationOptions& options, int64_t longest);

  void step(std::span<float> row, StepScratch& scratch) override;
  std::span<const int32_t> settled() const override { return text_.tokens; }
  void forget_settled() override;
  std::vector<Hypothesis> take() override;

 private:
  // Makes the logits what the text so far allows.
  void constrain(std::span<float> row) const;

  Request request_;
  GenerationOptions options_;
  int64_t longest_;
  Random random_;
  int64_t length_ = 0;                // of the text so far
  std::vector<int32_t> history_;      // the start token, then those of the text; for n-grams only
  std::unordered_set<int32_t> seen_;  // without the start token, which was not chosen
  Hypothesis text_;
};

}  // namespace memsizer::decode
