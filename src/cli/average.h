#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer average: one model from the mean of several.
void add_average(CLI::App& app);

}  // namespace memsizer::cli
