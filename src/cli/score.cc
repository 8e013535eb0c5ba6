#include "cli/score.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/text_metrics.h"
#include "core/error.h"

namespace memsizer::cli {
namespace {

struct ScoreCommand {
  std::string hypotheses;
  std::vector<std::string> references;
  std::vector<std::string> metrics = {"bleu"};
  MetricOptions options;
  bool allow_empty = false;
  std::string baseline;
  bool json = false;
};

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

ScoredTexts read_texts(const ScoreCommand& command) {
  ScoredTexts texts;
  for (const std::string& path : command.references) {
    texts.references.push_back(read_lines(path));
    const Lines& lines = texts.references.back();
    if (lines.empty()) throw UserError("{} has no lines; expected references", path);
    require_same_length(path, lines, texts.references.front().size());
    if (!command.allow_empty) require_no_holes(path, lines);
  }
  const size_t lines = texts.references.front().size();
  texts.hypotheses = read_lines(command.hypotheses);
  require_same_length(command.hypotheses.empty() ? "standard input" : command.hypotheses, texts.hypotheses,
                      lines);
  if (!command.baseline.empty()) {
    texts.baseline = read_lines(command.baseline);
    require_same_length(command.baseline, texts.baseline, lines);
  }
  return texts;
}

void run_score(const ScoreCommand& command) {
  // Mistakes in options before files that may be large.
  check_metrics(command.metrics, command.options);
  for (const std::string& name : command.metrics) {
    if (command.baseline.empty() || name == "bleu" || name.starts_with("chrf")) continue;
    throw UserError("--baseline compares by bleu, chrf or chrf++, found the metric {}; leave one of them out",
                    name);
  }
  if (command.options.samples < 1 || command.options.samples > 1000000)
    throw UserError("samples is {}; it must be 1 to 1000000", command.options.samples);
  const ScoredTexts texts = read_texts(command);
  nlohmann::json all;
  for (const std::string& metric : command.metrics) {
    const Scored scored = score_text(metric, command.options, texts);
    if (command.json) {
      all[metric] = scored.json;
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
  command->add_option("--hypotheses,--input", options->hypotheses,
                      "the text to score, plain or gzip; standard input if not given");
  command
      ->add_option("--references,--reference", options->references,
                   "its references, a line a line; several files are several references of each")
      ->required();
  command
      ->add_option("--metric,--metrics", options->metrics,
                   "bleu, multi-bleu, chrf, chrf++, rouge, rouge-1.5.5")
      ->delimiter(',')
      ->capture_default_str();
  add_metric_options(*command, options->options);
  command->add_flag("--stemmer", options->options.stemmer, "ROUGE of words without their endings");
  command->add_flag("--allow-empty", options->allow_empty, "references may have empty lines");
  command->add_option("--baseline", options->baseline,
                      "another system's text: is the difference in BLEU or chrF chance?");
  command->add_option("--samples", options->options.samples, "of the paired bootstrap")
      ->capture_default_str();
  command->add_option("--seed", options->options.seed, "of the paired bootstrap")->capture_default_str();
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_score(*options); });
}

}  // namespace memsizer::cli
