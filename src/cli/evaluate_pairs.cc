#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "cli/evaluate_command.h"
#include "cli/length_table.h"
#include "cli/runtime_evaluated.h"
#include "core/atomic_file.h"
#include "core/enum_value.h"
#include "core/error.h"
#include "evaluate/pairs.h"
#include "metrics/lead.h"
#include "metrics/length_buckets.h"
#include "metrics/perplexity.h"
#include "report/progress.h"
#include "text/example_reader.h"
#include "text/white_space.h"

namespace memsizer::cli {
namespace {

constexpr int64_t kProgressPairs = 512;  // between two lines about progress

text::CorpusFormat format_of(const EvaluateCommand& command) {
  const auto ends = [&](std::string_view ending) {
    const std::string& file = command.test.front();
    return file.ends_with(ending) || file.ends_with(std::string(ending) + ".gz");
  };
  if (!command.format.empty()) return named_value<text::CorpusFormat>("format", command.format);
  if (ends(".jsonl") || ends(".json")) return text::CorpusFormat::JsonLines;
  if (ends(".tsv")) return text::CorpusFormat::Tsv;
  return text::CorpusFormat::Parallel;
}

struct TextPairs {
  Lines sources;
  Lines references;
};

TextPairs read_pairs(const EvaluateCommand& command) {
  text::DataOptions options;
  options.format = format_of(command);
  options.source_key = command.source_key;
  options.target_key = command.target_key;
  if (options.format == text::CorpusFormat::Parallel && command.test.size() != 2)
    throw UserError("--test has {} file{}; give the sources and the references, or a .tsv or .jsonl file",
                    command.test.size(), command.test.size() == 1 ? "" : "s");
  if (options.format == text::CorpusFormat::Text)
    throw UserError("format 'text' is for language models; this takes pairs: parallel, tsv or jsonl");
  text::CorpusReport report;
  const auto reader = text::open_examples(options, command.test, report);
  TextPairs pairs;
  text::Example example;
  while (reader->next(example)) {
    if (command.limit > 0 && static_cast<int64_t>(pairs.sources.size()) == command.limit) break;
    pairs.sources.push_back(example.source);
    pairs.references.push_back(example.target);
  }
  for (const std::string& line : report.lines()) fmt::print(stderr, "{}\n", line);
  return pairs;
}

// What came of a set, and what is known of each pair.
struct Outcome {
  TextPairs texts;
  std::vector<int64_t> lengths;  // of sources: tokens, or words where there is no model
  evaluate::PairEvaluation found;
};

metrics::Perplexity perplexity_of(const Outcome& outcome, const std::vector<size_t>& some) {
  metrics::Perplexity perplexity;
  for (const size_t i : some) {
    if (outcome.found.target_tokens[i] > 0)
      perplexity.add(outcome.found.log_probability[i], outcome.found.target_tokens[i]);
  }
  return perplexity;
}

metrics::ScoredTexts texts_of(const Outcome& outcome, const std::vector<size_t>& some) {
  metrics::ScoredTexts texts;
  texts.references.emplace_back();
  for (const size_t i : some) {
    texts.hypotheses.push_back(outcome.found.evaluation.outputs[i]);
    texts.references.front().push_back(outcome.texts.references[i]);
  }
  return texts;
}

std::vector<BucketRow> rows_by_length(const EvaluateCommand& command, const Outcome& outcome) {
  const metrics::LengthBuckets buckets(
      command.buckets.empty() ? std::vector<int64_t>{10, 20, 30, 40, 80, 160, 320} : command.buckets);
  std::vector<std::vector<size_t>> members(buckets.size());
  for (size_t i = 0; i < outcome.lengths.size(); ++i)
    members[buckets.bucket_of(outcome.lengths[i])].push_back(i);
  std::vector<BucketRow> rows;
  for (size_t b = 0; b < members.size(); ++b) {
    if (members[b].empty()) continue;
    BucketRow row{buckets.label(b), static_cast<int64_t>(members[b].size()), {}};
    const metrics::ScoredTexts texts = texts_of(outcome, members[b]);
    for (const metrics::Metric metric : command.metrics) {
      const metrics::TextScore scored = metrics::score_text(metric, texts, command.options);
      for (size_t i = 0; i < scored.values.size(); ++i)
        row.values.emplace_back(metrics::traits_of(metric).scores[i].printed, scored.values[i]);
    }
    if (!outcome.found.log_probability.empty())
      row.values.emplace_back("perplexity", perplexity_of(outcome, members[b]).value());
    rows.push_back(row);
  }
  return rows;
}

void report_pairs(const EvaluateCommand& command, const Outcome& outcome) {
  const evaluate::Evaluation& evaluation = outcome.found.evaluation;
  const std::vector<BucketRow> rows = rows_by_length(command, outcome);
  nlohmann::json json = {{"pairs", evaluation.outputs.size()}};
  if (!command.json) fmt::print("{} pairs\n", evaluation.outputs.size());
  for (size_t i = 0; i < command.metrics.size(); ++i) {
    const metrics::TextScore& scored = outcome.found.scores[i];
    json["scores"][enum_name(command.metrics[i])] = scored.json;
    if (!command.json) fmt::print("{}\n", scored.line);
  }
  if (!outcome.found.log_probability.empty()) {
    json["perplexity"] = evaluation.perplexity;
    json["nll"] = evaluation.nll;
    json["target_tokens"] = evaluation.tokens;
    if (!command.json)
      fmt::print("perplexity {:.2f} of the references, {} tokens\n", evaluation.perplexity,
                 evaluation.tokens);
  }
  if (const double seconds = evaluation.generation_seconds; seconds > 0.0) {
    const double rate = static_cast<double>(evaluation.generated_tokens) / seconds;
    json["generation"] = {
        {"seconds", seconds}, {"tokens", evaluation.generated_tokens}, {"tokens_per_second", rate}};
    if (!command.json)
      fmt::print("generated {} tokens in {:.1f} s, {:.0f} tokens/s\n", evaluation.generated_tokens, seconds,
                 rate);
  }
  json["by_length"] = buckets_json("pairs", rows);
  if (command.json) {
    fmt::print("{}\n", json.dump(2));
  } else {
    print_buckets(command.lead > 0 ? "source words" : "source tokens", "pairs", rows);
  }
}

// The file for the outputs, if one is asked for. It is opened before the work, which a place that cannot be
// written would waste.
class OutputFile {
 public:
  explicit OutputFile(const EvaluateCommand& command) {
    if (!command.output.empty()) file_.emplace(command.output);
  }

