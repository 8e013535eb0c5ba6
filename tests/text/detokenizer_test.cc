#include "text/detokenizer.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "core/utf8.h"
#include "model/model_config.h"
#include "text/word_tokenizer.h"

namespace memsizer::text {
namespace {

class OneLine final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string line_ = "a small text of some words to train on, with Größe and 小狗 in it";
  bool done_ = false;
};

// With a token for each byte, as other tools make them.
std::unique_ptr<Tokenizer> with_byte_tokens(const std::string& remove_extra_whitespaces) {
  const std::unordered_map<std::string, std::string> flags = {
      {"model_type", "bpe"},     {"vocab_size", "320"},
      {"byte_fallback", "true"}, {"hard_vocab_limit", "false"},
      {"minloglevel", "2"},      {"bos_id", "0"},
      {"pad_id", "1"},           {"eos_id", "2"},
      {"unk_id", "3"},           {"remove_extra_whitespaces", remove_extra_whitespaces}};
  OneLine text;
  std::string model;
  EXPECT_TRUE(sentencepiece::SentencePieceTrainer::Train(flags, &text, &model).ok());
  return load_tokenizer(model, "bytes");
}

// Pieces of the tokens' text, which must be whole characters each; together they are what is returned.
std::string in_pieces(const Tokenizer& tokenizer, std::span<const int32_t> tokens) {
  Detokenizer detokenizer(tokenizer);
  std::string text;
  for (const int32_t token : tokens) {
    const std::string piece = detokenizer.push(token);
    EXPECT_TRUE(valid_utf8(piece));
    text += piece;
  }
  const std::string rest = detokenizer.finish();
  EXPECT_TRUE(valid_utf8(rest));
  return text + rest;
}

std::vector<int32_t> ids_of(const Tokenizer& tokenizer, const std::string& piece) {
  std::vector<int32_t> ids;
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.piece(id).starts_with(piece)) ids.push_back(id);
  }
  return ids;
}

// Random tokens: of the whole vocabulary, or mostly of those whose text depends on others.
void expect_equal_to_the_whole(const Tokenizer& tokenizer, uint64_t seed) {
  Random random{seed};
  const std::vector<int32_t> bytes = ids_of(tokenizer, "<0x");
  const std::vector<int32_t> spaces = ids_of(tokenizer, "▁");
  for (int round = 0; round < 400; ++round) {
    std::vector<int32_t> tokens(random.below(120));
    const uint64_t kind = random.below(5);
    for (int32_t& token : tokens) {
      token = static_cast<int32_t>(random.below(static_cast<uint64_t>(tokenizer.size())));
      const bool odd = random.below(8) != 0;
      if (kind == 1 && odd && !bytes.empty()) token = bytes[random.below(bytes.size())];
      if (kind == 2 && odd && !bytes.empty()) token = bytes[0xe4 + random.below(8)];
      if (kind == 3 && odd && !spaces.empty()) token = spaces[random.below(spaces.size())];
      if (kind == 4 && odd) token = static_cast<int32_t>(random.below(5));
    }
    if (kind == 2 && !bytes.empty()) {
      // Characters in their bytes, some of them broken off.
      for (size_t i = 0; i + 4 < tokens.size(); i += 3 + random.below(3)) {
        tokens[i] = bytes[0xf0];
        tokens[i + 1] = bytes[0x9f];
        tokens[i + 2] = bytes[0x91];
        tokens[i + 3] = bytes[0x8d];
      }
    }
    ASSERT_EQ(in_pieces(tokenizer, tokens), tokenizer.decode(tokens)) << "round " << round;
  }
}

TEST(Detokenizer, PiecesOfWordsAreTheWholeText) {
  const auto tokenizer =
      WordTokenizer::parse("the 8\ncat 7\nsat 6\nGröße 5\n小狗 4\n\xef\xbf\xbd 3\n", "words");
  expect_equal_to_the_whole(*tokenizer, 1);
}

TEST(Detokenizer, PiecesOfSubwordsAndBytesAreTheWholeText) {
  for (const std::string remove : {"true", "false"}) {
    const auto tokenizer = with_byte_tokens(remove);
    ASSERT_EQ(ids_of(*tokenizer, "<0x").size(), 256U);
    expect_equal_to_the_whole(*tokenizer, 2);
  }
}

TEST(Detokenizer, ACharacterComesWithItsLastByte) {
  const auto tokenizer = with_byte_tokens("true");
  const std::vector<int32_t> bytes = ids_of(*tokenizer, "<0x");
  Detokenizer detokenizer(*tokenizer);
  EXPECT_EQ(detokenizer.push(bytes[0xf0]), "");
  EXPECT_EQ(detokenizer.push(bytes[0x9f]), "");
  EXPECT_EQ(detokenizer.push(bytes[0x91]), "");
  EXPECT_EQ(detokenizer.push(bytes[0x8d]), "\xf0\x9f\x91\x8d");
  EXPECT_EQ(detokenizer.push(bytes[0xf0]), "");
  EXPECT_EQ(detokenizer.finish(), "\xef\xbf\xbd");
}

// A tokenizer that counts the tokens it is asked about.
class Counting final : public Tokenizer {
 public:
  explicit Counting(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  int64_t size() const override { return tokenizer_.size(); }
  void encode(std::string_view text, std::vector<int32_t>& ids) const override {
    tokenizer_.encode(text, ids);
  }
  std::string decode(std::span<const int32_t> ids) const override {
    tokens_ += ids.size();
    return tokenizer_.decode(ids);
  }
  std::string piece(int32_t id) const override { return tokenizer_.piece(id); }
  std::string serialized() const override { return tokenizer_.serialized(); }
  size_t tokens() const { return tokens_; }

 private:
  const Tokenizer& tokenizer_;
  mutable size_t tokens_ = 0;
};

TEST(Detokenizer, CostsTheSameForEveryToken) {
  const auto words = WordTokenizer::parse("the 8\ncat 7\n", "words");
  const Counting counting(*words);
  Detokenizer detokenizer(counting);
  constexpr size_t kTokens = 10'000;
  for (size_t i = 0; i < kTokens; ++i) detokenizer.push(4 + static_cast<int32_t>(i % 2));
  EXPECT_LT(counting.tokens(), 40 * kTokens);
}

}  // namespace
}  // namespace memsizer::text
