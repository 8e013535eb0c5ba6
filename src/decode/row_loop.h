#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decode/generation.h"
#include "decode/step_model.h"

namespace memsizer::decode {

// The requests that one model generates for at the moment, step by step: between any two steps some can join
// and others leave.
class RowLoop {
 public:
  // `model` must outlive it, and have a row for each request that joins, in their order.
  explicit RowLoop(StepModel& model) : model_(model) {}

  // Its row must be the model's last; rows of requests that left may come before it until the next step. The
  // request must outlive its stay. One that is done already leaves with the next step.
  void join(Generation& generation);

  bool empty() const { return live_.empty(); }
  size_t requests() const { return live_.size(); }

  // One token for each request; those that are done leave. What a request's own step throws becomes its
  // error. What the model throws is thrown on, and leaves the model's rows in no known state.
  void step();

  // Those that are done, or were stopped, leave now.
  void drop_done();

  // All leave, and the model was made to have no rows.
  void restart() {
    live_.clear();
    model_rows_ = 0;
  }

 private:
  struct Live {
    Generation* generation = nullptr;
    size_t first = 0;  // of its rows in the model
    size_t rows = 1;
  };

  // Parents, tokens and groups of the next step. True if the model's rows stay as they are.
  bool lay_out();
  // The logits of all requests' rows, one request after the other.
  std::span<float> advance();

  StepModel& model_;
  std::vector<Live> live_;
  size_t model_rows_ = 0;  // those of requests that left included
  std::vector<int64_t> parents_;
  std::vector<int32_t> tokens_;
  std::vector<RowGroup> groups_;
  StepScratch scratch_;
};

}  // namespace memsizer::decode
