#pragma once

#include <string>

#include "text/line_reader.h"

namespace memsizer::cli {

// The lines of a file, plain or gzip; of standard input if the path is empty or "-".
text::LineReader open_text_input(const std::string& path);

}  // namespace memsizer::cli
