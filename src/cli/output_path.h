#pragma once

#include <string>
#include <utility>
#include <vector>

namespace memsizer::cli {

// Options and the files that they name.
using NamedPaths = std::vector<std::pair<std::string, std::string>>;

// Throws UserError if the output, which `option` names, is one of the inputs, by whatever path: it would
// replace it.
void require_other_file(const std::string& option, const std::string& output, const NamedPaths& inputs);

}  // namespace memsizer::cli
