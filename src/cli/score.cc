#include "cli/score.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/names.h"
#include "metrics/bleu.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/chrf.h"
#include "metrics/rouge.h"
#include "metrics/rouge_155.h"
#include "metrics/significance.h"
#include "text/line_reader.h"

namespace memsizer::cli {
namespace {

using Lines = std::vector<std::string>;

struct ScoreCommand {
  std::string input;
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu"};
  std::string tokenizer = "13a";
  std::string smoothing = "exp";
  double smoothing_value = 0.0;
  bool lowercase = false;
  bool stemmer = false;
  bool allow_empty = false;
  std::string baseline;
  int64_t samples = 1000;
  int64_t seed = 12345;
  bool json = false;
};

// What is scored, and against what.
struct Texts {
  Lines hypotheses;
  std::vector<Lines> references;
  Lines baseline;  // empty unless asked for
};

// The value that goes with a name in a list of both.
template <typename Value>
Value named(const std::string& name, const std::string& what,
            const std::vector<std::pair<std::string, Value>>& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known) {
    if (key == name) return value;
    names.push_back(key);
  }
  throw UserError("{} '{}' is not known{}; known are {}", what, name, did_you_mean(name, names),
                  fmt::join(names, ", "));
}

metrics::BleuOptions bleu_options(const ScoreCommand& command) {
  using metrics::BleuSmoothing;
  using metrics::BleuTokenizer;
  metrics::BleuOptions options;
  options.tokenizer = named<BleuTokenizer>(command.tokenizer, "tokenizer",
                                           {{"13a", BleuTokenizer::V13a},
                                            {"intl", BleuTokenizer::Intl},
                                            {"zh", BleuTokenizer::Zh},
                                            {"char", BleuTokenizer::Char},
                                            {"none", BleuTokenizer::None}});
  options.smoothing = named<BleuSmoothing>(command.smoothing, "smoothing",
                                           {{"exp", BleuSmoothing::Exp},
                                            {"floor", BleuSmoothing::Floor},
                                            {"add-k", BleuSmoothing::AddK},
                                            {"none", BleuSmoothing::None}});
  options.smoothing_value = command.smoothing_value;
  options.lowercase = command.lowercase;
  return options;
}

metrics::ChrfOptions chrf_options(const ScoreCommand& command, int64_t word_order) {
  metrics::ChrfOptions options;
  options.word_order = word_order;
  options.lowercase = command.lowercase;
  return options;
}

// A metric's line for people and its object for programs.
struct Scored {
  std::string line;
  nlohmann::json json;
};

std::string significance_line(const std::string& metric, const metrics::PairedBootstrap& pair) {
  const auto estimate = [](const metrics::BootstrapEstimate& e) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", e.score, e.low, e.high);
  };
  return fmt::format("\n{} of the baseline {}, of the input {}, p = {:.4f}", metric, estimate(pair.baseline),
                     estimate(pair.system), pair.p_value);
}

nlohmann::json significance_json(const metrics::PairedBootstrap& pair) {
  const auto estimate = [](const metrics::BootstrapEstimate& e) {
    return nlohmann::json{{"score", e.score}, {"mean", e.mean}, {"low", e.low}, {"high", e.high}};
  };
  return {{"baseline", estimate(pair.baseline)}, {"input", estimate(pair.system)}, {"p_value", pair.p_value}};
}

metrics::BootstrapOptions bootstrap_options(const ScoreCommand& command) {
  return {.samples = command.samples, .seed = static_cast<uint64_t>(command.seed)};
}

Scored score_bleu(const ScoreCommand& command, const Texts& texts) {
  const metrics::BleuOptions options = bleu_options(command);
  const metrics::BleuScore score = metrics::bleu(texts.hypotheses, texts.references, options);
  const std::string signature = metrics::signature(options, texts.references.size());
  Scored result{fmt::format("{}\n{}", metrics::format_bleu(score), signature),
                {{"score", score.score},
                 {"precisions", score.precisions},
                 {"brevity_penalty", score.brevity_penalty},
                 {"hypothesis_length", score.hypothesis_length},
                 {"reference_length", score.reference_length},
                 {"signature", signature}}};
  if (!texts.baseline.empty()) {
    const auto pair = metrics::paired_bootstrap_bleu(texts.baseline, texts.hypotheses, texts.references,
                                                     options, bootstrap_options(command));
    result.line += significance_line("BLEU", pair);
    result.json["significance"] = significance_json(pair);
  }
  return result;
}

