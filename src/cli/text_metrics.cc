#include "cli/text_metrics.h"

#include "cli/text_input.h"
#include "core/enum_value.h"

namespace memsizer::cli {
namespace {

// Adds an option that takes the names of an enum's values; another name is a mistake that `what` opens.
template <typename Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, const std::string& what, Enum& field,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          name, [what, &field](const std::string& given) { field = named_value<Enum>(what, given); }, help)
      ->default_str(std::string(enum_name(field)));
}

}  // namespace

CLI::Option* add_metric_list(CLI::App& command, std::vector<metrics::Metric>& metrics,
                             const std::string& otherwise) {
  const auto set = [&metrics](const std::vector<std::string>& names) {
    metrics.clear();
    for (const std::string& name : names) metrics.push_back(metrics::text_metric_named(name));
  };
  return command
      .add_option_function<std::vector<std::string>>("--metric,--metrics", set,
                                                     metrics::text_metric_names() + otherwise)
      ->delimiter(',');
}

void add_metric_options(CLI::App& command, metrics::ScoreOptions& options) {
  add_choice(command, "--tokenizer", "tokenizer", options.tokenizer, "of BLEU: 13a, intl, zh, char, none");
  add_choice(command, "--smoothing", "smoothing", options.smoothing, "of BLEU: exp, floor, add-k, none");
  command.add_option("--smoothing-value", options.smoothing_value, "of floor (0.1) and add-k (1)");
  command.add_flag("--lowercase", options.lowercase, "BLEU and chrF without regard to case");
}

Lines read_lines(const std::string& path) {
  text::LineReader reader = open_text_input(path);
  Lines lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

}  // namespace memsizer::cli
