#include "text/word_tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/messages.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;
using Ids = std::vector<int32_t>;

LineSource from(std::vector<std::string> lines) {
  return [lines = std::move(lines), next = size_t{0}](std::string& line) mutable {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
}

TokenizerOptions all_words() {
  TokenizerOptions options;
  options.type = TokenizerType::Words;
  options.vocab = 0;
  return options;
}

Ids ids_of(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  tokenizer.encode(text, ids);
  return ids;
}

std::string listing(const Tokenizer& tokenizer) {
  std::string pieces;
  for (int32_t id = 0; id < tokenizer.size(); ++id) pieces += tokenizer.piece(id) + " ";
  return pieces;
}

TEST(WordTokenizer, OrdersByCountThenBytes) {
  const auto tokenizer = WordTokenizer::train(all_words(), from({"b ä a c", "c b\u00a0zz c", "", " \t "}));
  EXPECT_EQ(listing(*tokenizer), "<s> <pad> </s> <unk> c b a zz ä ");
  EXPECT_EQ(tokenizer->size(), 9);
  EXPECT_EQ(ids_of(*tokenizer, "a b  c\u3000new ä"), Ids({6, 5, 4, 3, 8}));
}

TEST(WordTokenizer, LimitsTheVocabulary) {
  TokenizerOptions options = all_words();
  options.vocab = 6;
  EXPECT_EQ(listing(*WordTokenizer::train(options, from({"c c c b b a"}))), "<s> <pad> </s> <unk> c b ");
  options.vocab = 1000;
  EXPECT_EQ(listing(*WordTokenizer::train(options, from({"c c c b b a"}))), "<s> <pad> </s> <unk> c b a ");
  options.min_count = 2;
  EXPECT_EQ(listing(*WordTokenizer::train(options, from({"c c c b b a"}))), "<s> <pad> </s> <unk> c b ");
}

TEST(WordTokenizer, SpecialTokensAreNoWords) {
  const auto tokenizer = WordTokenizer::train(all_words(), from({"the <unk> </s> <s> <pad> the"}));
  EXPECT_EQ(listing(*tokenizer), "<s> <pad> </s> <unk> the ");
  EXPECT_EQ(ids_of(*tokenizer, "<unk> the </s> <s> <pad>"), Ids({3, 4, 3, 3, 3}));
}

TEST(WordTokenizer, DecodesWithSpaces) {
  const auto tokenizer = WordTokenizer::train(all_words(), from({"a b"}));
  EXPECT_EQ(tokenizer->decode(Ids({0, 4, 1, 5, 3, 2})), "a b <unk>");
  EXPECT_EQ(tokenizer->decode(Ids({-1, 4, 1000000})), "<unk> a <unk>");
  EXPECT_EQ(tokenizer->decode(Ids()), "");
  EXPECT_EQ(tokenizer->piece(-7), "<unk>");
}

TEST(WordTokenizer, AppendsIds) {
  const auto tokenizer = WordTokenizer::train(all_words(), from({"a b"}));
  Ids ids = {9};
  tokenizer->encode("b", ids);
  EXPECT_EQ(ids, Ids({9, 5}));
}

TEST(WordTokenizer, TakesAnyBytesAndSavesThem) {
  const std::vector<std::string> lines = {"\xff\xfe a\x85z", std::string("n\0l x", 5), "中文 👍 \xc3"};
  const auto tokenizer = WordTokenizer::train(all_words(), from(lines));
  EXPECT_EQ(tokenizer->size(), 4 + 7);
  const std::string bytes = tokenizer->serialized();
  EXPECT_TRUE(bytes.starts_with("memsizer-words 1\n"));
  const auto again = load_tokenizer(bytes, "saved");
  EXPECT_EQ(listing(*again), listing(*tokenizer));
  EXPECT_EQ(again->serialized(), bytes);
  for (const std::string& line : lines) EXPECT_EQ(again->decode(ids_of(*again, line)), line);
}

TEST(WordTokenizer, NeedsWords) {
  EXPECT_TRUE(has_text(message_of([] { WordTokenizer::train(all_words(), from({})); }), "holds no word"));
  EXPECT_TRUE(has_text(message_of([] {
                         WordTokenizer::train(all_words(), from({"", " ", "<unk>"}));
                       }),
                       "holds no word"));
  TokenizerOptions options = all_words();
  options.min_count = 3;
  EXPECT_TRUE(has_text(message_of([&] { WordTokenizer::train(options, from({"a a b"})); }),
                       "data.tokenizer.min_count is 3"));
}

TEST(WordTokenizer, ReadsDictionariesOfOtherTools) {
  const auto tokenizer = load_tokenizer("\xef\xbb\xbfthe 120\r\n, 99\nHaus 3\nmadeupword0000 0", "dict.txt");
  EXPECT_EQ(listing(*tokenizer), "<s> <pad> </s> <unk> the , Haus madeupword0000 ");
  EXPECT_EQ(ids_of(*tokenizer, "the Haus , die"), Ids({4, 6, 5, 3}));
}

TEST(WordTokenizer, RefusesWhatIsNoDictionary) {
  const auto error = [](std::string_view bytes) {
    return message_of([&] { load_tokenizer(bytes, "dict.txt"); });
  };
  EXPECT_TRUE(has_text(error("the 12\nHaus\n"), "'dict.txt' is not a word dictionary: line 2 is 'Haus'"));
  EXPECT_TRUE(has_text(error("the 12\n\nHaus 1\n"), "line 2 is ''"));
  EXPECT_TRUE(has_text(error(" 12\n"), "line 1 is ' 12'"));
  EXPECT_TRUE(has_text(error("the twelve\n"), "line 1 has the count 'twelve'"));
  EXPECT_TRUE(has_text(error("the -1\n"), "line 1 has the count '-1'"));
  EXPECT_TRUE(has_text(error("the 1x\n"), "line 1 has the count '1x'"));
  EXPECT_TRUE(has_text(error("the 99999999999999999999\n"), "line 1 has the count '999"));
  EXPECT_TRUE(has_text(error("the big house 3\n"), "line 1 has white space inside 'the big house'"));
  EXPECT_TRUE(has_text(error("a 1\nb 1\na 1\n"), "line 3 lists 'a' a second time"));
  EXPECT_TRUE(has_text(error("a 1\n<unk> 1\n"), "line 2 lists '<unk>', which has an id of its own"));
  EXPECT_TRUE(has_text(error("memsizer-words 1\n"), "'dict.txt' is a word dictionary without a word"));
  EXPECT_TRUE(has_text(error("memsizer-words 2\nthe 1\n"), "a word dictionary of version '2'"));
  EXPECT_TRUE(has_text(error(std::string(1'000'000, 'x')), "line 1 is 'xxx"));
  EXPECT_LT(error(std::string(1'000'000, 'x')).size(), 600U);
}

}  // namespace
}  // namespace memsizer::text
