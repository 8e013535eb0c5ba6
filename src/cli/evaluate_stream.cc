#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/evaluate_command.h"
#include "cli/length_table.h"
#include "cli/runtime_evaluated.h"
#include "core/clock.h"
#include "core/error.h"
#include "evaluate/stream.h"
#include "metrics/length_buckets.h"
#include "metrics/perplexity.h"
#include "report/progress.h"
#include "text/example_reader.h"

namespace memsizer::cli {
namespace {

std::vector<int32_t> read_stream(const EvaluateCommand& command, const engine::TextModel& model) {
  text::DataOptions options;
  options.format = text::CorpusFormat::Text;
  text::CorpusReport report;
  const auto reader = text::open_examples(options, command.test, report);
  std::vector<int32_t> stream;
  text::Example example;
  for (int64_t line = 0; reader->next(example) && (command.limit == 0 || line < command.limit); ++line) {
    model.tokenizer().encode(example.target, stream);
    stream.push_back(static_cast<int32_t>(kEos));
  }
  for (const std::string& line : report.lines()) fmt::print(stderr, "{}\n", line);
  return stream;
}

}  // namespace

void evaluate_stream(const EvaluateCommand& command, const engine::TextModel& model, int threads) {
  if (!command.metrics.empty())
    throw UserError("{} is a language model; its measure is perplexity, so leave --metric out",
                    command.model);
  if (!command.output.empty())
    throw UserError("{} is a language model, of which nothing is generated here; leave --output out",
                    command.model);
  const int64_t score_last = command.score_last.value_or(std::max<int64_t>(1, command.window / 2));
  if (command.window < 1 || command.window > (1 << 20))
    throw UserError("window is {}; it must be 1 to {}", command.window, 1 << 20);
  if (score_last < 1 || score_last > command.window)
    throw UserError("score-last is {}; it must be 1 to the window's {}", score_last, command.window);
  std::vector<int64_t> bounds = command.buckets;
  for (int64_t i = 1; command.buckets.empty() && i < 8; ++i) {
    const int64_t bound = command.window * i / 8;
    if (bound > (bounds.empty() ? 0 : bounds.back())) bounds.push_back(bound);
  }
  const metrics::LengthBuckets buckets(bounds);
  const std::vector<int32_t> stream = read_stream(command, model);
  RuntimeEvaluated evaluated(model, engine::GenerationSettings::of(model.description()), threads);
  report::Progress progress("scoring", static_cast<int64_t>(stream.size()), 0, 1 << 16);
  const double start = steady_seconds();
  const evaluate::StreamEvaluation found = evaluate::evaluate_stream(
      evaluated, stream, {.window = command.window, .context = command.window - score_last},
      [&](int64_t done) { progress.update(done, ""); });
  const double seconds = steady_seconds() - start;
  progress.finish();
  const evaluate::Evaluation& all = found.evaluation;
  std::vector<metrics::Perplexity> parts(buckets.size());
  for (const evaluate::ScoredToken& token : found.tokens)
    parts[buckets.bucket_of(token.context + 1)].add(token.log_probability);
  std::vector<BucketRow> rows;
  for (size_t b = 0; b < parts.size(); ++b) {
    if (parts[b].tokens() > 0)
      rows.push_back({buckets.label(b), parts[b].tokens(), {{"perplexity", parts[b].value()}}});
  }
  if (command.json) {
    fmt::print("{}\n", nlohmann::json{{"tokens", all.tokens},
                                      {"perplexity", all.perplexity},
                                      {"nll", all.nll},
                                      {"window", command.window},
                                      {"score_last", score_last},
                                      {"seconds", seconds},
                                      {"by_length", buckets_json("tokens", rows)}}
                           .dump(2));
    return;
  }
  fmt::print("perplexity {:.2f} of {} tokens, windows of {} of which the last {} are scored\n",
             all.perplexity, all.tokens, command.window, score_last);
  fmt::print("read in {:.1f} s, {:.0f} tokens/s\n", seconds, static_cast<double>(all.tokens) / seconds);
  print_buckets("place in the window", "tokens", rows);
}

}  // namespace memsizer::cli
