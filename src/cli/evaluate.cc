#include "cli/evaluate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/text_metrics.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "core/names.h"
#include "engine/likelihood.h"
#include "engine/line_pipeline.h"
#include "kernels/team.h"
#include "metrics/lead.h"
#include "metrics/length_buckets.h"
#include "metrics/perplexity.h"
#include "report/progress.h"
#include "report/table.h"
#include "text/example_reader.h"

namespace memsizer::cli {
namespace {

struct EvaluateCommand {
  std::string model;
  std::vector<std::string> test;
  std::string format;
  std::string source_key = "document";
  std::string target_key = "summary";
  std::vector<std::string> metrics;
  MetricOptions options;
  std::vector<int64_t> buckets;
  std::optional<int64_t> beam;
  std::optional<double> length_penalty;
  std::optional<int64_t> max_source_tokens;
  int64_t window = 512;
  std::optional<int64_t> score_last;
  int64_t lead = 0;
  int64_t limit = 0;
  std::string output;
  int threads = 0;
  bool no_perplexity = false;
  bool json = false;
};

constexpr int64_t kSlice = 512;  // examples between two words about progress

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

// One line of the table by length.
struct BucketRow {
  std::string label;
  int64_t count = 0;
  std::vector<std::pair<std::string, double>> values;
};

void print_buckets(const std::string& what, const std::string& counted, const std::vector<BucketRow>& rows) {
  if (rows.size() < 2) return;
  report::Table table{{what, counted}, {}};
  for (const auto& [name, value] : rows.front().values) table.heads.push_back(name);
  for (const BucketRow& row : rows) {
    std::vector<std::string> cells = {row.label, fmt::to_string(row.count)};
    for (const auto& [name, value] : row.values) cells.push_back(fmt::format("{:.2f}", value));
    table.rows.push_back(cells);
  }
  fmt::print("\n{}", table.markdown());
}

nlohmann::json buckets_json(const std::string& counted, const std::vector<BucketRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const BucketRow& row : rows) {
    nlohmann::json object = {{"length", row.label}, {counted, row.count}};
    for (const auto& [name, value] : row.values) object[name] = value;
    all.push_back(object);
  }
  return all;
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

void write_outputs(const EvaluateCommand& command, const Lines& outputs) {
  if (command.output.empty()) return;
  AtomicFile file(command.output);
  for (const std::string& output : outputs) {
    std::string line = output;
    std::ranges::replace(line, '\n', ' ');
    file.write(line + "\n");
  }
  file.commit();
}

void evaluate_lead(EvaluateCommand command) {
  if (command.metrics.empty()) command.metrics = {"rouge"};
  check_metrics(command.metrics, command.options);
  Outcome outcome;
  outcome.pairs = read_pairs(command);
  for (const std::string& source : outcome.pairs.sources) {
    outcome.outputs.push_back(metrics::lead_sentences(source, command.lead));
    outcome.lengths.push_back(1 + std::ranges::count(source, ' '));
  }
  write_outputs(command, outcome.outputs);
  report_pairs(command, outcome);
}

engine::PipelineSettings settings_of(const EvaluateCommand& command, const engine::TextModel& model) {
  engine::PipelineSettings settings;
  settings.generation = engine::GenerationSettings::of(model.description());
  settings.generation.sample = false;
  if (command.beam) settings.generation.search.beam = *command.beam;
  if (command.length_penalty) settings.generation.search.length_penalty = *command.length_penalty;
  if (command.max_source_tokens) settings.generation.max_source_tokens = *command.max_source_tokens;
  settings.generation.search.n_best = 1;
  settings.threads = command.threads;
  settings.validate();
  return settings;
}

void generate_outputs(const engine::TextModel& model, const engine::PipelineSettings& settings,
                      Outcome& outcome) {
  engine::LinePipeline pipeline(model, settings);
  const auto count = static_cast<int64_t>(outcome.pairs.sources.size());
  report::Progress progress("generating", count, 0, kSlice);
  int64_t cut = 0;
  const double start = now();
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
  outcome.seconds = now() - start;
  progress.finish();
  if (cut > 0)
    fmt::print(stderr, "{} sources were cut to {} tokens\n", cut, settings.generation.max_source_tokens);
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
    std::vector<int32_t> source = model.encode(outcome.pairs.sources[i]);
    const auto most = static_cast<size_t>(settings.generation.max_source_tokens);
    if (source.size() > most) source.resize(most);
    outcome.target_tokens[i] = static_cast<int64_t>(target.size());
    sources.push_back(std::move(source));
    targets.push_back(std::move(target));
    places.push_back(i);
  }
  if (places.size() < outcome.outputs.size())
    fmt::print(stderr,
               "{} references are longer than the model's {} positions and left out of the perplexity\n",
               outcome.outputs.size() - places.size(), longest);
  runtime::Work work(threads);
  const auto found = engine::target_likelihood(model.model(), work, sources, targets);
  for (size_t i = 0; i < places.size(); ++i) outcome.log_probability[places[i]] = found[i];
}

void evaluate_pairs(EvaluateCommand command, const engine::TextModel& model, int threads) {
  const bool summarizes = model.description().task == "summarization";
  if (command.metrics.empty())
    command.metrics =
        summarizes ? std::vector<std::string>{"rouge"} : std::vector<std::string>{"bleu", "chrf"};
  check_metrics(command.metrics, command.options);
  const engine::PipelineSettings settings = settings_of(command, model);
  Outcome outcome;
  outcome.pairs = read_pairs(command);
  generate_outputs(model, settings, outcome);
  if (!command.no_perplexity) score_references(model, settings, threads, outcome);
  write_outputs(command, outcome.outputs);
  report_pairs(command, outcome);
}

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

void evaluate_stream(const EvaluateCommand& command, const engine::TextModel& model, int threads) {
  if (!command.metrics.empty())
    throw UserError("{} is a language model; its measure is perplexity, so leave --metric out",
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
  runtime::Work work(threads);
  report::Progress progress("scoring", static_cast<int64_t>(stream.size()), 0, 1 << 16);
  const double start = now();
  const auto found =
      engine::stream_likelihood(model.model(), work, stream, command.window, command.window - score_last,
                                [&](int64_t done) { progress.update(done, ""); });
  const double seconds = now() - start;
  progress.finish();
  metrics::Perplexity all;
  std::vector<metrics::Perplexity> parts(buckets.size());
  for (const engine::TokenLikelihood& token : found) {
    all.add(token.log_probability);
    parts[buckets.bucket_of(token.context + 1)].add(token.log_probability);
  }
  std::vector<BucketRow> rows;
  for (size_t b = 0; b < parts.size(); ++b) {
    if (parts[b].tokens() > 0)
      rows.push_back({buckets.label(b), parts[b].tokens(), {{"perplexity", parts[b].value()}}});
  }
  if (command.json) {
    fmt::print("{}\n", nlohmann::json{{"tokens", all.tokens()},
                                      {"perplexity", all.value()},
                                      {"nll", all.nll()},
                                      {"window", command.window},
                                      {"score_last", score_last},
                                      {"seconds", seconds},
                                      {"by_length", buckets_json("tokens", rows)}}
                           .dump(2));
    return;
  }
  fmt::print("perplexity {:.2f} of {} tokens, windows of {} of which the last {} are scored\n", all.value(),
             all.tokens(), command.window, score_last);
  fmt::print("read in {:.1f} s, {:.0f} tokens/s\n", seconds, static_cast<double>(all.tokens()) / seconds);
  print_buckets("place in the window", "tokens", rows);
}

void run_evaluate(const EvaluateCommand& command) {
  if (command.limit < 0) throw UserError("limit is {}; it must be 0 (all) or more", command.limit);
  if (command.lead < 0) throw UserError("lead is {}; it must be at least 1", command.lead);
  if (command.lead > 0) {
    if (!command.model.empty())
      throw UserError("--lead takes a document's first sentences and no model; leave out one or the other");
    return evaluate_lead(command);
  }
  if (command.model.empty())
    throw UserError("no model given; name one with --model, or --lead N for a document's first N sentences");
  const auto model = engine::TextModel::load(command.model);
  const int threads = command.threads > 0 ? command.threads : kernels::physical_cores();
  if (model->is_language_model()) {
    evaluate_stream(command, *model, threads);
  } else {
    evaluate_pairs(command, *model, threads);
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateCommand>();
  // As in results.json, and in most papers.
  options->options.stemmer = true;
  CLI::App* command = app.add_subcommand("evaluate", "Score a model on a test set, by length too");
  command->add_option("--model", options->model, "the model file");
  command
      ->add_option("--test", options->test,
                   "sources and references, a .tsv or .jsonl file of both, or a language model's text")
      ->required();
  command->add_option("--format", options->format, "parallel, tsv, jsonl (by the file's name if not given)");
  command->add_option("--source-key", options->source_key, "of JSON lines")->capture_default_str();
  command->add_option("--target-key", options->target_key, "of JSON lines")->capture_default_str();
  command
      ->add_option("--metric,--metrics", options->metrics,
                   "bleu, multi-bleu, chrf, chrf++, rouge, rouge-1.5.5 (by the task if not given)")
      ->delimiter(',');
  add_metric_options(*command, options->options);
  command->add_flag("--stemmer,!--no-stemmer", options->options.stemmer,
                    "ROUGE of words without their endings (the default)");
  command
      ->add_option("--buckets", options->buckets,
                   "largest length of each range of the table, such as 10,20,40")
      ->delimiter(',');
  command->add_option("--beam", options->beam,
                      "hypotheses kept in the search (the model's own if not given)");
  command->add_option("--length-penalty", options->length_penalty,
                      "scores are divided by length to this power");
  command->add_option("--max-source-tokens", options->max_source_tokens, "longer sources are cut");
  command->add_flag("--no-perplexity", options->no_perplexity, "only generate, do not score the references");
  command->add_option("--window", options->window, "language models: tokens of a window")
      ->capture_default_str();
  command->add_option(
      "--score-last", options->score_last,
      "language models: tokens of it that are scored, the rest is context; the window for the "
      "plain protocol (half the window)");
  command->add_option("--lead", options->lead,
                      "instead of a model, the first sentences of each document: 3 in the paper");
  command->add_option("--limit", options->limit, "only the first of the set; 0 takes all")
      ->capture_default_str();
  command->add_option("--output", options->output, "file for the generated text");
  command->add_option("--threads", options->threads, "0 takes the physical cores")->capture_default_str();
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace memsizer::cli
