#include "cli/text_metrics.h"

#include <iostream>

#include "cli/command_line.h"
#include "text/line_reader.h"

namespace memsizer::cli {

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

}  // namespace memsizer::cli
