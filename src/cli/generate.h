#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// translate, summarize and complete: text in, text out, a line an item.
void add_generate_commands(CLI::App& app);

}  // namespace memsizer::cli
