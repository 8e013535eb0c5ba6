#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "core/enum_value.h"

namespace memsizer::cli {

// Runs a program's command line: parses, calls the chosen subcommand, and turns what goes wrong into one line
// on stderr and an exit code (2: a user's mistake, 1: our own bug).
int run_program(CLI::App& app, int argc, char** argv);

// Adds --set key=value (repeatable) to a subcommand.
void add_settings_option(CLI::App& command, std::vector<std::string>& settings);

// Adds an option that takes the names of an enum's values; another name is a mistake that `what` opens.
template <typename Enum>
CLI::Option* add_choice(CLI::App& command, const std::string& name, const std::string& what, Enum& field,
                        const std::string& help) {
  return command
      .add_option_function<std::string>(
          name, [what, &field](const std::string& given) { field = named_value<Enum>(what, given); }, help)
      ->default_str(std::string(enum_name(field)));
}

}  // namespace memsizer::cli
