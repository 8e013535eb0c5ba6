#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memsizer::decode {

// No output is longer, whatever the options ask: a model that never ends its sentence must not fill the
// memory.
inline constexpr int64_t kLongestOutput = int64_t{1} << 20;

// The longest output without its end token: int(ratio * source_length + extra), and less than max_positions
// unless that is 0.
int64_t longest_output(double ratio, int64_t extra, int64_t source_length, int64_t max_positions);

// Throws UserError if the vocabulary lacks the special tokens or one of `prefix`.
void require_tokens(int64_t vocab, std::span<const int32_t> prefix);

// Checks of options. Each throws UserError naming prefix.field, what was found and what is allowed.
void require_range(const std::string& prefix, std::string_view field, int64_t value, int64_t low,
                   int64_t high);
void require_range(const std::string& prefix, std::string_view field, double value, double low, double high);
void require_ngram(const std::string& prefix, int64_t value);
void require_temperature(const std::string& prefix, double value);
void require_lengths(const std::string& prefix, double ratio, int64_t max_length, int64_t min_length);

}  // namespace memsizer::decode
