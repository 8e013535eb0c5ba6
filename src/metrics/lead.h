#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memsizer::metrics {

// The sentences of running text, without the space between them. A sentence ends at a line's end, after a
// Chinese or Japanese full stop, or after . ! ? and closing quotes or brackets where a space and no small
// letter follow, and no abbreviation ("et al.", "J.") stands before.
std::vector<std::string_view> sentences_of(std::string_view text);

// The baseline that news is known for: a document's first sentences are its summary.
std::string lead_sentences(std::string_view document, int64_t count);

}  // namespace memsizer::metrics
