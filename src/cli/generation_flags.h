#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

#include "core/generation_options.h"
#include "engine/generator.h"

namespace memsizer::cli {

// The options of the generator that every command has which generates lines of text.
void add_generator_options(CLI::App& command, engine::GeneratorOptions& options);

// The options of generation as a command line gives them; unset ones are the model's own.
struct GenerationFlags {
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
  bool shortlist = false;

  // Adds them to a subcommand; the last ones only where there is a source.
  void add_to(CLI::App& command, bool reads_source);

  // Throws UserError if some of them ask for a search and others for drawing at random.
  GenerationOptions applied_to(GenerationOptions options) const;
};

}  // namespace memsizer::cli
