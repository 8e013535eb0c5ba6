#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace memsizer::report {

// Progress of long work on stderr: on a terminal one line that is redrawn, with a bar and the time left;
// otherwise a plain line now and then.
class Progress {
 public:
  // `total` steps of work, `done` of them before this run; `every` is the number of steps between plain
  // lines.
  Progress(std::string title, int64_t total, int64_t done, int64_t every, std::FILE* out = stderr);
  ~Progress();

  // `detail` is shown after the bar, such as "loss 3.21  5100 tokens/s  lr 0.0005".
  void update(int64_t step, const std::string& detail);

  // A line of its own, above the bar.
  void note(const std::string& line);

  // Ends the bar's line.
  void finish();
};

}  // namespace memsizer::report
