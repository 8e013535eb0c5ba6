#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// Subcommands that need LibTorch: memsizer hands them over to memsizer-train, the way git runs its helpers.
void add_helper_commands(CLI::App& app);

}  // namespace memsizer::cli
