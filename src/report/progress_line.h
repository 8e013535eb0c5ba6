#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace memsizer::report {

// What a line of progress says.
struct ProgressState {
  std::string title;
  int64_t step = 0;
  int64_t total = 0;  // 0: not known
  std::string detail;
  std::string time;  // such as "0:12:33 left"; may be empty
};

// Hours, minutes and seconds, as in "1:02:33".
std::string duration_text(double seconds);

// "train: 43%  430/1000  loss 3.21  0:12:33 left"
std::string plain_line(const ProgressState& state);

// The same with a bar, at most `columns` wide: the bar shrinks first, then the detail is cut, then the bar
// goes.
std::string bar_line(const ProgressState& state, size_t columns);

}  // namespace memsizer::report
