#include "cli/runtime_evaluated.h"

#include <algorithm>
#include <numeric>

#include "engine/generator.h"
#include "engine/likelihood.h"

namespace memsizer::cli {
namespace {

// Sources between two words of progress.
constexpr size_t kSlice = 1024;

evaluate::Likelihood summed(std::vector<double> each) {
  const double total = std::accumulate(each.begin(), each.end(), 0.0);
  return {total, std::move(each)};
}

}  // namespace

std::vector<std::vector<int32_t>> RuntimeEvaluated::generate(std::span<const evaluate::Tokens> sources,
                                                             const evaluate::OnDone& on_done) {
  engine::Generator generator(model_, {.threads = threads_});
  std::vector<std::vector<int32_t>> outputs;
  while (outputs.size() < sources.size()) {
    const size_t begin = outputs.size();
    const size_t end = std::min(sources.size(), begin + kSlice);
    std::vector<engine::Request> requests;
    for (size_t i = begin; i < end; ++i) {
      requests.push_back({.input = std::vector<int32_t>(sources[i].begin(), sources[i].end()),
                          .options = options_,
                          .stream = i,
                          .on_text = nullptr,
                          .on_done = nullptr});
    }
    for (engine::Result& result : generator.generate(std::move(requests))) {
      outputs.emplace_back();
      if (!result.outputs.empty()) outputs.back() = std::move(result.outputs.front().tokens);
    }
    if (on_done) on_done(static_cast<int64_t>(outputs.size()));
  }
  return outputs;
}

evaluate::Likelihood RuntimeEvaluated::target_likelihood(std::span<const evaluate::Tokens> sources,
                                                         std::span<const evaluate::Tokens> targets) {
  return summed(engine::target_likelihood(model_.model(), *work_, sources, targets));
}

evaluate::Likelihood RuntimeEvaluated::stream_likelihood(evaluate::Tokens stream,
                                                         std::span<const text::StreamBlock> windows,
                                                         const evaluate::OnDone& on_done) {
  return summed(engine::stream_likelihood(model_.model(), *work_, stream, windows, on_done));
}

}  // namespace memsizer::cli
