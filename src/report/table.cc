#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/shown_text.h"

namespace memsizer::report {
namespace {

// A bar would end the cell.
std::string cell_text(const std::string& cell) {
  std::string text;
  for (const char c : clean_line(cell)) {
    if (c == '|') text += '\\';
    text += c;
  }
  return text;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell.front())) != 0);
}

}  // namespace

std::string Table::markdown() const {
  std::vector<std::vector<std::string>> lines = {heads};
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<size_t> widths(heads.size(), 3);
  for (std::vector<std::string>& line : lines) {
    for (size_t i = 0; i < widths.size(); ++i) {
      line[i] = cell_text(line[i]);
      widths[i] = std::max(widths[i], text_columns(line[i]));
    }
  }
  std::string text;
  for (size_t at = 0; at < lines.size(); ++at) {
    text += '|';
    for (size_t i = 0; i < widths.size(); ++i)
      text += fmt::format(" {}{} |", lines[at][i], std::string(widths[i] - text_columns(lines[at][i]), ' '));
    text += '\n';
    if (at > 0) continue;
    text += '|';
    for (const size_t width : widths) text += std::string(width + 2, '-') + '|';
    text += '\n';
  }
  return text;
}

std::string Table::html() const {
  std::string text = "<table class=\"figures\">\n<thead><tr>";
  for (const std::string& head : heads) text += fmt::format("<th scope=\"col\">{}</th>", escape_markup(head));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    text += "<tr>";
    for (const std::string& cell : row)
      text += fmt::format("<td{}>{}</td>", is_number(cell) ? " class=\"number\"" : "", escape_markup(cell));
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

}  // namespace memsizer::report
