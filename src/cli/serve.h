#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// serve: models behind HTTP. `version` is the program's.
void add_serve(CLI::App& app, const char* version);

}  // namespace memsizer::cli
