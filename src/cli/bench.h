#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer bench: speed, latency and memory of generation.
void add_bench(CLI::App& app);

}  // namespace memsizer::cli
