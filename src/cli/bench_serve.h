#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// bench-serve: the load generator for a server.
void add_bench_serve(CLI::App& app);

}  // namespace memsizer::cli
