#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace memsizer::text {

// What SentencePiece does for us. It lives in a module of its own that is loaded when first needed, with its
// symbols to itself: Debian's libsentencepiece carries a protobuf inside whose symbols would otherwise
// replace those of the libprotobuf that LibTorch uses, and crash the process before main.
struct SentencePieceLibrary {
  std::unique_ptr<Tokenizer> (*parse)(std::string_view bytes, std::string_view name);
  std::string (*train)(const TokenizerOptions& options, const LineSource& next_line);
};

// Loads the module once. It lies beside the program, or in ../bin or ../lib/memsizer; a missing one is a
// UserError.
const SentencePieceLibrary& sentencepiece_library();

}  // namespace memsizer::text
