#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer shortlist: a model file that knows which target tokens each source token makes likely.
void add_shortlist_command(CLI::App& app);

}  // namespace memsizer::cli
