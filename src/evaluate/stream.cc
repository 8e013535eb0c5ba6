#include "evaluate/stream.h"

#include "core/error.h"
#include "metrics/perplexity.h"

namespace memsizer::evaluate {

StreamEvaluation evaluate_stream(EvaluatedModel& model, Tokens stream, const StreamProtocol& protocol,
                                 const OnDone& on_done) {
  const int64_t longest = model.longest_target();
  if (longest > 0 && protocol.window > longest)
    throw UserError("window is {}; this model has positions for {} tokens", protocol.window, longest);
  const auto windows =
      text::evaluation_blocks(static_cast<int64_t>(stream.size()), protocol.window, protocol.context);
  const Likelihood found = model.stream_likelihood(stream, windows, on_done);
  metrics::Perplexity perplexity;
  perplexity.add(found.total, static_cast<int64_t>(stream.size()));
  StreamEvaluation result;
  result.evaluation.nll = perplexity.nll();
  result.evaluation.perplexity = perplexity.value();
  result.evaluation.tokens = perplexity.tokens();
  if (found.each.empty()) return result;
  // The windows score every token once, one window after the other: their order is that of the stream.
  for (const text::StreamBlock& window : windows) {
    for (int64_t token = window.score_from; token < window.end; ++token)
      result.tokens.push_back({found.each[result.tokens.size()], token - window.begin});
  }
  return result;
}

}  // namespace memsizer::evaluate
