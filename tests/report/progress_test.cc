#include "report/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "report/shown_text.h"
#include "support/messages.h"

namespace memsizer::report {
namespace {

using testing::has_text;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// What `use` prints to something that is no terminal, line by line.
template <typename Use>
std::vector<std::string> plain_lines(const Use& use) {
  const File file(std::tmpfile());
  use(file.get());
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) text += static_cast<char>(c);
  std::vector<std::string> lines = split(text, '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  return lines;
}

// What `use` prints to a terminal of this width; nothing where the system has no pseudo-terminals to give.
template <typename Use>
std::string terminal_text(unsigned short columns, const Use& use) {
  int controller = -1;
  int terminal = -1;
  winsize size{};
  size.ws_row = 24;
  size.ws_col = columns;
  if (::openpty(&controller, &terminal, nullptr, nullptr, &size) != 0) return {};
  {
    const File file(::fdopen(terminal, "w"));
    use(file.get());
    std::fflush(file.get());
  }
  std::string text;
  char buffer[4096];
  for (ssize_t got = ::read(controller, buffer, sizeof buffer); got > 0;
       got = ::read(controller, buffer, sizeof buffer)) {
    text.append(buffer, static_cast<size_t>(got));
  }
  ::close(controller);
  return text;
}

TEST(Progress, PlainLinesNowAndThen) {
  const auto lines = plain_lines([](std::FILE* out) {
    Progress progress("train", 25, 0, 10, out);
    for (int64_t step = 1; step <= 25; ++step) progress.update(step, "loss 1.5");
    progress.finish();
  });
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("train: 40%  10/25  loss 1.5  0:00:00 left")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("train: 80%  20/25  loss 1.5")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("train: 100%  25/25  loss 1.5  took 0:00:00")) << lines[2];
}

TEST(Progress, LastLineComesOnce) {
  const auto lines = plain_lines([](std::FILE* out) {
    Progress progress("train", 20, 0, 10, out);
    for (int64_t step = 1; step <= 20; ++step) progress.update(step, "");
    progress.update(20, "");
    progress.finish();
    progress.finish();
  });
  EXPECT_EQ(lines.size(), 2U);
}

TEST(Progress, StepsMayComeInLeaps) {
  const auto lines = plain_lines([](std::FILE* out) {
    Progress progress("train", 100, 0, 10, out);
    for (const int64_t step : {7, 14, 15, 39, 41, 49}) progress.update(step, "");
  });
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(has_text(lines[0], "14/100"));
  EXPECT_TRUE(has_text(lines[1], "39/100"));
  EXPECT_TRUE(has_text(lines[2], "41/100"));
}

TEST(Progress, ResumedRunCountsFromWhereItStarts) {
  const auto lines = plain_lines([](std::FILE* out) {
    Progress progress("train", 1000, 500, 100, out);
    progress.update(501, "");
    progress.update(600, "");
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("train: 60%  600/1000")) << lines[0];
}

TEST(Progress, NotesAndOddNumbers) {
  const auto lines = plain_lines([](std::FILE* out) {
    Progress nothing("none", 0, 0, 0, out);
    nothing.update(1, "");
    nothing.note("saved\x1b[2J");
    Progress unknown("open", 0, 0, 2, out);
    unknown.update(2, "going");
  });
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "saved\ufffd[2J");
  EXPECT_EQ(lines[1], "open: 2  going");
}

TEST(Progress, TerminalLineIsRedrawnWithinTheWidth) {
  const std::string text = terminal_text(60, [](std::FILE* out) {
    Progress progress("train", 1000, 0, 10, out);
    for (int64_t step = 1; step <= 1000; ++step) progress.update(step, "loss 1.5  5100 tokens/s  lr 0.0005");
    progress.finish();
  });
  if (text.empty()) GTEST_SKIP() << "no pseudo-terminal";
  EXPECT_TRUE(text.ends_with("\r\n"));
  const std::vector<std::string> draws = split(text, '\r');
  for (const std::string& draw : draws) EXPECT_LT(text_columns(draw), 60U) << draw;
  EXPECT_EQ(split(text, '\n').size(), 2U) << text;
  // A thousand updates within a moment, but about ten draws a second.
  EXPECT_LT(draws.size(), 100U);
  EXPECT_TRUE(has_text(draws.at(1), "1/1000"));
  EXPECT_TRUE(has_text(draws.at(draws.size() - 2), "100%  1000/1000"));
}

TEST(Progress, TerminalNoteStandsAboveTheBar) {
  const std::string text = terminal_text(60, [](std::FILE* out) {
    Progress progress("train", 10, 0, 1, out);
    progress.update(3, "loss 1.5");
    progress.note("step 3: saved");
  });
  if (text.empty()) GTEST_SKIP() << "no pseudo-terminal";
  EXPECT_TRUE(has_text(text, " \rstep 3: saved\r\n\rtrain  [")) << text;
  EXPECT_TRUE(text.ends_with("\r\n"));
}

TEST(Progress, UnusedBarLeavesTheTerminalAlone) {
  const std::string text = terminal_text(60, [](std::FILE* out) {
    { Progress progress("train", 10, 0, 1, out); }
    std::fputs("after", out);
  });
  if (text.empty()) GTEST_SKIP() << "no pseudo-terminal";
  EXPECT_EQ(text, "after");
}

}  // namespace
}  // namespace memsizer::report