Scored score_multi_bleu(const ScoreCommand& /*command*/, const Texts& texts) {
  const metrics::BleuScore score = metrics::multi_bleu(texts.hypotheses, texts.references);
  return {metrics::format_multi_bleu(score), {{"score", score.score}, {"precisions", score.precisions}}};
}

Scored score_chrf_order(const ScoreCommand& command, const Texts& texts, int64_t word_order,
                        const std::string& name) {
  const metrics::ChrfOptions options = chrf_options(command, word_order);
  const double score = metrics::chrf(texts.hypotheses, texts.references, options);
  Scored result{fmt::format("{} = {:.2f}", name, score), {{"score", score}}};
  if (!texts.baseline.empty()) {
    const auto pair = metrics::paired_bootstrap_chrf(texts.baseline, texts.hypotheses, texts.references,
                                                     options, bootstrap_options(command));
    result.line += significance_line(name, pair);
    result.json["significance"] = significance_json(pair);
  }
  return result;
}

Scored score_chrf(const ScoreCommand& command, const Texts& texts) {
  return score_chrf_order(command, texts, 0, "chrF2");
}

Scored score_chrf_plus_plus(const ScoreCommand& command, const Texts& texts) {
  return score_chrf_order(command, texts, 2, "chrF2++");
}

nlohmann::json rouge_json(const metrics::RougeValue& value) {
  return {{"precision", value.precision}, {"recall", value.recall}, {"f1", value.f1}};
}

const Lines& only_reference(const Texts& texts, const char* metric) {
  if (texts.references.size() == 1) return texts.references.front();
  throw UserError("{} takes one reference file, found {}; score against each alone", metric,
                  texts.references.size());
}

Scored score_rouge(const ScoreCommand& command, const Texts& texts) {
  const metrics::RougeScore score =
      metrics::corpus_rouge(texts.hypotheses, only_reference(texts, "rouge"), {.stemmer = command.stemmer});
  return {fmt::format("ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} ROUGE-Lsum = {:.2f} (F1{})",
                      100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1, 100.0 * score.rouge_l.f1,
                      100.0 * score.rouge_l_sum.f1, command.stemmer ? ", stemmed" : ""),
          {{"rouge1", rouge_json(score.rouge1)},
           {"rouge2", rouge_json(score.rouge2)},
           {"rougeL", rouge_json(score.rouge_l)},
           {"rougeLsum", rouge_json(score.rouge_l_sum)}}};
}

Scored score_rouge_155(const ScoreCommand& command, const Texts& texts) {
  // Sentences on lines of their own, as files2rouge hands them to the script.
  const auto split = [](const Lines& lines) {
    Lines result;
    for (const std::string& line : lines) result.push_back(metrics::split_sentences(line));
    return result;
  };
  const metrics::Rouge155Score score = metrics::corpus_rouge_155(
      split(texts.hypotheses), split(only_reference(texts, "rouge-1.5.5")), {.stemmer = command.stemmer});
  return {fmt::format("ROUGE-1.5.5: ROUGE-1 = {:.2f} ROUGE-2 = {:.2f} ROUGE-L = {:.2f} (F1{})",
                      100.0 * score.rouge1.f1, 100.0 * score.rouge2.f1, 100.0 * score.rouge_l.f1,
                      command.stemmer ? ", stemmed" : ""),
          {{"rouge1", rouge_json(score.rouge1)},
           {"rouge2", rouge_json(score.rouge2)},
           {"rougeL", rouge_json(score.rouge_l)}}};
}

using Metric = Scored (*)(const ScoreCommand&, const Texts&);

Metric metric_of(const std::string& name) {
  return named<Metric>(name, "metric",
                       {{"bleu", score_bleu},
                        {"multi-bleu", score_multi_bleu},
                        {"chrf", score_chrf},
                        {"chrf++", score_chrf_plus_plus},
                        {"rouge", score_rouge},
                        {"rouge-1.5.5", score_rouge_155}});
}

