#include "cli/text_input.h"

#include <unistd.h>

namespace memsizer::cli {

text::LineReader open_text_input(const std::string& path) {
  if (path.empty() || path == "-") return {STDIN_FILENO, "standard input"};
  return {path, path};
}

}  // namespace memsizer::cli
