#pragma once

#include <string>
#include <vector>

namespace memsizer::report {

// Rows of text under heads, for a terminal, a document or a page.
struct Table {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;  // as many cells as heads each

  // In Markdown, the columns aligned so that it reads well as it is. Ends with a newline.
  std::string markdown() const;
  // A <table> element; cells that begin with a digit stand to the right.
  std::string html() const;
};

}  // namespace memsizer::report
