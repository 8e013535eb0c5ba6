#include "cli/distill.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/generation_flags.h"
#include "cli/output_path.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/options.h"
#include "core/resumable_lines.h"
#include "engine/line_pipeline.h"
#include "report/progress.h"
#include "text/line_reader.h"
#include "text/white_space.h"

namespace memsizer::cli {
namespace {

constexpr int64_t kProgressLines = 1024;  // between two lines about progress
// Lines that are sorted by length together, the longest first: what an interruption may cost.
constexpr int64_t kWindow = 1024;

struct DistillCommand {
  std::string model;
  std::string input;
  std::string output;
  GenerationFlags flags;
  engine::GeneratorOptions generator;
};

struct Corpus {
  int64_t lines = 0;
  std::string hash;
};

Corpus survey(const std::string& input) {
  text::LineReader reader(input, input);
  ContentHash hash;
  for (std::string line; reader.next(line);) hash.field(line);
  return {reader.lines(), hash.hex()};
}

// What a line's output depends on; nothing else may change between two runs.
ResumableLines::Settings settings_of(const engine::TextModel& model, const Corpus& corpus,
                                     GenerationOptions options) {
  ResumableLines::Settings settings = {{"model", model.model().hash()}, {"input", corpus.hash}};
  for (const OptionRef& option : collect_options(options, "")) settings[option.path] = option.get().dump();
  return settings;
}

void run_distill(const DistillCommand& command) {
  require_other_file("--output", command.output, {{"--model", command.model}, {"--input", command.input}});
  const auto model = engine::TextModel::load(command.model);
  if (model->is_language_model()) {
    throw UserError("{} is a language model; distill takes a teacher that translates or summarises",
                    command.model);
  }
  engine::PipelineSettings settings;
  settings.generation = command.flags.applied_to(engine::default_options(model->description()));
  settings.generator = command.generator;
  settings.read_ahead = kWindow;
  settings.validate();
  const Corpus corpus = survey(command.input);
  ResumableLines lines(command.output, settings_of(*model, corpus, settings.generation));
  const int64_t before = lines.lines();
  if (before > corpus.lines) {
    throw UserError("'{}.partial' has {} lines, but {} has {}; remove it to start from the beginning",
                    command.output, before, command.input, corpus.lines);
  }
  report::Progress progress("distilling", corpus.lines, before, kProgressLines);
  if (before > 0) progress.note(fmt::format("going on after line {} of {}", before, corpus.lines));

  text::LineReader reader(command.input, command.input);
  for (std::string done; reader.lines() < before;) reader.next(done);
  int64_t truncated = 0;
  engine::LinePipeline pipeline(*model, settings);
  pipeline.run([&](std::string& line) { return reader.next(line); },
               [&](uint64_t, const std::string&, const engine::Result& result) {
                 lines.add(result.outputs.empty() ? "" : text::on_one_line(result.outputs.front().text));
                 if (result.tokens_read < result.source_tokens) ++truncated;
                 progress.update(lines.lines(), "");
               },
               static_cast<uint64_t>(before));
  lines.commit();
  progress.finish();
  if (truncated > 0)
    fmt::print(stderr, "{} sources were too long and truncated (--max-source-tokens)\n", truncated);
}

}  // namespace

void add_distill(CLI::App& app) {
  auto options = std::make_shared<DistillCommand>();
  CLI::App* command =
      app.add_subcommand("distill", "Write a teacher's outputs for a corpus, for a student to train on");
  command->add_option("--model", options->model, "the teacher's model file")->required();
  command->add_option("--input", options->input, "sources, one per line, plain or gzip")->required();
  command
      ->add_option("--output", options->output,
                   "file to write, one line per source; waits in OUTPUT.partial until it is complete, from "
                   "which the same command goes on")
      ->required();
  options->flags.add_to(*command, /*reads_source=*/true);
  add_generator_options(*command, options->generator);
  command->callback([options] { run_distill(*options); });
}

}  // namespace memsizer::cli
