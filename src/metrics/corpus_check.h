#pragma once

#include <span>
#include <string>
#include <vector>

namespace memsizer::metrics {

// UserError unless there are lines, and as many hypotheses as references.
void check_lines(size_t hypotheses, size_t references);

// The same for every reference set; there must be at least one.
void check_corpus(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references);

}  // namespace memsizer::metrics
