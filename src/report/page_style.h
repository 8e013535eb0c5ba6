#pragma once

#include <string_view>

namespace memsizer::report {

// The style sheet of a report's page.
std::string_view page_style();

}  // namespace memsizer::report
