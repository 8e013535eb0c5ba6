#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

void add_evaluate(CLI::App& app);

}  // namespace memsizer::cli
