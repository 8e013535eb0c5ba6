#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/data_options.h"

namespace memsizer::text {

// Text to token ids and back. Ids 0 to 3 are bos, pad, eos and unk (core/special_tokens.h).
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual int64_t size() const = 0;

  // Appends the ids of one line to `ids`, without an end token. Any text is accepted, invalid UTF-8 included.
  virtual void encode(std::string_view text, std::vector<int32_t>& ids) const = 0;

  // The text of the ids; special tokens other than unk are left out, ids outside the vocabulary count as unk.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;

  // The text a token stands for, as a listing shows it.
  virtual std::string piece(int32_t id) const = 0;

  // Everything needed to load it again (load_tokenizer), as bytes: goes into model files.
  virtual std::string serialized() const = 0;
};

// Makes a tokenizer from serialized bytes; `name` opens the message when they are no tokenizer (UserError).
std::unique_ptr<Tokenizer> load_tokenizer(std::string_view bytes, std::string_view name);

// From a file: a SentencePiece model, a saved word dictionary, or a fairseq-style "word count" text file.
std::unique_ptr<Tokenizer> read_tokenizer(const std::filesystem::path& path);

// Gives the next line of training text; false at the end.
using LineSource = std::function<bool(std::string& line)>;

// Trains SentencePiece (unigram or BPE) or counts words, as `options.type` says. A vocabulary larger than
// the text allows is a UserError that names the size that would fit; so is a text without a line.
std::unique_ptr<Tokenizer> train_tokenizer(const TokenizerOptions& options, const LineSource& next_line);

}  // namespace memsizer::text
