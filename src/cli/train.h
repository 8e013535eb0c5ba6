#pragma once

#include <CLI/CLI.hpp>

namespace memsizer::cli {

// memsizer train: part of memsizer-train, since it needs LibTorch.
void add_train(CLI::App& app);

}  // namespace memsizer::cli
