#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "report/progress_line.h"
#include "report/step_rate.h"

namespace memsizer::report {

// Progress of long work on stderr: on a terminal one line that is redrawn, with a bar and the time left;
// otherwise a plain line now and then.
class Progress {
 public:
  // `total` steps of work, `done` of them before this run; `every` is the number of steps between plain
  // lines.
  Progress(std::string title, int64_t total, int64_t done, int64_t every, std::FILE* out = stderr);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // `detail` is shown after the bar, such as "loss 3.21  5100 tokens/s  lr 0.0005".
  void update(int64_t step, const std::string& detail);

  // A line of its own, above the bar.
  void note(const std::string& line);

  // Ends the bar's line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void print_when_due(int64_t previous_step);
  void draw();
  void erase();
  void put(const std::string& text);
  void refresh_time();

  ProgressState state_;
  int64_t every_;
  std::FILE* out_;
  bool terminal_;
  StepRate rate_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_draw_;
  size_t drawn_columns_ = 0;  // of the bar's line on the screen; 0: there is none
  bool stale_ = false;        // the state has changed since it was drawn or printed
};

}  // namespace memsizer::report
