#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer export: a model file of the current version from a checkpoint or an older file.
void add_export(CLI::App& app);

}  // namespace memsizer::cli
