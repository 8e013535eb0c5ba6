#include "cli/generation_flags.h"

#include "core/error.h"

namespace memsizer::cli {

void add_generator_options(CLI::App& command, engine::GeneratorOptions& options) {
  command.add_option("--threads", options.threads, "threads of each worker; 0 takes the physical cores")
      ->capture_default_str();
  command.add_option("--workers", options.workers, "batches computed at once, on shared weights")
      ->capture_default_str();
  command.add_option("--batch-tokens", options.batch_tokens, "source tokens computed together")
      ->capture_default_str();
}

void GenerationFlags::add_to(CLI::App& command, bool reads_source) {
  command.add_option("--beam", beam, "hypotheses kept in the search (the model's own if not given)");
  command.add_option("--length-penalty", length_penalty, "scores are divided by length to this power");
  command.add_option("--max-length", max_length, "longest output in tokens");
  command.add_option("--min-length", min_length, "shortest output in tokens");
  command.add_option("--no-repeat-ngram", no_repeat_ngram, "no n-gram of this length twice");
  command.add_option("--temperature", temperature, "draw at random, logits divided by this");
  command.add_option("--top-k", top_k, "draw from this many likeliest tokens");
  command.add_option("--top-p", top_p, "draw from the likeliest tokens of this probability together");
  command.add_option("--repetition-penalty", repetition_penalty,
                     "draw, tokens already there being less likely");
  command.add_option("--seed", seed, "draw with these random numbers");
  if (!reads_source) return;
  command.add_option("--max-source-tokens", max_source_tokens,
                     "longer sources are cut (what the model was trained to read)");
  command.add_flag("--shortlist", shortlist,
                   "choose among the tokens of the model's shortlist, which is faster (memsizer shortlist)");
}

GenerationOptions GenerationFlags::applied_to(GenerationOptions options) const {
  const bool draws = temperature || top_k || top_p || seed || repetition_penalty;
  if (beam && draws) {
    throw UserError(
        "--beam searches for the likeliest text, while --temperature, --top-k, --top-p, "
        "--repetition-penalty and --seed draw it at random; leave out one or the other");
  }
  if (draws) options.sample = true;
  if (beam) options.sample = false;
  const auto set = [](const auto& given, auto& option) {
    if (given) option = *given;
  };
  set(beam, options.beam);
  set(length_penalty, options.length_penalty);
  set(max_length, options.max_length);
  if (max_length) options.max_length_ratio = 0.0;
  set(min_length, options.min_length);
  set(no_repeat_ngram, options.no_repeat_ngram);
  set(temperature, options.temperature);
  set(top_k, options.top_k);
  set(top_p, options.top_p);
  set(repetition_penalty, options.repetition_penalty);
  set(seed, options.seed);
  set(max_source_tokens, options.max_source_tokens);
  if (shortlist) options.shortlist = true;
  return options;
}

}  // namespace memsizer::cli
