#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer mechanisms: the table of what each mechanism can do.
void add_mechanisms(CLI::App& app);

}  // namespace memsizer::cli
