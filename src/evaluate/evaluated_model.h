#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "text/batches.h"

namespace memsizer::evaluate {

using Tokens = std::span<const int32_t>;

// Told how many examples, or tokens of a stream, are done.
using OnDone = std::function<void(int64_t done)>;

// How likely a model finds some texts, as natural logarithms.
struct Likelihood {
  double total = 0.0;
  std::vector<double> each;  // of each text, or each scored token of a stream; empty: only the total is known
};

// A model that can be evaluated: the one in training with LibTorch, or one of a file in the runtime. It only
// computes, in batches of its own choice; what is computed is the same for all of them (pairs.h, stream.h).
class EvaluatedModel {
 public:
  virtual ~EvaluatedModel() = default;

  // Tokens that the model's positions have room for, end token included; 0: any number.
  virtual int64_t longest_source() const = 0;
  virtual int64_t longest_target() const = 0;

  // The best output for each source, with its end token; empty where the model finds none. `on_done` may be
  // null.
  virtual std::vector<std::vector<int32_t>> generate(std::span<const Tokens> sources,
                                                     const OnDone& on_done) = 0;

  // How likely each target is, given its source.
  virtual Likelihood target_likelihood(std::span<const Tokens> sources, std::span<const Tokens> targets) = 0;

  // How likely the tokens of a stream are that the windows score, in the order of the windows. Each window
  // starts anew.
  virtual Likelihood stream_likelihood(Tokens stream, std::span<const text::StreamBlock> windows,
                                       const OnDone& on_done) = 0;
};

}  // namespace memsizer::evaluate
