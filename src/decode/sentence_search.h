#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decode/generation.h"

namespace memsizer::decode {

// The beam search of one sentence: a row for each hypothesis that goes on. Hypotheses of probability 0 are
// let go: they could never be finished.
class SentenceSearch : public Generation {
 public:
  // `longest` is that of the output, without its end token.
  SentenceSearch(Request request, const GenerationOptions& options, int64_t vocab, int64_t longest);

  void step(std::span<float> logits, StepScratch& scratch) override;

  // A better hypothesis may begin differently as long as the search goes on.
  std::span<const int32_t> settled() const override { return {}; }

  // The finished hypotheses, at most options.n_best.
  std::vector<Hypothesis> take() override;

 private:
  // A token of a hypothesis and the node before it; hypotheses share their beginnings.
  struct Node {
    int32_t parent = 0;
    int32_t token = 0;
    float score = 0.0F;
  };
  struct Live {
    int32_t node = 0;
    double score = 0.0;  // sum of its tokens' scores
  };

  void offer_row(int64_t hypothesis, std::span<float> row, StepScratch& scratch);
  void offer_token(int64_t hypothesis, int64_t token, StepScratch& scratch);
  void ban_ngrams(int32_t node, std::span<float> row, std::vector<int32_t>& history);
  void continue_with(std::span<const Candidate> candidates);
  Hypothesis finished(const Candidate& candidate) const;

  Request request_;
  GenerationOptions options_;
  size_t vocab_;
  size_t width_;
  int64_t longest_;
  int64_t shortest_;
  int64_t step_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_;
  std::vector<Hypothesis> finished_;
};

}  // namespace memsizer::decode
