#include "cli/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/complete_state.h"
#include "cli/generation_flags.h"
#include "cli/output_path.h"
#include "cli/text_input.h"
#include "core/atomic_file.h"
#include "core/error.h"
#include "engine/line_pipeline.h"
#include "engine/text_stream.h"
#include "text/white_space.h"

namespace memsizer::cli {
namespace {

// The command that generates with models of a task.
struct TaskCommand {
  Task task;
  const char* name;
  const char* description;
  const char* work;  // what its models are for
};

constexpr auto kTaskCommands = std::to_array<TaskCommand>(
    {{Task::Translation, "translate", "Translate text, a line a sentence", "translation"},
     {Task::Summarization, "summarize", "Summarise text, a line a document", "summarization"},
     {Task::LanguageModel, "complete", "Go on from prompts, one a line, with a language model",
      "language modelling"}});

struct GenerateCommand {
  Task task = Task::Translation;
  std::string model;
  std::string input;
  std::string output;
  GenerationFlags flags;
  int64_t n_best = 1;
  engine::GeneratorOptions generator;
  bool scores = false;
  bool stream = false;
  bool json = false;
  std::string save_state;
  std::string load_state;
};

void require_task(const GenerateCommand& command, const engine::TextModel& model) {
  const bool completes = command.task == Task::LanguageModel;
  if (completes == model.is_language_model()) return;
  const auto* own = std::ranges::find(kTaskCommands, model.description().task, &TaskCommand::task);
  throw UserError("{} is a model for {}; use memsizer {}", command.model, own->work, own->name);
}

engine::PipelineSettings settings_of(const GenerateCommand& command, const ModelDescription& description) {
  engine::PipelineSettings settings;
  GenerationOptions& options = settings.generation;
  options = command.flags.applied_to(engine::default_options(description));
  if (command.stream) {
    if (command.flags.beam)
      throw UserError(
          "--beam searches for the likeliest text, while --stream draws it; leave out one of them");
    options.sample = true;
  }
  options.n_best = command.n_best;
  if (options.sample && command.n_best > 1)
    throw UserError("--n-best {} needs a search; give --beam {} as well", command.n_best, command.n_best);
  settings.generator = command.generator;
  settings.validate();
  return settings;
}

std::string as_json(const engine::TextModel& model, uint64_t line, const std::string& source,
                    const engine::Result& result) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const engine::Output& output : result.outputs) {
    nlohmann::json tokens = nlohmann::json::array();
    for (const int32_t token : output.tokens) tokens.push_back(model.tokenizer().piece(token));
    outputs.push_back({{"text", output.text},
                       {"score", output.score},
                       {"tokens", tokens},
                       {"token_scores", output.token_scores}});
  }
  nlohmann::json json = {
      {"line", line + 1}, {"source", source}, {"source_tokens", result.source_tokens}, {"outputs", outputs}};
  if (!result.shortfall.empty()) json["shortfall"] = result.shortfall;
  // Text that is not UTF-8 came in from outside; it must not end the run.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_text(const GenerateCommand& command, uint64_t line, const engine::Result& result) {
  std::string text;
  if (command.n_best == 1) {
    const engine::Output output = result.outputs.empty() ? engine::Output{} : result.outputs.front();
    return command.scores ? fmt::format("{:.4f}\t{}\n", output.score, text::on_one_line(output.text))
                          : text::on_one_line(output.text) + "\n";
  }
  for (const engine::Output& output : result.outputs)
    text += fmt::format("{}\t{:.4f}\t{}\n", line + 1, output.score, text::on_one_line(output.text));
  return text;
}

void tell_shortfall(uint64_t line, const engine::Result& result) {
  if (result.tokens_read < result.source_tokens)
    fmt::print(stderr, "line {}: {} tokens, cut to {}\n", line + 1, result.source_tokens, result.tokens_read);
  if (!result.shortfall.empty()) fmt::print(stderr, "line {}: {}\n", line + 1, result.shortfall);
}

