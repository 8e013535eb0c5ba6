#include "report/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "report/shown_text.h"

namespace memsizer::report {
namespace {

constexpr std::chrono::milliseconds kBetweenDraws(100);
constexpr size_t kUsualColumns = 80;

// One less than there are: a character in the last column makes some terminals wrap.
size_t usable_columns(std::FILE* out) {
  winsize size{};
  const bool known = ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : kUsualColumns) - 1;
}

}  // namespace

Progress::Progress(std::string title, int64_t total, int64_t done, int64_t every, std::FILE* out)
    : state_{.title = std::move(title), .step = done, .total = total, .detail = {}, .time = {}},
      every_(every),
      out_(out),
      terminal_(::isatty(::fileno(out)) == 1),
      rate_(done) {}

Progress::~Progress() {
  finish();
}

void Progress::update(int64_t step, const std::string& detail) {
  const int64_t previous_step = std::exchange(state_.step, step);
  state_.detail = detail;
  rate_.advance(step, std::chrono::duration<double>(Clock::now() - start_).count());
  stale_ = true;
  if (!terminal_) {
    print_when_due(previous_step);
  } else if (drawn_columns_ == 0 || Clock::now() - last_draw_ >= kBetweenDraws) {
    draw();
  }
}

void Progress::note(const std::string& line) {
  const bool redraw = drawn_columns_ > 0;
  erase();
  put(fmt::format("{}\n", clean_text(line)));
  if (redraw) draw();
}

void Progress::finish() {
  if (!terminal_) return;
  if (stale_) draw();
  if (drawn_columns_ > 0) put("\n");
  drawn_columns_ = 0;
}

// The caller need not come by at every step: what counts is that a multiple of `every_` was reached or
// passed.
void Progress::print_when_due(int64_t previous_step) {
  const bool reached = every_ > 0 && state_.step / every_ > previous_step / every_;
  const bool ended = state_.total > 0 && state_.step >= state_.total && previous_step < state_.total;
  if (!reached && !ended) return;
  refresh_time();
  put(fmt::format("{}\n", plain_line(state_)));
}

void Progress::draw() {
  refresh_time();
  const size_t columns = usable_columns(out_);
  std::string line = bar_line(state_, columns);
  const size_t line_columns = text_columns(line);
  // Spaces over the rest of a longer line before it; after the window has shrunk no more than fit.
  const size_t covered = std::min(drawn_columns_, columns);
  if (covered > line_columns) line.append(covered - line_columns, ' ');
  put(fmt::format("\r{}", line));
  drawn_columns_ = line_columns;
  last_draw_ = Clock::now();
  stale_ = false;
}

void Progress::erase() {
  if (drawn_columns_ == 0) return;
  put(fmt::format("\r{}\r", std::string(std::min(drawn_columns_, usable_columns(out_)), ' ')));
  drawn_columns_ = 0;
}

void Progress::put(const std::string& text) {
  // Progress that cannot be shown is no reason to stop the work.
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

void Progress::refresh_time() {
  state_.time.clear();
  if (state_.total <= 0) return;
  if (state_.step >= state_.total) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    state_.time = fmt::format("took {}", duration_text(seconds));
  } else if (const std::optional<double> left = rate_.seconds_for(state_.total - state_.step)) {
    state_.time = fmt::format("{} left", duration_text(*left));
  }
}

}  // namespace memsizer::report
