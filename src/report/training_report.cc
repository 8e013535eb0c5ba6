#include "report/training_report.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "report/page.h"
#include "report/shown_text.h"
#include "report/word_diff.h"

namespace memsizer::report {
namespace {

std::string runs_markup(const std::vector<WordRun>& runs, std::string_view element,
                        std::string_view css_class) {
  std::string markup;
  for (const WordRun& run : runs) {
    if (!markup.empty()) markup += ' ';
    const std::string text = escape_markup(run.text);
    markup += run.shared ? text : fmt::format("<{0} class=\"{1}\">{2}</{0}>", element, css_class, text);
  }
  return markup.empty() ? "<i class=\"quiet\">(empty)</i>" : markup;
}

std::string sample_row(const SampleOutput& sample) {
  std::string reference;
  std::string output;
  if (sample.reference.empty()) {
    // Without a reference, as in a language model's continuation, there is nothing to differ from.
    reference = "<i class=\"quiet\">(none)</i>";
    output = sample.output.empty() ? "<i class=\"quiet\">(empty)</i>" : escape_markup(sample.output);
  } else {
    const WordDiff diff = diff_words(clean_text(sample.reference), clean_text(sample.output));
    reference = runs_markup(diff.left, "del", "lost");
    output = runs_markup(diff.right, "ins", "new");
  }
  return fmt::format(
      "<tr><td data-label=\"Source\" dir=\"auto\">{}</td><td data-label=\"Reference\" dir=\"auto\">{}</td>"
      "<td data-label=\"Output\" dir=\"auto\">{}</td></tr>\n",
      escape_markup(sample.source), reference, output);
}

std::string samples_section(const TrainingReport& report) {
  if (report.samples.empty()) return {};
  std::string rows;
  for (const SampleOutput& sample : report.samples) rows += sample_row(sample);
  return fmt::format(
      "<section>\n<h2>Sample outputs</h2>\n"
      "<p class=\"key\">Marked: <del class=\"lost\">words of the reference that the output lacks</del>, "
      "<ins class=\"new\">words of the output that the reference lacks</ins>.</p>\n"
      "<table class=\"samples\">\n<thead><tr><th scope=\"col\">Source</th><th scope=\"col\">Reference</th>"
      "<th scope=\"col\">Output</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</section>\n",
      rows);
}

std::string recipe_section(const TrainingReport& report) {
  if (report.recipe.empty()) return {};
  // The parser drops a newline right after <pre>; with one of ours there, the recipe's own survives.
  return fmt::format(
      "<section>\n<h2>Recipe</h2>\n<details>\n<summary>The resolved recipe, as the run used it</summary>\n"
      "<pre>\n{}</pre>\n</details>\n</section>\n",
      escape_markup(report.recipe));
}

}  // namespace

void write_training_report(const std::filesystem::path& path, const TrainingReport& report) {
  const std::string text = page(report.title, facts_section(report.summary) + charts_section(report.charts) +
                                                  samples_section(report) + recipe_section(report));
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace memsizer::report
