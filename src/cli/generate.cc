#include "cli/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/atomic_file.h"
#include "core/error.h"
#include "engine/line_pipeline.h"
#include "engine/text_stream.h"
#include "text/line_reader.h"

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
  // Unset ones are the model's own.
  std::optional<int64_t> beam;
  std::optional<double> length_penalty;
  std::optional<int64_t> max_length;
  std::optional<int64_t> min_length;
  std::optional<int64_t> no_repeat_ngram;
  std::optional<double> temperature;
  std::optional<int64_t> top_k;
  std::optional<double> top_p;
  std::optional<double> repetition_penalty;
  std::optional<int64_t> seed;
  std::optional<int64_t> max_source_tokens;
  int64_t n_best = 1;
  int threads = 0;
  int workers = 1;
  int64_t batch_tokens = 4096;
  bool scores = false;
  bool stream = false;
  bool json = false;
};

void require_task(const GenerateCommand& command, const engine::TextModel& model) {
  const bool completes = command.task == Task::LanguageModel;
  if (completes == model.is_language_model()) return;
  const auto* own = std::ranges::find(kTaskCommands, model.description().task, &TaskCommand::task);
  throw UserError("{} is a model for {}; use memsizer {}", command.model, own->work, own->name);
}

engine::PipelineSettings settings_of(const GenerateCommand& command, const ModelDescription& description) {
  engine::PipelineSettings settings;
  engine::GenerationSettings& generation = settings.generation;
  generation = engine::GenerationSettings::of(description);
  decode::GenerationOptions& search = generation.search;
  decode::SamplingOptions& sampling = generation.sampling;
  const bool draws = command.temperature || command.top_k || command.top_p || command.seed ||
                     command.repetition_penalty || command.stream;
  if (command.beam && draws) {
    throw UserError(
        "--beam searches for the likeliest text, while --temperature, --top-k, --top-p, "
        "--repetition-penalty, --seed and --stream draw it at random; leave out one or the other");
  }
  if (draws) generation.sample = true;
  if (command.beam) generation.sample = false;
  sampling.max_length_ratio = search.max_length_ratio;
  sampling.max_length = search.max_length;
  sampling.min_length = search.min_length;
  sampling.no_repeat_ngram = search.no_repeat_ngram;
  if (command.beam) search.beam = *command.beam;
  if (command.length_penalty) search.length_penalty = *command.length_penalty;
  search.n_best = command.n_best;
  if (command.max_length) {
    search.max_length = sampling.max_length = *command.max_length;
    search.max_length_ratio = sampling.max_length_ratio = 0.0;
  }
  if (command.min_length) search.min_length = sampling.min_length = *command.min_length;
  if (command.no_repeat_ngram) search.no_repeat_ngram = sampling.no_repeat_ngram = *command.no_repeat_ngram;
  if (command.temperature) sampling.temperature = *command.temperature;
  if (command.top_k) sampling.top_k = *command.top_k;
  if (command.top_p) sampling.top_p = *command.top_p;
  if (command.repetition_penalty) sampling.repetition_penalty = *command.repetition_penalty;
  if (command.seed) sampling.seed = *command.seed;
  if (command.max_source_tokens) generation.max_source_tokens = *command.max_source_tokens;
  if (generation.sample && command.n_best > 1)
    throw UserError("--n-best {} needs a search; give --beam {} as well", command.n_best, command.n_best);
  settings.threads = command.threads;
  settings.workers = command.workers;
  settings.batch_tokens = command.batch_tokens;
  settings.validate();
  return settings;
}

// Text that stays on its line.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
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
  const nlohmann::json json = {
      {"line", line + 1}, {"source", source}, {"source_tokens", result.source_tokens}, {"outputs", outputs}};
  // Text that is not UTF-8 came in from outside; it must not end the run.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_text(const GenerateCommand& command, uint64_t line, const engine::Result& result) {
  std::string text;
  if (command.n_best == 1) {
    const engine::Output output = result.outputs.empty() ? engine::Output{} : result.outputs.front();
    return command.scores ? fmt::format("{:.4f}\t{}\n", output.score, on_one_line(output.text))
                          : on_one_line(output.text) + "\n";
  }
  for (const engine::Output& output : result.outputs)
    text += fmt::format("{}\t{:.4f}\t{}\n", line + 1, output.score, on_one_line(output.text));
  return text;
}

