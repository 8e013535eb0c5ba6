#include "evaluate/fake_model.h"

#include <numeric>

namespace memsizer::testing {
namespace {

std::vector<int32_t> copy_of(evaluate::Tokens tokens) {
  return {tokens.begin(), tokens.end()};
}

double log_probability(evaluate::Tokens tokens) {
  return -std::accumulate(tokens.begin(), tokens.end(), 0.0) / 8.0;
}

}  // namespace

evaluate::Likelihood FakeModel::told(std::vector<double> each) const {
  const double total = std::accumulate(each.begin(), each.end(), 0.0);
  if (!tells_each_) each.clear();
  return {total, std::move(each)};
}

std::vector<std::vector<int32_t>> FakeModel::generate(std::span<const evaluate::Tokens> sources,
                                                      const evaluate::OnDone& on_done) {
  std::vector<std::vector<int32_t>> outputs;
  for (const evaluate::Tokens& source : sources) {
    generated.push_back(copy_of(source));
    outputs.push_back(copy_of(source));
    if (on_done) on_done(static_cast<int64_t>(outputs.size()));
  }
  return outputs;
}

evaluate::Likelihood FakeModel::target_likelihood(std::span<const evaluate::Tokens> sources,
                                                  std::span<const evaluate::Tokens> targets) {
  std::vector<double> each;
  for (size_t i = 0; i < sources.size(); ++i) {
    read.push_back(copy_of(sources[i]));
    targets_read.push_back(copy_of(targets[i]));
    each.push_back(log_probability(targets[i]));
  }
  return told(each);
}

evaluate::Likelihood FakeModel::stream_likelihood(evaluate::Tokens stream,
                                                  std::span<const text::StreamBlock> windows,
                                                  const evaluate::OnDone& on_done) {
  std::vector<double> each;
  for (const text::StreamBlock& window : windows) {
    for (int64_t token = window.score_from; token < window.end; ++token)
      each.push_back(log_probability(stream.subspan(static_cast<size_t>(token), 1)));
    if (on_done) on_done(window.end);
  }
  return told(each);
}

}  // namespace memsizer::testing
