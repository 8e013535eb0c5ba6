#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memsizer::report {

// A run of words that two texts share, or that one of them has alone.
struct WordRun {
  std::string text;  // words joined by spaces
  bool shared = true;
};

struct WordDiff {
  std::vector<WordRun> left;
  std::vector<WordRun> right;
};

// Words are what stands between white space. Of texts too long to compare, only the common start and end are
// told apart from the middle.
WordDiff diff_words(std::string_view left, std::string_view right);

}  // namespace memsizer::report
