#include "train/evaluation.h"

#include <algorithm>

#include "decode/generate.h"
#include "evaluate/pairs.h"
#include "evaluate/stream.h"

namespace memsizer::train {
namespace {

using evaluate::Likelihood;
using evaluate::OnDone;

// Rows of a search, beams counted: enough to fill the matrix products, small enough for the cache.
constexpr int64_t kSearchRows = 256;

// The model in training, computed by LibTorch in padded batches. Only sums of likelihoods are known.
class TorchEvaluated : public evaluate::EvaluatedModel {
 public:
  TorchEvaluated(TaskModel& model, const Recipe& recipe, int64_t beam)
      : model_(model),
        recipe_(recipe),
        options_(recipe.generation),
        device_(model.module().parameters().front().device()) {
    options_.beam = beam;
    options_.n_best = 1;
    options_.sample = false;
  }

  int64_t longest_source() const override { return memsizer::longest_source(model_.config()); }
  int64_t longest_target() const override { return memsizer::longest_target(model_.config()); }

  std::vector<std::vector<int32_t>> generate(std::span<const Tokens> sources,
                                             const OnDone& on_done) override {
    text::BatchOptions batching;
    batching.max_tokens = recipe_.training.max_tokens;
    batching.max_sentences = std::max<int64_t>(1, kSearchRows / options_.beam);
    const auto length = [&](int64_t i) -> std::pair<int64_t, int64_t> {
      return {static_cast<int64_t>(sources[static_cast<size_t>(i)].size()), 1};
    };
    std::vector<std::vector<int32_t>> outputs(sources.size());
    int64_t done = 0;
    for (const text::Batch& batch :
         text::evaluation_batches(static_cast<int64_t>(sources.size()), length, batching)) {
      const auto step_model = model_.start(source_batch(chosen(sources, batch)).to(device_));
      std::vector<decode::Request> requests;
      for (const int64_t i : batch) requests.push_back({length(i).first, {}});
      auto found = decode::generate(*step_model, requests, options_, longest_target());
      for (size_t row = 0; row < batch.size(); ++row) {
        // A model gone wrong (all probabilities NaN) finds nothing: an empty line.
        if (!found[row].empty()) outputs[static_cast<size_t>(batch[row])] = found[row].front().tokens;
      }
      done += static_cast<int64_t>(batch.size());
      if (on_done) on_done(done);
    }
    return outputs;
  }

  Likelihood target_likelihood(std::span<const Tokens> sources, std::span<const Tokens> targets) override {
    text::BatchOptions batching;
    batching.max_tokens = recipe_.training.max_tokens;
    const auto length = [&](int64_t i) -> std::pair<int64_t, int64_t> {
      const auto at = static_cast<size_t>(i);
      return {static_cast<int64_t>(sources[at].size()), static_cast<int64_t>(targets[at].size())};
    };
    Likelihood sum;
    for (const text::Batch& batch :
         text::evaluation_batches(static_cast<int64_t>(sources.size()), length, batching))
      add(pair_batch(chosen(sources, batch), chosen(targets, batch)), sum);
    return sum;
  }

  Likelihood stream_likelihood(Tokens stream, std::span<const text::StreamBlock> windows,
                               const OnDone& on_done) override {
    const auto rows =
        static_cast<size_t>(std::max<int64_t>(1, recipe_.training.max_tokens / recipe_.validation.window));
    Likelihood sum;
    for (size_t begin = 0; begin < windows.size(); begin += rows) {
      const auto some = windows.subspan(begin, std::min(rows, windows.size() - begin));
      add(stream_batch(stream, some), sum);
      if (on_done) on_done(some.back().end);
    }
    return sum;
  }

 private:
  static std::vector<Tokens> chosen(std::span<const Tokens> all, const text::Batch& batch) {
    std::vector<Tokens> some;
    for (const int64_t i : batch) some.push_back(all[static_cast<size_t>(i)]);
    return some;
  }

  void add(TokenBatch batch, Likelihood& sum) {
    if (batch.source.defined()) batch.source = batch.source.to(device_);
    batch.input = batch.input.to(device_);
    batch.targets = batch.targets.to(device_);
    sum.total -= model_.loss(batch, 0.0, nullptr, nn::Pass{}).nll.item<double>();
  }

  TaskModel& model_;
  const Recipe& recipe_;
  GenerationOptions options_;
  at::Device device_;
};

}  // namespace

Evaluation evaluate(TaskModel& model, const EvaluationSet& set, const TrainingData& data,
                    const Recipe& recipe, int64_t sentences, int64_t beam) {
  const torch::NoGradGuard no_grad;
  TorchEvaluated evaluated(model, recipe, beam);
  if (recipe.is_language_model()) {
    const evaluate::StreamProtocol protocol{.window = recipe.validation.window,
                                            .context = recipe.validation.context};
    return evaluate::evaluate_stream(evaluated, set.corpus.stream(), protocol).evaluation;
  }
  const evaluate::Pairs pairs{
      .sources = set.sources,
      .references = set.references,
      .source_tokens = [&](size_t i) { return set.corpus.source(static_cast<int64_t>(i)); },
      .target_tokens = [&](size_t i) { return set.corpus.target(static_cast<int64_t>(i)); }};
  evaluate::PairProtocol protocol;
  protocol.max_source_tokens = recipe.data.max_source_tokens;
  protocol.sentences = sentences;
  protocol.metrics = metrics::text_metrics(metrics::recorded_metrics(recipe.task.kind));
  protocol.scoring.tokenizer = recipe.validation.tokenizer;
  return evaluate::evaluate_pairs(evaluated, *data.tokenizer, pairs, protocol).evaluation;
}

std::vector<report::SampleOutput> samples_of(const Evaluation& evaluation, const EvaluationSet& set,
                                             int64_t count) {
  std::vector<report::SampleOutput> samples;
  const auto most = std::min<size_t>(static_cast<size_t>(count), evaluation.outputs.size());
  for (size_t i = 0; i < most; ++i) {
    samples.push_back({set.sources[i], set.references[i], evaluation.outputs[i]});
  }
  return samples;
}

}  // namespace memsizer::train
