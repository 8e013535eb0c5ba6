#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/evaluated_model.h"
#include "evaluate/evaluation.h"

// A language model's text is one stream. It is read in windows whose first tokens are context that the window
// before has scored, so that each token counts once.
namespace memsizer::evaluate {

struct StreamProtocol {
  int64_t window = 512;
  int64_t context = 256;  // tokens of a window that are not scored; 0: windows side by side
};

// A token of a stream, as its window found it.
struct ScoredToken {
  double log_probability = 0.0;
  int64_t context = 0;  // tokens of its window before it
};

struct StreamEvaluation {
  Evaluation evaluation;            // nothing is generated
  std::vector<ScoredToken> tokens;  // in the order of the stream; empty where the model tells only the total
};

// A window that the model has no positions for is a UserError.
StreamEvaluation evaluate_stream(EvaluatedModel& model, Tokens stream, const StreamProtocol& protocol,
                                 const OnDone& on_done = nullptr);

}  // namespace memsizer::evaluate
