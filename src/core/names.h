#pragma once

#include <span>
#include <string>
#include <string_view>

namespace memsizer {

// The candidate nearest to `name` by edit distance, or "" if none is near enough to be a likely typo.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

// "; did you mean 'x'?" or "" : the ending of an error message about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

// `name` fit for a message, since names in a file from elsewhere can be anything: control characters are
// escaped, and a name longer than about `max_bytes` is cut.
std::string printable_name(std::string_view name, size_t max_bytes = 120);

}  // namespace memsizer
