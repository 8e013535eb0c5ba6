#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer info: what a configuration or a model file amounts to, without building anything.
void add_info(CLI::App& app);

}  // namespace memsizer::cli
