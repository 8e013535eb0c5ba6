#include "report/shown_text.h"

#include <gtest/gtest.h>

#include <string>

namespace memsizer::report {
namespace {

using namespace std::string_literals;

TEST(ShownText, KeepsValidText) {
  const std::string text = "Grüße, 世界 \U0001f600\n\ttab";
  EXPECT_EQ(clean_text(text), text);
  EXPECT_EQ(clean_text(""), "");
}

TEST(ShownText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(clean_text("a\xff z"), "a\ufffd z");
  EXPECT_EQ(clean_text("\xc3"), "\ufffd");                                // cut short
  EXPECT_EQ(clean_text("\xc0\xaf"), "\ufffd\ufffd");                      // overlong
  EXPECT_EQ(clean_text("\xe0\x80\xaf"), "\ufffd\ufffd\ufffd");            // overlong
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");            // a surrogate
  EXPECT_EQ(clean_text("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");  // past U+10FFFF
  EXPECT_EQ(clean_text("\xe4\xb8z"), "\ufffd\ufffdz");                    // the next character survives
}

TEST(ShownText, ReplacesControlCharacters) {
  EXPECT_EQ(clean_text("a\0b"s), "a\ufffdb");
  EXPECT_EQ(clean_text("\x1b[31mred\x7f"), "\ufffd[31mred\ufffd");
  EXPECT_EQ(clean_text("\xc2\x9b"), "\ufffd");      // CSI in one character
  EXPECT_EQ(clean_text("\xef\xbf\xbf"), "\ufffd");  // U+FFFF, which XML forbids
}

TEST(ShownText, LineEnds) {
  EXPECT_EQ(clean_text("a\r\nb\rc\n"), "a\nb\nc\n");
  EXPECT_EQ(clean_text("\r"), "\n");
  EXPECT_EQ(clean_line("a\r\nb\tc"), "a b c");
}

TEST(ShownText, EscapesMarkup) {
  EXPECT_EQ(escape_markup("<a href=\"x\" id='y'>&amp;"),
            "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_markup("\x01<\xff"), "\ufffd&lt;\ufffd");
}

TEST(ShownText, CountsColumns) {
  EXPECT_EQ(text_columns(""), 0U);
  EXPECT_EQ(text_columns("Grüße"), 5U);
  EXPECT_EQ(text_columns("世界"), 4U);
}

TEST(ShownText, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_columns("short", 5), "short");
  EXPECT_EQ(cut_to_columns("longer", 5), "lo...");
  EXPECT_EQ(cut_to_columns("äöüäöü", 5), "äö...");
  EXPECT_EQ(cut_to_columns("世界世界", 6), "世...");
  EXPECT_EQ(cut_to_columns("longer", 2), "..");
  EXPECT_EQ(cut_to_columns("longer", 0), "");
}

}  // namespace
}  // namespace memsizer::report
