#pragma once

#include "engine/generation.h"
#include "evaluate/evaluated_model.h"

namespace memsizer::cli {

// A model file in the runtime, as it is evaluated: each text and token has its own likelihood.
class RuntimeEvaluated : public evaluate::EvaluatedModel {
 public:
  // `model` must outlive it.
  RuntimeEvaluated(const engine::TextModel& model, const engine::GenerationSettings& settings, int threads)
      : model_(model), settings_(settings), work_(threads) {}

  int64_t longest_source() const override { return model_.model().longest_source(); }
  int64_t longest_target() const override { return model_.model().longest_target(); }

  std::vector<std::vector<int32_t>> generate(std::span<const evaluate::Tokens> sources,
                                             const evaluate::OnDone& on_done) override;
  evaluate::Likelihood target_likelihood(std::span<const evaluate::Tokens> sources,
                                         std::span<const evaluate::Tokens> targets) override;
  evaluate::Likelihood stream_likelihood(evaluate::Tokens stream, std::span<const text::StreamBlock> windows,
                                         const evaluate::OnDone& on_done) override;

 private:
  const engine::TextModel& model_;
  engine::GenerationSettings settings_;
  runtime::Work work_;
};

}  // namespace memsizer::cli
