#include "text/charmap.h"

#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/random.h"
#include "support/messages.h"
#include "text/tokenizer.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;

class OneLine final : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string line_ = "a small text of some words to train on";
  bool done_ = false;
};

// A model as other tools make it, with a normalisation table.
std::string foreign_model(const std::unordered_map<std::string, std::string>& more = {}) {
  std::unordered_map<std::string, std::string> flags = {{"model_type", "bpe"},
                                                        {"vocab_size", "30"},
                                                        {"minloglevel", "2"},
                                                        {"normalization_rule_name", "nmt_nfkc"}};
  flags.insert(more.begin(), more.end());
  OneLine text;
  std::string model;
  EXPECT_TRUE(sentencepiece::SentencePieceTrainer::Train(flags, &text, &model).ok());
  return model;
}

const std::unordered_map<std::string, std::string> kOurIds = {
    {"bos_id", "0"}, {"pad_id", "1"}, {"eos_id", "2"}, {"unk_id", "3"}};

// A length-delimited field of a protocol buffer.
std::string field(int number, const std::string& content) {
  std::string bytes(1, static_cast<char>(number << 3 | 2));
  for (size_t left = content.size();; left >>= 7) {
    bytes += static_cast<char>(left >= 0x80 ? (left & 0x7f) | 0x80 : left);
    if (left < 0x80) break;
  }
  return bytes + content;
}

std::string unit(uint32_t bits) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xff);
  return bytes;
}

// A model of nothing but a table of `units` units that are all the same, and the texts behind it.
std::string model_with_table(uint32_t bits, size_t units, const std::string& texts) {
  std::string table = unit(static_cast<uint32_t>(4 * units));
  for (size_t i = 0; i < units; ++i) table += unit(bits);
  return field(1, "piece") + field(2, "spec") + field(3, field(2, table + texts));
}

TEST(Charmap, TakesModelsOfOtherTools) {
  const std::string model = foreign_model(kOurIds);
  EXPECT_EQ(sentencepiece_damage(model), "");
  const auto tokenizer = load_tokenizer(model, "foreign.model");
  std::vector<int32_t> ids;
  tokenizer->encode("ａ ｗｏｒｄ", ids);
  EXPECT_EQ(tokenizer->decode(ids), "a word");
}

TEST(Charmap, ExplainsForeignIds) {
  const std::string message = message_of([] { load_tokenizer(foreign_model(), "foreign.model"); });
  EXPECT_TRUE(has_text(message, "'foreign.model' has the special ids bos 1, pad -1, eos 2, unk 0;"));
  EXPECT_TRUE(has_text(message, "spm_train --bos_id=0 --pad_id=1 --eos_id=2 --unk_id=3"));
}

TEST(Charmap, FindsTablesThatLeadOutside) {
  // A unit whose label is 0, so that a zero byte always leads to it.
  const std::string texts = std::string("x\0", 2);
  EXPECT_EQ(sentencepiece_damage(model_with_table(0, 256, texts)), "");
  const std::string_view damaged = "its normalisation table is damaged";
  EXPECT_EQ(sentencepiece_damage(model_with_table(0, 255, texts)), damaged);
  EXPECT_EQ(sentencepiece_damage(model_with_table(0, 0, texts)), damaged);
  EXPECT_EQ(sentencepiece_damage(model_with_table(256U << 10, 256, texts)), damaged);
  EXPECT_EQ(sentencepiece_damage(model_with_table(1U << 10 | 1U << 9, 256, texts)), damaged);
  // A value, here the unit itself, past the texts; and texts without an end.
  EXPECT_EQ(sentencepiece_damage(model_with_table(1U << 8, 256, texts)), damaged);
  EXPECT_EQ(sentencepiece_damage(model_with_table(1U << 8, 256, std::string(257, '\0'))), "");
  EXPECT_EQ(sentencepiece_damage(model_with_table(0, 256, "x")), damaged);
  EXPECT_EQ(sentencepiece_damage(model_with_table(0, 256, "")), damaged);
}

TEST(Charmap, FindsMissingAndRepeatedSections) {
  const std::string piece = field(1, "piece");
  const std::string trainer = field(2, "spec");
  const std::string normalizer = field(3, "");
  EXPECT_EQ(sentencepiece_damage(piece + trainer + normalizer), "");
  EXPECT_EQ(sentencepiece_damage(trainer + normalizer), "it has no pieces");
  EXPECT_EQ(sentencepiece_damage(piece + normalizer), "it is cut off");
  EXPECT_EQ(sentencepiece_damage(piece + trainer), "it is cut off");
  EXPECT_EQ(sentencepiece_damage(piece + trainer + normalizer + normalizer), "a section stands in it twice");
  EXPECT_EQ(sentencepiece_damage(piece + trainer + normalizer + "\x0a\x7f"), "it is damaged or cut off");
  EXPECT_EQ(sentencepiece_damage(std::string(20, '\xff')), "it is damaged or cut off");
}

TEST(Charmap, NoDamageReachesTheLibrary) {
  const std::string model = foreign_model(kOurIds);
  Random random = Random::of(2);
  for (int i = 0; i < 100; ++i) {
    std::string damaged = model;
    damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    try {
      const auto tokenizer = load_tokenizer(damaged, "damaged.model");
      std::vector<int32_t> ids;
      tokenizer->encode("ａ ｗｏｒｄ ① ﬁ é \xff 中文", ids);
      tokenizer->decode(ids);
    } catch (const UserError& error) {
      EXPECT_TRUE(has_text(error.what(), "'damaged.model' "));
    }
  }
}

}  // namespace
}  // namespace memsizer::text