void stream_lines(const engine::TextModel& model, const engine::PipelineSettings& settings,
                  text::LineReader& reader) {
  engine::Generator generator(model, settings.generator);
  std::string line;
  for (uint64_t number = 0; reader.next(line); ++number) {
    engine::Request request;
    request.input = line;
    request.options = settings.generation;
    request.stream = number;
    const auto print = [](std::string_view piece) {
      fmt::print("{}", text::on_one_line(std::string(piece)));
      std::fflush(stdout);
      return std::ferror(stdout) == 0;
    };
    engine::Result result;
    try {
      result = engine::stream_text(generator, std::move(request), print);
    } catch (const UserError& error) {
      result.shortfall = error.what();
    }
    tell_shortfall(number, result);
    fmt::print("\n");
    std::fflush(stdout);
    if (std::ferror(stdout) != 0) throw UserError("could not write to standard output");
  }
}

void run_generate(const GenerateCommand& command) {
  require_other_file("--output", command.output, {{"--model", command.model}, {"--input", command.input}});
  const auto model = engine::TextModel::load(command.model);
  require_task(command, *model);
  const engine::PipelineSettings settings = settings_of(command, model->description());
  if (!command.save_state.empty() && (command.stream || command.n_best > 1 || !command.output.empty()))
    throw UserError("--save-state generates no text; it does not go with --stream, --n-best or --output");
  if (!command.load_state.empty() && command.stream)
    throw UserError("--load-state does not go with --stream; leave out one of them");
  text::LineReader reader = open_text_input(command.input);
  const auto read = [&](std::string& line) { return reader.next(line); };
  if (!command.save_state.empty())
    return save_text_state(*model, settings.generator, command.load_state, command.save_state, read);
  if (command.stream) {
    if (command.json || command.scores || !command.output.empty()) {
      throw UserError(
          "--stream prints text as it comes; it does not go with --json, --scores or --output: leave out "
          "one");
    }
    return stream_lines(*model, settings, reader);
  }
  std::optional<AtomicFile> file;
  if (!command.output.empty() && command.output != "-") file.emplace(command.output);
  const auto write = [&](uint64_t line, const std::string& source, const engine::Result& result) {
    tell_shortfall(line, result);
    const std::string text =
        command.json ? as_json(*model, line, source, result) : as_text(command, line, result);
    if (file) {
      file->write(text);
    } else {
      fmt::print("{}", text);
      std::fflush(stdout);
      if (std::ferror(stdout) != 0) throw UserError("could not write to standard output");
    }
  };
  if (command.load_state.empty()) {
    engine::LinePipeline(*model, settings).run(read, write, 0, [&] { reader.stop(); });
  } else {
    go_on_from_state(*model, settings, command.load_state, read, write);
  }
  if (file) file->commit();
}

void add_command(CLI::App& app, const TaskCommand& of) {
  auto options = std::make_shared<GenerateCommand>();
  options->task = of.task;
  CLI::App* command = app.add_subcommand(of.name, of.description);
  command->add_option("--model", options->model, "the model file")->required();
  command->add_option("--input", options->input, "text to read, plain or gzip; standard input if not given");
  command->add_option("--output", options->output,
                      "file to write, complete or not at all; standard output if not given");
  options->flags.add_to(*command, of.task != Task::LanguageModel);
  command->add_option("--n-best", options->n_best, "outputs for each line, as line, score and text")
      ->capture_default_str();
  command->add_flag("--scores", options->scores, "the score before each output");
  add_generator_options(*command, options->generator);
  command->add_flag("--stream", options->stream, "draw, and print the text as it comes");
  command->add_flag("--json", options->json, "a JSON object a line: texts, scores, tokens");
  if (of.task == Task::LanguageModel) {
    command->add_option(
        "--save-state", options->save_state,
        "read the input as one text of any length, and write the model's state after it to this file");
    command->add_option("--load-state", options->load_state,
                        "go on from this state; prompts come after its text");
  }
  command->callback([options] { run_generate(*options); });
}

}  // namespace

void add_generate_commands(CLI::App& app) {
  for (const TaskCommand& command : kTaskCommands) add_command(app, command);
}

}  // namespace memsizer::cli
