#pragma once

#include <string>

namespace memsizer::demo {

// The same thing said in both languages; both empty where a sentence lacks it.
struct Phrase {
  std::string english;
  std::string german;

  bool empty() const { return english.empty(); }
};

}  // namespace memsizer::demo
