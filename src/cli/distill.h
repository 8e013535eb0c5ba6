#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer distill: a teacher's outputs for a corpus, for a student to train on.
void add_distill(CLI::App& app);

}  // namespace memsizer::cli
