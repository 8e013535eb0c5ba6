#include "text/tokenizer.h"

#include "core/error.h"
#include "core/mapped_file.h"
#include "core/utf8.h"
#include "text/sentencepiece_library.h"
#include "text/word_tokenizer.h"

namespace memsizer::text {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

std::unique_ptr<Tokenizer> load_tokenizer(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) {
    throw UserError("'{}' is empty; expected a SentencePiece model, or a dictionary of \"word count\" lines",
                    name);
  }
  if (bytes.starts_with(WordTokenizer::kMagic)) return WordTokenizer::parse(bytes, name);
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  // A model's first byte, the tag of its first piece, is a line feed; a dictionary has no empty first line.
  const bool text =
      !bytes.starts_with('\n') && bytes.find('\0') == std::string_view::npos && valid_utf8(bytes);
  if (text) return WordTokenizer::parse(bytes, name);
  return sentencepiece_library().parse(bytes, name);
}

std::unique_ptr<Tokenizer> read_tokenizer(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  return load_tokenizer({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()},
                        path.string());
}

std::unique_ptr<Tokenizer> train_tokenizer(const TokenizerOptions& options, const LineSource& next_line) {
  if (options.type == TokenizerType::Words) return WordTokenizer::train(options, next_line);
  const SentencePieceLibrary& library = sentencepiece_library();
  return library.parse(library.train(options, next_line), "trained tokenizer");
}

}  // namespace memsizer::text
