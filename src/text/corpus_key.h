#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "text/data_options.h"
#include "text/tokenizer.h"

namespace memsizer::text {

// Names a tokenised corpus by all that decides its contents: the bytes of the files wherever they lie, the
// tokenizers, and the options that change the result. 32 hexadecimal digits. `source_tokenizer` as for
// TokenCorpus::open. Throws UserError if a file cannot be read.
std::string corpus_key(const DataOptions& options, std::span<const std::filesystem::path> files,
                       const Tokenizer* source_tokenizer, const Tokenizer& target_tokenizer,
                       bool filter_lengths);

}  // namespace memsizer::text
