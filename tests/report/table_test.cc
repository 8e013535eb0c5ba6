#include "report/table.h"

#include <gtest/gtest.h>

namespace memsizer::report {
namespace {

TEST(Table, AlignsColumnsInMarkdown) {
  const Table table{{"name", "n"}, {{"softmax", "1"}, {"élu", "1234"}}};
  EXPECT_EQ(table.markdown(),
            "| name    | n    |\n"
            "|---------|------|\n"
            "| softmax | 1    |\n"
            "| élu     | 1234 |\n");
}

TEST(Table, CellsCannotBreakOut) {
  const Table table{{"a"}, {{"x|y\nz"}, {"<b>"}}};
  EXPECT_NE(table.markdown().find("| x\\|y z |"), std::string::npos);
  EXPECT_NE(table.html().find("<td>&lt;b&gt;</td>"), std::string::npos);
}

TEST(Table, NumbersStandToTheRight) {
  const Table table{{"a", "b"}, {{"softmax", "12.5"}}};
  EXPECT_NE(table.html().find("<td>softmax</td><td class=\"number\">12.5</td>"), std::string::npos);
}

}  // namespace
}  // namespace memsizer::report