Lines read_lines(const std::string& path) {
  Lines lines;
  std::string line;
  if (path.empty()) {
    while (std::getline(std::cin, line)) {
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
  text::LineReader reader(path, path);
  while (reader.next(line)) lines.push_back(line);
  return lines;
}

void require_same_length(const std::string& name, const Lines& lines, size_t references) {
  if (lines.empty()) throw UserError("{} has no lines; expected {}", name, references);
  if (lines.size() == references) return;
  throw UserError("{} has {} lines, its references have {}; they must be of the same sentences", name,
                  lines.size(), references);
}

void require_no_holes(const std::string& name, const Lines& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find_first_not_of(" \t") != std::string::npos) continue;
    throw UserError(
        "{}:{} is empty; expected a reference in every line: remove that line from all files, or give "
        "--allow-empty",
        name, i + 1);
  }
}

Texts read_texts(const ScoreCommand& command) {
  Texts texts;
  for (const std::string& path : command.references) {
    texts.references.push_back(read_lines(path));
    const Lines& lines = texts.references.back();
    if (lines.empty()) throw UserError("{} has no lines; expected references", path);
    require_same_length(path, lines, texts.references.front().size());
    if (!command.allow_empty) require_no_holes(path, lines);
  }
  const size_t lines = texts.references.front().size();
  texts.hypotheses = read_lines(command.input);
  require_same_length(command.input.empty() ? "standard input" : command.input, texts.hypotheses, lines);
  if (!command.baseline.empty()) {
    texts.baseline = read_lines(command.baseline);
    require_same_length(command.baseline, texts.baseline, lines);
  }
  return texts;
}

void run_score(const ScoreCommand& command) {
  // Mistakes in options before files that may be large.
  std::vector<Metric> metrics;
  for (const std::string& name : command.metrics) metrics.push_back(metric_of(name));
  bleu_options(command);
  for (const std::string& name : command.metrics) {
    if (command.baseline.empty() || name == "bleu" || name.starts_with("chrf")) continue;
    throw UserError("--baseline compares by bleu, chrf or chrf++, found the metric {}; leave one of them out",
                    name);
  }
  if (command.samples < 1 || command.samples > 1000000)
    throw UserError("samples is {}; it must be 1 to 1000000", command.samples);
  const Texts texts = read_texts(command);
  nlohmann::json all;
  for (size_t i = 0; i < metrics.size(); ++i) {
    const Scored scored = metrics[i](command, texts);
    if (command.json) {
      all[command.metrics[i]] = scored.json;
    } else {
      fmt::print("{}\n", scored.line);
    }
  }
  if (command.json) fmt::print("{}\n", all.dump(2));
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreCommand>();
  CLI::App* command = app.add_subcommand("score", "Score text against references: BLEU, chrF, ROUGE");
  command->add_option("--input", options->input,
                      "the text to score, plain or gzip; standard input if not given");
  command->add_option("--reference", options->references, "its references, a line a line; may be repeated")
      ->required();
  command->add_option("--metrics", options->metrics, "bleu, multi-bleu, chrf, chrf++, rouge, rouge-1.5.5")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--tokenizer", options->tokenizer, "of BLEU: 13a, intl, zh, char, none")
      ->capture_default_str();
  command->add_option("--smoothing", options->smoothing, "of BLEU: exp, floor, add-k, none")
      ->capture_default_str();
  command->add_option("--smoothing-value", options->smoothing_value, "of floor (0.1) and add-k (1)");
  command->add_flag("--lowercase", options->lowercase, "BLEU and chrF without regard to case");
  command->add_flag("--stemmer", options->stemmer, "ROUGE of words without their endings");
  command->add_flag("--allow-empty", options->allow_empty, "references may have empty lines");
  command->add_option("--baseline", options->baseline,
                      "another system's text: is the difference in BLEU or chrF chance?");
  command->add_option("--samples", options->samples, "of the paired bootstrap")->capture_default_str();
  command->add_option("--seed", options->seed, "of the paired bootstrap")->capture_default_str();
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_score(*options); });
}

}  // namespace memsizer::cli
