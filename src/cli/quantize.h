#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer quantize: a smaller model file for the runtime.
void add_quantize(CLI::App& app);

}  // namespace memsizer::cli
