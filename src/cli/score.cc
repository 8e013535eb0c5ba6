#include "cli/score.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/text_metrics.h"
#include "core/enum_value.h"
#include "core/error.h"

namespace memsizer::cli {
namespace {

struct ScoreCommand {
  std::string hypotheses;
  std::vector<std::string> references;
  std::vector<metrics::Metric> metrics = {metrics::Metric::Bleu};
  metrics::ScoreOptions options;
  int64_t seed = 12345;
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

metrics::ScoredTexts read_texts(const ScoreCommand& command) {
  metrics::ScoredTexts texts;
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
  for (const metrics::Metric metric : command.metrics) {
    const metrics::MetricTraits& traits = metrics::traits_of(metric);
    if (command.baseline.empty() || traits.takes_baseline) continue;
    throw UserError("--baseline compares by bleu, chrf or chrf++, found the metric {}; leave one of them out",
                    traits.name);
  }
  const int64_t samples = command.options.bootstrap.samples;
  if (samples < 1 || samples > 1000000) throw UserError("samples is {}; it must be 1 to 1000000", samples);
  const metrics::ScoredTexts texts = read_texts(command);
  nlohmann::json all;
  for (const metrics::Metric metric : command.metrics) {
    const metrics::TextScore scored = metrics::score_text(metric, texts, command.options);
    if (command.json) {
      all[enum_name(metric)] = scored.json;
    } else {
      fmt::print("{}\n", scored.line);
    }
  }
  if (command.json) fmt::print("{}\n", all.dump(2));
}

}  // namespace

void add_score(CLI::App& app) {
  auto options = std::make_shared<ScoreCommand>();
  options->options.stemmer = false;
  CLI::App* command = app.add_subcommand("score", "Score text against references: BLEU, chrF, ROUGE");
  command->add_option("--hypotheses,--input", options->hypotheses,
                      "the text to score, plain or gzip; standard input if not given");
  command
      ->add_option("--references,--reference", options->references,
                   "its references, a line a line; several files are several references of each")
      ->required();
  add_metric_list(*command, options->metrics, "")->default_str("bleu");
  add_metric_options(*command, options->options);
  command->add_flag("--stemmer", options->options.stemmer, "ROUGE of words without their endings");
  command->add_flag("--allow-empty", options->allow_empty, "references may have empty lines");
  command->add_option("--baseline", options->baseline,
                      "another system's text: is the difference in BLEU or chrF chance?");
  command->add_option("--samples", options->options.bootstrap.samples, "of the paired bootstrap")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the paired bootstrap")->capture_default_str();
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] {
    options->options.bootstrap.seed = static_cast<uint64_t>(options->seed);
    run_score(*options);
  });
}

}  // namespace memsizer::cli
