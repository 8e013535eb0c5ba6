#pragma once

#include <span>
#include <string>
#include <string_view>

namespace memsizer {

// The candidate nearest to `name` by edit distance, or "" if none is near enough to be a likely typo.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'x'?" or "" : the ending of an error message about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace memsizer