void stream_line(const engine::TextModel& model, runtime::Work& work,
                 const engine::GenerationSettings& settings, const std::string& line, uint64_t number) {
  engine::stream_text(model, work, settings, line, number, [](std::string_view piece) {
    fmt::print("{}", on_one_line(std::string(piece)));
    std::fflush(stdout);
    return std::ferror(stdout) == 0;
  });
  fmt::print("\n");
  std::fflush(stdout);
}

engine::LinePipeline::ReadLine line_source(const std::string& input) {
  if (!input.empty() && input != "-") {
    auto reader = std::make_shared<text::LineReader>(input, input);
    return [reader](std::string& line) { return reader->next(line); };
  }
  return [](std::string& line) {
    if (!std::getline(std::cin, line)) return false;
    if (line.ends_with('\r')) line.pop_back();
    return true;
  };
}

void run_generate(const GenerateCommand& command) {
  const auto model = engine::TextModel::load(command.model);
  require_task(command, *model);
  const engine::PipelineSettings settings = settings_of(command, model->description());
  const engine::LinePipeline::ReadLine read = line_source(command.input);
  if (command.stream) {
    if (command.json || !command.output.empty())
      throw UserError("--stream prints text as it comes; it does not go with --json or --output");
    runtime::Work work(settings.threads > 0 ? settings.threads : kernels::physical_cores());
    std::string line;
    for (uint64_t number = 0; read(line); ++number)
      stream_line(*model, work, settings.generation, line, number);
    return;
  }
  std::optional<AtomicFile> file;
  if (!command.output.empty() && command.output != "-") file.emplace(command.output);
  engine::LinePipeline pipeline(*model, settings);
  pipeline.run(read, [&](uint64_t line, const std::string& source, const engine::Result& result) {
    if (result.tokens_read < result.source_tokens) {
      fmt::print(stderr, "line {}: {} tokens, cut to {}\n", line + 1, result.source_tokens,
                 result.tokens_read);
    }
    const std::string text =
        command.json ? as_json(*model, line, source, result) : as_text(command, line, result);
    if (file) {
      file->write(text);
    } else {
      fmt::print("{}", text);
      std::fflush(stdout);
      if (std::ferror(stdout) != 0) throw UserError("could not write to standard output");
    }
  });
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
  command->add_option("--beam", options->beam,
                      "hypotheses kept in the search (the model's own if not given)");
  command->add_option("--length-penalty", options->length_penalty,
                      "scores are divided by length to this power");
  command->add_option("--n-best", options->n_best, "outputs for each line, as line, score and text")
      ->capture_default_str();
  command->add_flag("--scores", options->scores, "the score before each output");
  command->add_option("--max-length", options->max_length, "longest output in tokens");
  command->add_option("--min-length", options->min_length, "shortest output in tokens");
  command->add_option("--no-repeat-ngram", options->no_repeat_ngram, "no n-gram of this length twice");
  command->add_option("--temperature", options->temperature, "draw at random, logits divided by this");
  command->add_option("--top-k", options->top_k, "draw from this many likeliest tokens");
  command->add_option("--top-p", options->top_p,
                      "draw from the likeliest tokens of this probability together");
  command->add_option("--repetition-penalty", options->repetition_penalty,
                      "draw, tokens already there being less likely");
  command->add_option("--seed", options->seed, "draw with these random numbers");
  if (of.task != Task::LanguageModel)
    command->add_option("--max-source-tokens", options->max_source_tokens,
                        "longer sources are cut (what the model was trained to read)");
  command->add_option("--threads", options->threads, "threads of each worker; 0 takes the physical cores")
      ->capture_default_str();
  command->add_option("--workers", options->workers, "batches computed at once, on shared weights")
      ->capture_default_str();
  command->add_option("--batch-tokens", options->batch_tokens, "source tokens computed together")
      ->capture_default_str();
  command->add_flag("--stream", options->stream, "draw, and print the text as it comes");
  command->add_flag("--json", options->json, "a JSON object a line: texts, scores, tokens");
  command->callback([options] { run_generate(*options); });
}

}  // namespace

void add_generate_commands(CLI::App& app) {
  for (const TaskCommand& command : kTaskCommands) add_command(app, command);
}

}  // namespace memsizer::cli
