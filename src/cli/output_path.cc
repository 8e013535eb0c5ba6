#include "cli/output_path.h"

#include <filesystem>
#include <system_error>

#include "core/error.h"

namespace memsizer::cli {

void require_other_file(const std::string& option, const std::string& output, const NamedPaths& inputs) {
  if (output.empty()) return;
  for (const auto& [name, input] : inputs) {
    // What is not there is no other file's.
    std::error_code missing;
    if (input.empty() || !std::filesystem::equivalent(output, input, missing)) continue;
    throw UserError("{} '{}' is the file of {}, which it would replace; choose another output", option,
                    output, name);
  }
}

}  // namespace memsizer::cli
