#include "cli/evaluate.h"

#include <memory>

#include "cli/evaluate_command.h"
#include "cli/output_path.h"
#include "core/error.h"
#include "kernels/thread_count.h"

namespace memsizer::cli {
namespace {

void run_evaluate(const EvaluateCommand& command) {
  if (command.limit < 0) throw UserError("limit is {}; it must be 0 (all) or more", command.limit);
  NamedPaths inputs = {{"--model", command.model}};
  for (const std::string& test : command.test) inputs.emplace_back("--test", test);
  require_other_file("--output", command.output, inputs);
  if (command.lead < 0) throw UserError("lead is {}; it must be at least 1", command.lead);
  if (command.lead > 0) {
    if (!command.model.empty())
      throw UserError("--lead takes a document's first sentences and no model; leave out one or the other");
    return evaluate_lead(command);
  }
  if (command.model.empty())
    throw UserError("no model given; name one with --model, or --lead N for a document's first N sentences");
  const auto model = engine::TextModel::load(command.model);
  const int threads = kernels::thread_count(command.threads);
  if (model->is_language_model()) {
    evaluate_stream(command, *model, threads);
  } else {
    evaluate_pairs(command, *model, threads);
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateCommand>();
  CLI::App* command = app.add_subcommand("evaluate", "Score a model on a test set, by length too");
  command->add_option("--model", options->model, "the model file");
  command
      ->add_option("--test", options->test,
                   "sources and references, a .tsv or .jsonl file of both, or a language model's text")
      ->required();
  command->add_option("--format", options->format, "parallel, tsv, jsonl (by the file's name if not given)");
  command->add_option("--source-key", options->source_key, "of JSON lines")->capture_default_str();
  command->add_option("--target-key", options->target_key, "of JSON lines")->capture_default_str();
  add_metric_list(*command, options->metrics, " (by the task if not given)");
  add_metric_options(*command, options->options);
  command->add_flag("--stemmer,!--no-stemmer", options->options.stemmer,
                    "ROUGE of words without their endings (the default)");
  command
      ->add_option("--buckets", options->buckets,
                   "largest length of each range of the table, such as 10,20,40")
      ->delimiter(',');
  command->add_option("--beam", options->beam,
                      "hypotheses kept in the search (the model's own if not given)");
  command->add_option("--length-penalty", options->length_penalty,
                      "scores are divided by length to this power");
  command->add_option("--max-source-tokens", options->max_source_tokens, "longer sources are cut");
  command->add_flag("--shortlist", options->shortlist,
                    "generate with the model's shortlist (memsizer shortlist)");
  command->add_flag("--no-perplexity", options->no_perplexity, "only generate, do not score the references");
  command->add_option("--window", options->window, "language models: tokens of a window")
      ->capture_default_str();
  command->add_option(
      "--score-last", options->score_last,
      "language models: tokens of it that are scored, the rest is context; the window for the "
      "plain protocol (half the window)");
  command->add_option("--lead", options->lead,
                      "instead of a model, the first sentences of each document: 3 in the paper");
  command->add_option("--limit", options->limit, "only the first of the set; 0 takes all")
      ->capture_default_str();
  command->add_option("--output", options->output, "file for the generated text");
  command->add_option("--threads", options->threads, "0 takes the physical cores")->capture_default_str();
  command->add_flag("--json", options->json, "machine-readable output");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace memsizer::cli
