#include "train/evaluation.h"

#include <algorithm>
#include <cmath>

#include "core/clock.h"
#include "core/error.h"
#include "decode/generate.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/rouge.h"

namespace memsizer::train {
namespace {

// Rows of a search, beams counted: enough to fill the matrix products, small enough for the cache.
constexpr int64_t kSearchRows = 256;

metrics::BleuTokenizer bleu_tokenizer(ScoreTokenizer tokenizer) {
  switch (tokenizer) {
    case ScoreTokenizer::V13a:
      return metrics::BleuTokenizer::V13a;
    case ScoreTokenizer::Zh:
      return metrics::BleuTokenizer::Zh;
    case ScoreTokenizer::None:
      return metrics::BleuTokenizer::None;
    case ScoreTokenizer::Char:
      return metrics::BleuTokenizer::Char;
    case ScoreTokenizer::Intl:
      return metrics::BleuTokenizer::Intl;
  }
  return metrics::BleuTokenizer::V13a;
}

text::BatchOptions evaluation_options(const Recipe& recipe) {
  text::BatchOptions options;
  options.max_tokens = recipe.training.max_tokens;
  return options;
}

std::vector<TokenBatch> batches_of(const text::TokenCorpus& corpus, const Recipe& recipe) {
  std::vector<TokenBatch> batches;
  if (recipe.is_language_model()) {
    const auto blocks = text::evaluation_blocks(static_cast<int64_t>(corpus.stream().size()),
                                                recipe.validation.window, recipe.validation.context);
    const auto rows =
        static_cast<size_t>(std::max<int64_t>(1, recipe.training.max_tokens / recipe.validation.window));
    for (size_t begin = 0; begin < blocks.size(); begin += rows) {
      const std::span<const text::StreamBlock> some(blocks.data() + begin,
                                                    std::min(rows, blocks.size() - begin));
      batches.push_back(stream_batch(corpus.stream(), some));
    }
    return batches;
  }
  const auto length = [&](int64_t i) -> std::pair<int64_t, int64_t> {
    return {static_cast<int64_t>(corpus.source(i).size()), static_cast<int64_t>(corpus.target(i).size())};
  };
  for (const text::Batch& batch :
       text::evaluation_batches(corpus.size(), length, evaluation_options(recipe))) {
    batches.push_back(pair_batch(corpus, batch));
  }
  return batches;
}

void score(Evaluation& evaluation, const std::vector<std::string>& references, const Recipe& recipe) {
  const std::vector<std::string> some(references.begin(),
                                      references.begin() + static_cast<int64_t>(evaluation.outputs.size()));
  const std::vector<std::vector<std::string>> sets = {some};
  if (recipe.task.kind == TaskKind::Summarization) {
    const metrics::RougeScore rouge = metrics::corpus_rouge(evaluation.outputs, some, {.stemmer = true});
    evaluation.scores = {{"rouge1", 100.0 * rouge.rouge1.f1},
                         {"rouge2", 100.0 * rouge.rouge2.f1},
                         {"rougeL", 100.0 * rouge.rouge_l.f1}};
  }
  metrics::BleuOptions options;
  options.tokenizer = bleu_tokenizer(recipe.validation.tokenizer);
  evaluation.scores.emplace_back("bleu", metrics::bleu(evaluation.outputs, sets, options).score);
  evaluation.scores.emplace_back("chrf", metrics::chrf(evaluation.outputs, sets));
}

}  // namespace

double Evaluation::quality(ValidationMetric metric) const {
  const auto named = [&](std::string_view name) {
    for (const auto& [key, value] : scores) {
      if (key == name) return value;
    }
    throw UserError("validation.metric asks for {}, which this task does not have; use bleu, chrf or loss",
                    name);
  };
  switch (metric) {
    case ValidationMetric::Loss:
      return -nll;
    case ValidationMetric::Bleu:
      return named("bleu");
    case ValidationMetric::Chrf:
      return named("chrf");
    case ValidationMetric::Rouge:
      return (named("rouge1") + named("rouge2") + named("rougeL")) / 3.0;
  }
  return -nll;
}

std::vector<std::string> generate_text(TaskModel& model, const text::TokenCorpus& corpus,
                                       const text::Tokenizer& tokenizer, const Recipe& recipe,
                                       int64_t sentences, int64_t beam, int64_t* generated_tokens) {
  GenerationOptions options = recipe.generation;
  options.beam = beam;
  options.n_best = 1;
  const int64_t count = sentences > 0 ? std::min(sentences, corpus.size()) : corpus.size();
  text::BatchOptions batching = evaluation_options(recipe);
  batching.max_sentences = std::max<int64_t>(1, kSearchRows / beam);
  const auto length = [&](int64_t i) -> std::pair<int64_t, int64_t> {
    return {static_cast<int64_t>(corpus.source(i).size()), 1};
  };
  const ModelConfig& config = model.config();
  const int64_t max_positions =
      config.embedding.positions == PositionTable::Learned ? config.embedding.max_positions : 0;
  std::vector<std::string> outputs(static_cast<size_t>(count));
  for (const text::Batch& batch : text::evaluation_batches(count, length, batching)) {
    const auto device = model.module().parameters().front().device();
    const auto step_model = model.start(source_batch(corpus, batch).to(device));
    std::vector<decode::Request> requests;
    for (const int64_t i : batch) requests.push_back({static_cast<int64_t>(corpus.source(i).size()), {}});
    const auto found = decode::generate(*step_model, requests, options, max_positions);
    for (size_t row = 0; row < batch.size(); ++row) {
      // A model gone wrong (all probabilities NaN) finds nothing: an empty line.
      if (found[row].empty()) continue;
      const std::vector<int32_t>& tokens = found[row].front().tokens;
      outputs[batch[row]] = tokenizer.decode(tokens);
      if (generated_tokens) *generated_tokens += static_cast<int64_t>(tokens.size());
    }
  }
  return outputs;
}

Evaluation evaluate(TaskModel& model, const EvaluationSet& set, const TrainingData& data,
                    const Recipe& recipe, int64_t sentences, int64_t beam) {
  const torch::NoGradGuard no_grad;
  Evaluation evaluation;
  const auto device = model.module().parameters().front().device();
  for (TokenBatch& batch : batches_of(set.corpus, recipe)) {
    if (batch.source.defined()) batch.source = batch.source.to(device);
    batch.input = batch.input.to(device);
    batch.targets = batch.targets.to(device);
    evaluation.nll += model.loss(batch, 0.0, nn::Pass{}).nll.item<double>();
    evaluation.tokens += batch.target_tokens;
  }
  evaluation.nll /= static_cast<double>(evaluation.tokens);
  evaluation.perplexity = std::exp(evaluation.nll);
  if (recipe.is_language_model()) return evaluation;
  const double start = steady_seconds();
  evaluation.outputs = generate_text(model, set.corpus, *data.tokenizer, recipe, sentences, beam,
                                     &evaluation.generated_tokens);
  evaluation.generation_seconds = steady_seconds() - start;
  score(evaluation, set.references, recipe);
  return evaluation;
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
