#include "text/sentencepiece_library.h"
#include "text/sentencepiece_tokenizer.h"
#include "text/subword_training.h"

using memsizer::text::SentencePieceLibrary;

// The module's only door.
extern "C" __attribute__((visibility("default"))) const SentencePieceLibrary*
memsizer_sentencepiece_library() {
  static constexpr SentencePieceLibrary library = {
      .parse = [](std::string_view bytes,
                  std::string_view name) -> std::unique_ptr<memsizer::text::Tokenizer> {
        return memsizer::text::SentencePieceTokenizer::parse(bytes, name);
      },
      .train = memsizer::text::train_subwords,
  };
  return &library;
}
