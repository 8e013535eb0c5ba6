#pragma once

#include <span>
#include <string_view>

namespace memsizer::serve {

struct PageFile {
  const char* path;  // of the request
  const char* type;
  std::string_view text;
};

// The files of web/; made by cmake/EmbedPage.cmake.
std::span<const PageFile> page_files();

}  // namespace memsizer::serve
