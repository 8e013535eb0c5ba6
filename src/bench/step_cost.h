#pragma once

#include <cstdint>

#include "core/weight_type.h"
#include "model/model_config.h"

namespace memsizer::bench {

// What one step of generation must do, whoever does it: the least that a measurement can be held against.
struct StepCost {
  double weights = 0;      // numbers of weights that each step reads once, whatever the batch
  double row_flops = 0;    // operations a row, weights and state
  double row_numbers = 0;  // numbers of state a row reads or writes

  double weight_bytes(WeightType type) const;

  // The same where only some rows of the output matrix are multiplied with.
  StepCost with_output_rows(const ModelConfig& config, int64_t rows) const;
};

// At a row that has read `position` target tokens and `source` source tokens.
StepCost step_cost(const ModelConfig& config, int64_t position, int64_t source);

}  // namespace memsizer::bench
