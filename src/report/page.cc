#include "report/page.h"

#include <fmt/format.h>

#include "report/page_style.h"
#include "report/shown_text.h"

namespace memsizer::report {

std::string facts_section(const Facts& facts) {
  if (facts.empty()) return {};
  std::string rows;
  for (const auto& [name, value] : facts) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(name),
                        escape_markup(value));
  }
  return fmt::format("<section>\n<table class=\"summary\">\n{}</table>\n</section>\n", rows);
}

std::string charts_section(const std::vector<Chart>& charts) {
  if (charts.empty()) return {};
  std::string figures;
  for (const Chart& chart : charts) figures += fmt::format("<figure>\n{}</figure>\n", chart.svg());
  return fmt::format("<section>\n<h2>Charts</h2>\n<div class=\"charts\">\n{}</div>\n</section>\n", figures);
}

std::string page(const std::string& title, const std::string& sections) {
  // The policy makes browsers refuse scripts and links elsewhere, whatever the text holds.
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n</html>\n",
      escape_markup(clean_line(title)), page_style(), sections);
}

}  // namespace memsizer::report
