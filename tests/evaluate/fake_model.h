#pragma once

#include <string>
#include <vector>

#include "evaluate/evaluated_model.h"

namespace memsizer::testing {

// A model that repeats its sources, finds a token t likely as exp(-t / 8), and keeps what it was asked.
class FakeModel : public evaluate::EvaluatedModel {
 public:
  // As the runtime's models do, or only sums as the trainer's.
  explicit FakeModel(bool tells_each) : tells_each_(tells_each) {}

  int64_t longest_source() const override { return positions; }
  int64_t longest_target() const override { return positions; }

  std::vector<std::vector<int32_t>> generate(std::span<const evaluate::Tokens> sources,
                                             const evaluate::OnDone& on_done) override;
  evaluate::Likelihood target_likelihood(std::span<const evaluate::Tokens> sources,
                                         std::span<const evaluate::Tokens> targets) override;
  evaluate::Likelihood stream_likelihood(evaluate::Tokens stream, std::span<const text::StreamBlock> windows,
                                         const evaluate::OnDone& on_done) override;

  int64_t positions = 0;
  std::vector<std::vector<int32_t>> generated;  // the sources it was to generate for
  std::vector<std::vector<int32_t>> read;       // the sources of the targets
  std::vector<std::vector<int32_t>> targets_read;

 private:
  evaluate::Likelihood told(std::vector<double> each) const;

  bool tells_each_;
};

}  // namespace memsizer::testing
