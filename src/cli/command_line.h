#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace memsizer::cli {

// Runs a program's command line: parses, calls the chosen subcommand, and turns what goes wrong into one line
// on stderr and an exit code (2: a user's mistake, 1: our own bug).
int run_program(CLI::App& app, int argc, char** argv);

// Adds --set key=value (repeatable) to a subcommand.
void add_settings_option(CLI::App& command, std::vector<std::string>& settings);

}  // namespace memsizer::cli
