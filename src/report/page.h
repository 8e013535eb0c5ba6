#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/chart.h"

// The parts that all reports share.
namespace memsizer::report {

using Facts = std::vector<std::pair<std::string, std::string>>;  // name, value

// Sections of a page; an empty one is an empty text.
std::string facts_section(const Facts& facts);
std::string charts_section(const std::vector<Chart>& charts);

// One self-contained page (no script, no link to elsewhere) with the sections as its body.
std::string page(const std::string& title, const std::string& sections);

}  // namespace memsizer::report
