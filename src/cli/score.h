#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer score: metrics of existing text.
void add_score(CLI::App& app);

}  // namespace memsizer::cli