  void write(const Lines& outputs) {
    if (!file_) return;
    for (const std::string& line : outputs) file_->write(text::on_one_line(line) + "\n");
    file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
};

GenerationOptions options_of(const EvaluateCommand& command, const engine::TextModel& model) {
  GenerationOptions options = engine::default_options(model.description());
  options.sample = false;
  if (command.beam) options.beam = *command.beam;
  if (command.length_penalty) options.length_penalty = *command.length_penalty;
  if (command.max_source_tokens) options.max_source_tokens = *command.max_source_tokens;
  if (command.shortlist) options.shortlist = true;
  options.n_best = 1;
  engine::check_options(model, options);
  return options;
}

evaluate::PairProtocol protocol_of(const EvaluateCommand& command) {
  return {.likelihood = !command.no_perplexity, .metrics = command.metrics, .scoring = command.options};
}

// The pairs' tokens, with their end tokens.
struct TokenPairs {
  std::vector<std::vector<int32_t>> sources;
  std::vector<std::vector<int32_t>> targets;
};

TokenPairs encoded(const engine::TextModel& model, const TextPairs& texts) {
  TokenPairs tokens;
  for (size_t i = 0; i < texts.sources.size(); ++i) {
    tokens.sources.push_back(model.encode(texts.sources[i]));
    std::vector<int32_t>& target = tokens.targets.emplace_back();
    model.tokenizer().encode(texts.references[i], target);
    target.push_back(static_cast<int32_t>(kEos));
  }
  return tokens;
}

}  // namespace

void evaluate_lead(EvaluateCommand command) {
  if (command.metrics.empty())
    command.metrics = metrics::text_metrics(metrics::headline_metrics(Task::Summarization));
  OutputFile file(command);
  Outcome outcome;
  outcome.texts = read_pairs(command);
  Lines outputs;
  for (const std::string& source : outcome.texts.sources) {
    outputs.push_back(metrics::lead_sentences(source, command.lead));
    outcome.lengths.push_back(1 + std::ranges::count(source, ' '));
  }
  outcome.found =
      evaluate::evaluate_outputs(std::move(outputs), outcome.texts.references, protocol_of(command));
  file.write(outcome.found.evaluation.outputs);
  report_pairs(command, outcome);
}

void evaluate_pairs(EvaluateCommand command, const engine::TextModel& model, int threads) {
  if (command.metrics.empty())
    command.metrics = metrics::text_metrics(metrics::headline_metrics(model.description().task));
  const GenerationOptions options = options_of(command, model);
  OutputFile file(command);
  Outcome outcome;
  outcome.texts = read_pairs(command);
  const TokenPairs tokens = encoded(model, outcome.texts);
  for (const auto& source : tokens.sources) outcome.lengths.push_back(static_cast<int64_t>(source.size()));
  const evaluate::Pairs pairs{.sources = outcome.texts.sources,
                              .references = outcome.texts.references,
                              .source_tokens = [&](size_t i) { return evaluate::Tokens(tokens.sources[i]); },
                              .target_tokens = [&](size_t i) { return evaluate::Tokens(tokens.targets[i]); }};
  evaluate::PairProtocol protocol = protocol_of(command);
  protocol.max_source_tokens = options.max_source_tokens;
  RuntimeEvaluated evaluated(model, options, threads);
  report::Progress progress("generating", static_cast<int64_t>(pairs.size()), 0, kProgressPairs);
  outcome.found = evaluate::evaluate_pairs(evaluated, model.tokenizer(), pairs, protocol,
                                           [&](int64_t done) { progress.update(done, ""); });
  progress.finish();
  if (outcome.found.truncated > 0)
    fmt::print(stderr, "{} sources were too long and cut (--max-source-tokens)\n", outcome.found.truncated);
  if (outcome.found.left_out > 0)
    fmt::print(stderr,
               "{} references are longer than the model's {} positions and left out of the perplexity\n",
               outcome.found.left_out, evaluated.longest_target());
  file.write(outcome.found.evaluation.outputs);
  report_pairs(command, outcome);
}

}  // namespace memsizer::cli
