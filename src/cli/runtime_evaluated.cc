#include "cli/runtime_evaluated.h"

#include <numeric>

#include "engine/batching.h"
#include "engine/likelihood.h"

namespace memsizer::cli {
namespace {

// Sources searched for together.
constexpr int64_t kBatchTokens = 4096;
constexpr int64_t kBatchRows = 64;

evaluate::Likelihood summed(std::vector<double> each) {
  const double total = std::accumulate(each.begin(), each.end(), 0.0);
  return {total, std::move(each)};
}

}  // namespace

std::vector<std::vector<int32_t>> RuntimeEvaluated::generate(std::span<const evaluate::Tokens> sources,
                                                             const evaluate::OnDone& on_done) {
  std::vector<size_t> lengths;
  for (const evaluate::Tokens& source : sources) lengths.push_back(source.size());
  std::vector<std::vector<int32_t>> outputs(sources.size());
  int64_t done = 0;
  for (const std::vector<size_t>& batch : engine::batches_by_length(lengths, kBatchTokens, kBatchRows)) {
    std::vector<engine::Input> inputs;
    for (const size_t i : batch) inputs.push_back({{sources[i].begin(), sources[i].end()}, i});
    std::vector<engine::Result> found = engine::generate(model_, work_, inputs, settings_);
    for (size_t row = 0; row < batch.size(); ++row) {
      if (!found[row].outputs.empty()) outputs[batch[row]] = std::move(found[row].outputs.front().tokens);
    }
    done += static_cast<int64_t>(batch.size());
    if (on_done) on_done(done);
  }
  return outputs;
}

evaluate::Likelihood RuntimeEvaluated::target_likelihood(std::span<const evaluate::Tokens> sources,
                                                         std::span<const evaluate::Tokens> targets) {
  return summed(engine::target_likelihood(model_.model(), work_, sources, targets));
}

evaluate::Likelihood RuntimeEvaluated::stream_likelihood(evaluate::Tokens stream,
                                                         std::span<const text::StreamBlock> windows,
                                                         const evaluate::OnDone& on_done) {
  return summed(engine::stream_likelihood(model_.model(), work_, stream, windows, on_done));
}

}  // namespace memsizer::cli
