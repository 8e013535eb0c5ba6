#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

void add_compare(CLI::App& app);

}  // namespace memsizer::cli
