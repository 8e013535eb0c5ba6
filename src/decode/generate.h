#pragma once

#include <cstdint>
#include <vector>

#include "decode/generation.h"
#include "decode/step_model.h"

namespace memsizer::decode {

// Generates for all requests together, with a model that starts with one row for each: beam search with
// fairseq's semantics (docs/mathematics.md, Beam search), or drawing at random. Best hypotheses first.
// max_positions bounds the output of models with learned positions; 0 is no bound. A sentence for which the
// model gives no output any probability (all NaN or -inf) has no hypothesis in a search.
std::vector<std::vector<Hypothesis>> generate(StepModel& model, const std::vector<Request>& requests,
                                              const GenerationOptions& options, int64_t max_positions = 0);

}  // namespace memsizer::decode
