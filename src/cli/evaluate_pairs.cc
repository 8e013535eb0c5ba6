#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/evaluate_command.h"
#include "cli/length_table.h"
#include "core/atomic_file.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/names.h"
#include "engine/likelihood.h"
#include "engine/line_pipeline.h"
#include "engine/work_pool.h"
#include "metrics/lead.h"
#include "metrics/length_buckets.h"
#include "metrics/perplexity.h"
#include "report/progress.h"
#include "text/example_reader.h"

namespace memsizer::cli {
namespace {

constexpr int64_t kSlice = 512;  // examples between two words about progress

text::CorpusFormat format_of(const EvaluateCommand& command) {
  const auto ends = [&](std::string_view ending) {
    const std::string& file = command.test.front();
    return file.ends_with(ending) || file.ends_with(std::string(ending) + ".gz");
  };
  if (!command.format.empty()) {
    std::vector<std::string> known;
    for (const auto& [value, name] : enum_names<text::CorpusFormat>()) {
      if (name == command.format) return value;
      known.emplace_back(name);
    }
    throw UserError("format '{}' is not known{}; known are {}", command.format,
                    did_you_mean(command.format, known), fmt::join(known, ", "));
  }
  if (ends(".jsonl") || ends(".json")) return text::CorpusFormat::JsonLines;
  if (ends(".tsv")) return text::CorpusFormat::Tsv;
  return text::CorpusFormat::Parallel;
}

struct Pairs {
  Lines sources;
  Lines references;
};

Pairs read_pairs(const EvaluateCommand& command) {
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
  Pairs pairs;
  text::Example example;
  while (reader->next(example)) {
    if (command.limit > 0 && static_cast<int64_t>(pairs.sources.size()) == command.limit) break;
    pairs.sources.push_back(example.source);
    pairs.references.push_back(example.target);
  }
  for (const std::string& line : report.lines()) fmt::print(stderr, "{}\n", line);
  return pairs;
}

// What came of a set: outputs, and what is known of each pair.
struct Outcome {
  Pairs pairs;
  Lines outputs;
  std::vector<int64_t> lengths;         // of sources: tokens, or words where there is no model
  std::vector<double> log_probability;  // of the references; empty: not asked for
  std::vector<int64_t> target_tokens;   // 0: left out of the perplexity
  double seconds = 0.0;                 // of generation
  int64_t generated = 0;                // tokens
};

metrics::Perplexity perplexity_of(const Outcome& outcome, const std::vector<size_t>& some) {
  metrics::Perplexity perplexity;
  for (const size_t i : some) {
    if (outcome.target_tokens[i] > 0) perplexity.add(outcome.log_probability[i], outcome.target_tokens[i]);
  }
  return perplexity;
}

ScoredTexts texts_of(const Outcome& outcome, const std::vector<size_t>& some) {
  ScoredTexts texts;
  texts.references.emplace_back();
  for (const size_t i : some) {
    texts.hypotheses.push_back(outcome.outputs[i]);
    texts.references.front().push_back(outcome.pairs.references[i]);
  }
  return texts;
}

std::vector<BucketRow> rows_by_length(const EvaluateCommand& command, const Outcome& outcome) {
  const metrics::LengthBuckets buckets(
      command.buckets.empty() ? std::vector<int64_t>{10, 20, 30, 40, 80, 160, 320} : command.buckets);
  std::vector<std::vector<size_t>> members(buckets.size());
  for (size_t i = 0; i < outcome.outputs.size(); ++i)
    members[buckets.bucket_of(outcome.lengths[i])].push_back(i);
  std::vector<BucketRow> rows;
  for (size_t b = 0; b < members.size(); ++b) {
    if (members[b].empty()) continue;
    BucketRow row{buckets.label(b), static_cast<int64_t>(members[b].size()), {}};
    const ScoredTexts texts = texts_of(outcome, members[b]);
    for (const std::string& metric : command.metrics) {
      const Scored scored = score_text(metric, command.options, texts);
      row.values.insert(row.values.end(), scored.values.begin(), scored.values.end());
    }
    if (!outcome.log_probability.empty())
      row.values.emplace_back("perplexity", perplexity_of(outcome, members[b]).value());
    rows.push_back(row);
  }
  return rows;
}

void report_pairs(const EvaluateCommand& command, const Outcome& outcome) {
  std::vector<size_t> all(outcome.outputs.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = i;
  const ScoredTexts texts = texts_of(outcome, all);
  const std::vector<BucketRow> rows = rows_by_length(command, outcome);
  nlohmann::json json = {{"pairs", all.size()}};
  if (!command.json) fmt::print("{} pairs\n", all.size());
  for (const std::string& metric : command.metrics) {
    const Scored scored = score_text(metric, command.options, texts);
    json["scores"][metric] = scored.json;
    if (!command.json) fmt::print("{}\n", scored.line);
  }
  if (!outcome.log_probability.empty()) {
    const metrics::Perplexity perplexity = perplexity_of(outcome, all);
    json["perplexity"] = perplexity.value();
    json["nll"] = perplexity.nll();
    json["target_tokens"] = perplexity.tokens();
    if (!command.json)
      fmt::print("perplexity {:.2f} of the references, {} tokens\n", perplexity.value(), perplexity.tokens());
  }
  if (outcome.seconds > 0.0) {
    const double rate = static_cast<double>(outcome.generated) / outcome.seconds;
    json["generation"] = {
        {"seconds", outcome.seconds}, {"tokens", outcome.generated}, {"tokens_per_second", rate}};
    if (!command.json)
      fmt::print("generated {} tokens in {:.1f} s, {:.0f} tokens/s\n", outcome.generated, outcome.seconds,
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
    for (std::string line : outputs) {
      std::ranges::replace(line, '\n', ' ');
      file_->write(line + "\n");
    }
    file_->commit();
  }

 private:
  std::optional<AtomicFile> file_;
};

engine::PipelineSettings settings_of(const EvaluateCommand& command, const engine::TextModel& model) {
  engine::PipelineSettings settings;
  settings.generation = engine::default_options(model.description());
  settings.generation.sample = false;
  if (command.beam) settings.generation.beam = *command.beam;
  if (command.length_penalty) settings.generation.length_penalty = *command.length_penalty;
  if (command.max_source_tokens) settings.generation.max_source_tokens = *command.max_source_tokens;
  settings.generator.threads = command.threads;
  settings.validate();
  return settings;
}

void generate_outputs(const engine::TextModel& model, const engine::PipelineSettings& settings,
                      Outcome& outcome) {
  engine::LinePipeline pipeline(model, settings);
  const auto count = static_cast<int64_t>(outcome.pairs.sources.size());
  report::Progress progress("generating", count, 0, kSlice);
  int64_t cut = 0;
  const double start = steady_seconds();
  for (int64_t begin = 0; begin < count; begin += kSlice) {
    const int64_t end = std::min(count, begin + kSlice);
    const auto slice = std::span(outcome.pairs.sources)
                           .subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    for (const engine::Result& result : pipeline.generate(slice)) {
      outcome.outputs.push_back(result.outputs.empty() ? "" : result.outputs.front().text);
      outcome.lengths.push_back(result.source_tokens);
      if (!result.outputs.empty())
        outcome.generated += static_cast<int64_t>(result.outputs.front().tokens.size());
      if (result.tokens_read < result.source_tokens) ++cut;
    }
    progress.update(end, "");
  }
  outcome.seconds = steady_seconds() - start;
  progress.finish();
  if (cut > 0) fmt::print(stderr, "{} sources were too long and cut (--max-source-tokens)\n", cut);
}

void score_references(const engine::TextModel& model, const engine::PipelineSettings& settings, int threads,
                      Outcome& outcome) {
  const int64_t longest = model.model().longest_target();
  std::vector<std::vector<int32_t>> sources;
  std::vector<std::vector<int32_t>> targets;
  std::vector<size_t> places;
  outcome.target_tokens.assign(outcome.outputs.size(), 0);
  outcome.log_probability.assign(outcome.outputs.size(), 0.0);
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    std::vector<int32_t> target;
    model.tokenizer().encode(outcome.pairs.references[i], target);
    target.push_back(static_cast<int32_t>(kEos));
    if (longest > 0 && static_cast<int64_t>(target.size()) > longest) continue;
    outcome.target_tokens[i] = static_cast<int64_t>(target.size());
    sources.push_back(engine::cut_source(model, settings.generation, model.encode(outcome.pairs.sources[i])));
    targets.push_back(std::move(target));
    places.push_back(i);
  }
  if (places.size() < outcome.outputs.size())
    fmt::print(stderr,
               "{} references are longer than the model's {} positions and left out of the perplexity\n",
               outcome.outputs.size() - places.size(), longest);
  const auto work = engine::make_work(threads);
  const auto found = engine::target_likelihood(model.model(), *work, sources, targets);
  for (size_t i = 0; i < places.size(); ++i) outcome.log_probability[places[i]] = found[i];
}

}  // namespace

void evaluate_lead(EvaluateCommand command) {
  if (command.metrics.empty()) command.metrics = {"rouge"};
  check_metrics(command.metrics, command.options);
  OutputFile file(command);
  Outcome outcome;
  outcome.pairs = read_pairs(command);
  for (const std::string& source : outcome.pairs.sources) {
    outcome.outputs.push_back(metrics::lead_sentences(source, command.lead));
    outcome.lengths.push_back(1 + std::ranges::count(source, ' '));
  }
  file.write(outcome.outputs);
  report_pairs(command, outcome);
}

void evaluate_pairs(EvaluateCommand command, const engine::TextModel& model, int threads) {
  const bool summarizes = model.description().task == "summarization";
  if (command.metrics.empty())
    command.metrics =
        summarizes ? std::vector<std::string>{"rouge"} : std::vector<std::string>{"bleu", "chrf"};
  check_metrics(command.metrics, command.options);
  const engine::PipelineSettings settings = settings_of(command, model);
  OutputFile file(command);
  Outcome outcome;
  outcome.pairs = read_pairs(command);
  generate_outputs(model, settings, outcome);
  if (!command.no_perplexity) score_references(model, settings, threads, outcome);
  file.write(outcome.outputs);
  report_pairs(command, outcome);
}

}  // namespace memsizer::cli
