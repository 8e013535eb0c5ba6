#include "cli/shortlist.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/output_path.h"
#include "core/error.h"
#include "engine/shortlist_maker.h"
#include "model/model_file.h"

namespace memsizer::cli {
namespace {

struct ShortlistCommand {
  std::string model;
  std::string source;
  std::string target;
  std::string output;
  engine::ShortlistOptions options;
  int64_t pairs = 1'000'000;
};

void run_shortlist(const ShortlistCommand& command) {
  require_other_file("--output", command.output,
                     {{"--source", command.source}, {"--target", command.target}});
  command.options.validate();
  if (command.pairs < 1) throw UserError("pairs is {}; it must be at least 1", command.pairs);
  const std::filesystem::path path = model_path(command.model);
  require_shortlist_fits(read_description(SafetensorsFile::open(path)).config, command.model);
  const auto model = engine::TextModel::load(path);
  text::CorpusReport report;
  const auto reader = text::open_examples({}, {command.source, command.target}, report);
  const text::TokenPairs pairs = engine::token_pairs(*model, *reader, command.pairs);
  for (const std::string& line : report.lines()) fmt::print(stderr, "{}\n", line);
  const Shortlist shortlist = engine::make_shortlist(*model, pairs, command.options);
  const engine::ShortlistCoverage coverage = engine::coverage_of(shortlist, pairs);
  add_shortlist(path, shortlist, command.output);
  fmt::print(
      "{}: a shortlist from {} pairs: {:.0f} of {} tokens per source, {:.2f} % of the targets' tokens\n",
      command.output, pairs.size(), coverage.candidates, model->description().config.vocab,
      100.0 * coverage.covered);
}

}  // namespace

void add_shortlist_command(CLI::App& app) {
  auto options = std::make_shared<ShortlistCommand>();
  CLI::App* command = app.add_subcommand(
      "shortlist", "Give a model the list of likely target tokens per source token, for --shortlist");
  command->add_option("--model", options->model, "the model file")->required();
  command->add_option("--source", options->source, "sources of the training corpus, plain or gzip")
      ->required();
  command->add_option("--target", options->target, "their targets, line by line")->required();
  command->add_option("--best", options->options.best, "likeliest target tokens kept per source token")
      ->capture_default_str();
  command
      ->add_option("--frequent", options->options.frequent,
                   "most frequent target tokens, which every output may have")
      ->capture_default_str();
  command->add_option("--pairs", options->pairs, "pairs used at most: an even sample of a larger corpus")
      ->capture_default_str();
  command->add_option("--output", options->output, "model file to write, weights and all")->required();
  command->callback([options] { run_shortlist(*options); });
}

}  // namespace memsizer::cli
