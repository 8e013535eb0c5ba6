#pragma once

#include <string>
#include <string_view>

namespace memsizer::metrics {

// Two descendants of Porter's "An algorithm for suffix stripping" (1980) that differ in detail: NLTK's
// default mode, and the one inside ROUGE-1.5.5 (there only for words that its WordNet exception lists do not
// have; those lists are not part of this library).
enum class PorterVariant { Nltk, Rouge155 };

// The stem of a word in lower-case ASCII.
std::string porter_stem(std::string_view word, PorterVariant variant = PorterVariant::Nltk);

}  // namespace memsizer::metrics
