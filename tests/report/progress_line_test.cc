#include "report/progress_line.h"

#include <gtest/gtest.h>

#include <limits>

#include "report/shown_text.h"
#include "support/messages.h"

namespace memsizer::report {
namespace {

using testing::has_text;

ProgressState example() {
  return {
      .title = "train", .step = 430, .total = 1000, .detail = "loss 3.21  lr 0.0005", .time = "0:12:33 left"};
}

TEST(ProgressLine, Durations) {
  EXPECT_EQ(duration_text(0), "0:00:00");
  EXPECT_EQ(duration_text(59.4), "0:00:59");
  EXPECT_EQ(duration_text(59.6), "0:01:00");
  EXPECT_EQ(duration_text(3753), "1:02:33");
  EXPECT_EQ(duration_text(360000), "100:00:00");
  EXPECT_EQ(duration_text(-5), "0:00:00");
  EXPECT_TRUE(duration_text(std::numeric_limits<double>::infinity()).ends_with(":40"));
}

TEST(ProgressLine, PlainLine) {
  EXPECT_EQ(plain_line(example()), "train: 43%  430/1000  loss 3.21  lr 0.0005  0:12:33 left");
  ProgressState bare = example();
  bare.detail.clear();
  bare.time.clear();
  bare.total = 0;
  EXPECT_EQ(plain_line(bare), "train: 430");
}

TEST(ProgressLine, HundredPercentOnlyAtTheEnd) {
  ProgressState state = example();
  state.step = 999;
  EXPECT_TRUE(has_text(plain_line(state), " 99%"));
  state.step = 1000;
  EXPECT_TRUE(has_text(plain_line(state), " 100%"));
  state.step = 2000;
  EXPECT_TRUE(has_text(plain_line(state), " 100%"));
  state.step = -1;
  EXPECT_TRUE(has_text(plain_line(state), " 0%"));
}

TEST(ProgressLine, BarShowsThePartDone) {
  ProgressState state = example();
  state.step = 500;
  EXPECT_TRUE(has_text(bar_line(state, 200), "[===============>              ]"));
  state.step = 1000;
  EXPECT_TRUE(has_text(bar_line(state, 200), "[==============================]"));
}

TEST(ProgressLine, WideLineHasAllInOrder) {
  EXPECT_EQ(bar_line(example(), 79),
            "train  [========>          ]  43%  430/1000  loss 3.21  lr 0.0005  0:12:33 left");
}

TEST(ProgressLine, FitsEveryWidth) {
  ProgressState state = example();
  state.detail =
      "ein langer Text über Größe und 世界, much longer than any line has room for, and then some more";
  for (size_t columns = 0; columns <= 160; ++columns) {
    const std::string line = bar_line(state, columns);
    EXPECT_LE(text_columns(line), columns);
    if (columns >= 36) {
      EXPECT_TRUE(has_text(line, "0:12:33 left")) << columns;
    }
    if (columns >= 64) {
      EXPECT_TRUE(has_text(line, "[")) << columns;
    }
  }
  state.total = 0;
  for (size_t columns = 0; columns <= 160; ++columns)
    EXPECT_LE(text_columns(bar_line(state, columns)), columns);
}

TEST(ProgressLine, StaysOneLineWithoutEscapes) {
  ProgressState state = example();
  state.title = "a\nb";
  state.detail = "x\x1b[2J\ry";
  for (const std::string& line : {plain_line(state), bar_line(state, 100)}) {
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
  }
}

}  // namespace
}  // namespace memsizer::report
