#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace memsizer::text {

// One token a word, words being what stands between white space. The word "<unk>" is the unknown token, and
// the names of the other special tokens are unknown words: text cannot end a sequence.
class WordTokenizer final : public Tokenizer {
 public:
  // The first line of a saved dictionary; a "word count" line for each word from id 4 on follows.
  static constexpr std::string_view kMagic = "memsizer-words ";
  static constexpr std::string_view kVersion = "1";

  // Counts the words of all lines; ids in descending order of counts, equal ones in byte order.
  static std::unique_ptr<WordTokenizer> train(const TokenizerOptions& options, const LineSource& next_line);

  // From a saved dictionary, or "word count" lines alone. `name` opens the message of a UserError.
  static std::unique_ptr<WordTokenizer> parse(std::string_view bytes, std::string_view name);

  int64_t size() const override { return static_cast<int64_t>(pieces_.size()); }
  void encode(std::string_view text, std::vector<int32_t>& ids) const override;
  std::string decode(std::span<const int32_t> ids) const override;
  std::string piece(int32_t id) const override;
  std::string serialized() const override;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <typename Value>
  using WordMap = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

  WordTokenizer();

  // False: the word is there already.
  bool add(std::string word, int64_t count);

  std::vector<std::string> pieces_;  // special tokens included
  std::vector<int64_t> counts_;      // as pieces_; 0 for special tokens
  WordMap<int32_t> ids_;
};

}  // namespace memsizer::text
