#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "core/random.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/white_space.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;
using testing::TempDir;
using Ids = std::vector<int32_t>;
using Lines = std::vector<std::string>;

// Between the characters of the sentences below and the most pieces they allow.
constexpr int32_t kVocab = 215;

LineSource from(const Lines& lines) {
  return [lines, next = size_t{0}](std::string& line) mutable {
    if (next == lines.size()) return false;
    line = lines[next++];
    return true;
  };
}

// Sentences of four scripts with the characters that tokenizers like to change.
const Lines& sentences() {
  static const Lines kLines = [] {
    constexpr std::array<std::array<std::string_view, 6>, 4> kWho = {
        {{"A small dog", "The old man", "Some children", "Nobody’s cat", "An “expert”", "My friend №5"},
         {"Ein kleiner Hund", "Der alte Mann", "Die Mädchen", "Größere Füße", "Ein Straßenkünstler",
          "Übungsleiter"},
         {"一只小狗", "这位老人", "孩子们", "两名身穿橙色背心的工人", "“专家”", "《作者》"},
         {"Un café", "L’élève", "Des naïfs", "Le cœur", "Ça", "Où"}}};
    constexpr std::array<std::array<std::string_view, 5>, 4> kDoes = {
        {{"is running along the beach", "sleeps, eats & reads", "costs 1,234.50 € a day",
          "waits … for ½ hour", "said: 'no!' 👍🏽"},
         {"läuft über die Brücke", "schläft und träumt", "kostet 1.234,50 €", "wartet auf den Zug",
          "sagt: „nein!“"},
         {"在海滩上奔跑", "正在睡觉，吃饭", "每天花费１２３元", "等火车（很久）", "说：“不！”"},
         {"court sur la plage", "dort à l’ombre", "coûte 12 €", "attend « déjà »", "dit : non 🇫🇷"}}};
    constexpr std::array<std::string_view, 4> kEnds = {".", "!", "。", " ?"};
    Lines lines;
    Random random = Random::of(7);
    for (int i = 0; i < 500; ++i) {
      const size_t language = random.below(4);
      std::string line(kWho[language][random.below(6)]);
      if (language != 2) line += ' ';
      line += kDoes[language][random.below(5)];
      line += language == 2 ? kEnds[2] : kEnds[random.below(2)];
      lines.push_back(std::move(line));
    }
    return lines;
  }();
  return kLines;
}

TokenizerOptions options_of(TokenizerType type, int64_t vocab) {
  TokenizerOptions options;
  options.type = type;
  options.vocab = vocab;
  return options;
}

Ids ids_of(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  tokenizer.encode(text, ids);
  return ids;
}

std::string round_trip(const Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.decode(ids_of(tokenizer, text));
}

// The number that follows `before` at the start of a message.
int64_t number_after(const std::string& message, const std::string& before) {
  EXPECT_TRUE(message.starts_with(before)) << message;
  int64_t number = 0;
  if (message.size() > before.size())
    std::from_chars(message.data() + before.size(), message.data() + message.size(), number);
  return number;
}

class SubwordTest : public ::testing::TestWithParam<TokenizerType> {
 protected:
  static std::unique_ptr<Tokenizer> train(const Lines& lines, int64_t vocab) {
    return train_tokenizer(options_of(GetParam(), vocab), from(lines));
  }
  static std::string train_error(const Lines& lines, int64_t vocab) {
    return message_of([&] { train(lines, vocab); });
  }
};

TEST_P(SubwordTest, GivesBackWhatWasEncoded) {
  const auto tokenizer = train(sentences(), kVocab);
  EXPECT_EQ(tokenizer->size(), kVocab);
  for (const std::string& line : sentences()) {
    const Ids ids = ids_of(*tokenizer, line);
    ASSERT_EQ(tokenizer->decode(ids), line);
    EXPECT_LT(ids.size(), line.size());
    for (const int32_t id : ids) ASSERT_TRUE(id > 3 && id < tokenizer->size()) << id;
  }
}

TEST_P(SubwordTest, JoinsRunsOfSpaces) {
  const auto tokenizer = train(sentences(), kVocab);
  EXPECT_EQ(round_trip(*tokenizer, "  The  old   man "), "The old man");
  EXPECT_EQ(ids_of(*tokenizer, "The  old"), ids_of(*tokenizer, "The old"));
  EXPECT_EQ(ids_of(*tokenizer, ""), Ids());
  EXPECT_EQ(ids_of(*tokenizer, "  "), Ids());
  EXPECT_EQ(round_trip(*tokenizer, ""), "");
}

TEST_P(SubwordTest, UnknownCharactersAreUnknown) {
  const auto tokenizer = train(sentences(), kVocab);
  EXPECT_EQ(std::ranges::count(ids_of(*tokenizer, "The ☃ man"), 3), 1);
  EXPECT_TRUE(has_text(round_trip(*tokenizer, "The ☃ man"), "⁇"));
}

// SentencePiece alone takes quadratic time for this: three quarters of an hour.
TEST_P(SubwordTest, AWordOfUnknownCharactersIsReadInLinearTime) {
  const auto tokenizer = train(sentences(), kVocab);
  EXPECT_EQ(ids_of(*tokenizer, std::string(8 << 20, '\xff')), ids_of(*tokenizer, "\xff\xff"));
}

TEST_P(SubwordTest, LongTextHasTheTokensOfItsLines) {
  const auto tokenizer = train(sentences(), kVocab);
  std::string text;
  Ids expected;
  while (text.size() < 300'000) {
    for (const std::string& line : sentences()) {
      text += line + " ";
      tokenizer->encode(line, expected);
    }
  }
  EXPECT_EQ(ids_of(*tokenizer, text), expected);
}

TEST_P(SubwordTest, SpecialTokensAreLeftOut) {
  const auto tokenizer = train(sentences(), kVocab);
  Ids ids = {0, 1};
  tokenizer->encode("The old man", ids);
  ids.insert(ids.end(), {2, 1, 1});
  EXPECT_EQ(tokenizer->decode(ids), "The old man");
  EXPECT_EQ(tokenizer->decode(Ids({0, 1, 2})), "");
  EXPECT_EQ(tokenizer->decode(Ids({-1})), tokenizer->decode(Ids({3})));
  EXPECT_EQ(tokenizer->decode(Ids({1 << 30})), tokenizer->decode(Ids({3})));
  EXPECT_TRUE(has_text(tokenizer->decode(Ids({3})), "⁇"));
  EXPECT_EQ(tokenizer->piece(0) + tokenizer->piece(1) + tokenizer->piece(2) + tokenizer->piece(3),
            "<s><pad></s><unk>");
  EXPECT_EQ(tokenizer->piece(-1), "<unk>");
  EXPECT_EQ(tokenizer->piece(kVocab), "<unk>");
  EXPECT_FALSE(tokenizer->piece(kVocab - 1).empty());
}

TEST_P(SubwordTest, NamesOfSpecialTokensAreTextLikeAnyOther) {
  Lines lines = sentences();
  for (size_t i = 0; i < lines.size(); ++i) lines[i] += i % 2 ? " <unk> of x<unk>" : "<s>struck</s> <pad>";
  const auto tokenizer = train(lines, kVocab + 15);
  for (const std::string& line : lines) ASSERT_EQ(round_trip(*tokenizer, line), line);
  for (const int32_t id : ids_of(*tokenizer, "<s> </s> <pad> <unk>")) EXPECT_GT(id, 3);
}

TEST_P(SubwordTest, TakesAnyBytes) {
  const auto tokenizer = train(sentences(), kVocab);
  EXPECT_TRUE(has_text(round_trip(*tokenizer, "The old man \xff\xfe \xed\xa0\x80 is"), "The old man"));
  EXPECT_TRUE(has_text(round_trip(*tokenizer, std::string("The\0old", 7)), "The"));
  Random random = Random::of(3);
  for (int i = 0; i < 200; ++i) {
    std::string bytes(random.below(100), ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    round_trip(*tokenizer, bytes);
  }
  EXPECT_GT(ids_of(*tokenizer, std::string(100'000, 'a')).size(), 1'000U);
}

TEST_P(SubwordTest, IsTheSameEveryTime) {
  const auto first = train(sentences(), kVocab);
  EXPECT_EQ(train(sentences(), kVocab)->serialized(), first->serialized());
  const auto loaded = load_tokenizer(first->serialized(), "saved");
  EXPECT_EQ(loaded->serialized(), first->serialized());
  EXPECT_EQ(loaded->size(), first->size());
  EXPECT_EQ(ids_of(*loaded, sentences()[0]), ids_of(*first, sentences()[0]));
}

TEST_P(SubwordTest, PrintsNothing) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  train(sentences(), kVocab);
  train_error(sentences(), 100'000);
  message_of([] { load_tokenizer("\nbroken", "broken"); });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(SubwordTest, TellsTheVocabularyThatFits) {
  const std::string message = train_error(sentences(), 100'000);
  const int64_t most = number_after(message, "data.tokenizer.vocab is 100000 but this text allows at most ");
  EXPECT_TRUE(has_text(message, "; lower it"));
  EXPECT_EQ(train(sentences(), most)->size(), most);
}

TEST_P(SubwordTest, TellsTheVocabularyThatTheCharactersNeed) {
  const int64_t least =
      number_after(train_error(sentences(), 20),
                   "data.tokenizer.vocab is 20 but the characters of this text need at least ");
  EXPECT_GT(least, 100);
  EXPECT_EQ(train(sentences(), least)->size(), least);

  TokenizerOptions options = options_of(GetParam(), least - 1);
  EXPECT_TRUE(has_text(message_of([&] { train_tokenizer(options, from(sentences())); }), "need at least"));
  options.character_coverage = 0.98;
  EXPECT_EQ(train_tokenizer(options, from(sentences()))->size(), least - 1);
}

// The library ends the process on several of these.
TEST_P(SubwordTest, SurvivesOddText) {
  std::string alphabet;
  for (int64_t i = 0; i < 70'000; ++i) alphabet += static_cast<char>('a' + (i * i * 7 + i / 3) % 26);
  std::string chinese;
  for (int i = 0; i < 70'000; ++i) chinese += i % 3 ? "中" : "文";
  const std::vector<Lines> texts = {{},
                                    {""},
                                    {" ", "\u2581", "\u2581 \u2581"},
                                    {"\u2585"},
                                    {"\t"},
                                    {"\r", "\n"},
                                    {std::string(1, '\0')},
                                    {"\xff"},
                                    {"a"},
                                    {"a a"},
                                    {"\ufeff"},
                                    {"\u00a0"},
                                    {alphabet},
                                    {chinese, "a b"},
                                    {std::string(70'000, 'a')},
                                    {std::string(70'000, '\x80')},
                                    {std::string(70'000, ' ') + "a"},
                                    Lines(300, "hello world")};
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const int64_t vocab : {5, 8, 1000}) {
      const std::string message = train_error(texts[i], vocab);
      const bool blank = i < 4;
      if (blank) {
        EXPECT_TRUE(has_text(message, "holds no line with text")) << i;
      } else {
        EXPECT_FALSE(has_text(message, "could not train")) << i << " " << vocab;
      }
      EXPECT_FALSE(has_text(message, "\n"));
    }
  }
}

TEST_P(SubwordTest, LearnsFromLongLines) {
  // One line of everything; were it dropped, its characters would be unknown.
  std::string line;
  for (int i = 0; i < 5; ++i) {
    for (const std::string& sentence : sentences()) line += sentence + " ";
  }
  const auto tokenizer = train({line, "a short one"}, kVocab);
  EXPECT_EQ(round_trip(*tokenizer, line), normalize_space(line));
}

TEST_P(SubwordTest, LearnsFromLinesWithReservedCharacters) {
  Lines lines = sentences();
  for (std::string& line : lines) line += " \u2585\u2585 ";
  EXPECT_EQ(round_trip(*train(lines, kVocab), sentences()[0]), sentences()[0]);
}

TEST_P(SubwordTest, SamplesEvenlyFromLargerText) {
  // Words that occur only early or only late: a sample of the first or last lines would lack one of them.
  Lines lines;
  for (int i = 0; i < 3000; ++i) lines.push_back(i < 1500 ? "frühzeitig" : "nachträglich");
  TokenizerOptions options = options_of(GetParam(), 20);
  options.max_training_lines = 100;
  const auto tokenizer = train_tokenizer(options, from(lines));
  EXPECT_EQ(round_trip(*tokenizer, "frühzeitig nachträglich"), "frühzeitig nachträglich");
  EXPECT_EQ(train_tokenizer(options, from(lines))->serialized(), tokenizer->serialized());
}

TEST_P(SubwordTest, RefusesADamagedModel) {
  const std::string bytes = train(sentences(), kVocab)->serialized();
  for (size_t kept = 0; kept < bytes.size(); kept += 37) {
    const std::string message = message_of([&] { load_tokenizer(bytes.substr(0, kept), "cut.model"); });
    EXPECT_TRUE(message.starts_with("'cut.model' ")) << kept << " " << message;
  }
  Random random = Random::of(11);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    for (int flips = 0; flips < 3; ++flips)
      damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    try {
      const auto tokenizer = load_tokenizer(damaged, "damaged.model");
      round_trip(*tokenizer, sentences()[0]);
    } catch (const UserError& error) {
      EXPECT_TRUE(has_text(error.what(), "'damaged.model' "));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SubwordTest, ::testing::Values(TokenizerType::Unigram, TokenizerType::Bpe),
                         [](const auto& instance) {
                           return instance.param == TokenizerType::Bpe ? "Bpe" : "Unigram";
                         });

TEST(Tokenizer, TrainsWords) {
  const auto tokenizer = train_tokenizer(options_of(TokenizerType::Words, 0), from({"b a", "b"}));
  EXPECT_EQ(tokenizer->piece(4), "b");
  EXPECT_EQ(tokenizer->size(), 6);
}

TEST(Tokenizer, ReadsFiles) {
  const TempDir dir;
  const auto trained = train_tokenizer(options_of(TokenizerType::Bpe, kVocab), from(sentences()));
  std::ofstream(dir / "de.model", std::ios::binary) << trained->serialized();
  std::ofstream(dir / "dict.txt", std::ios::binary) << "the 3\nHaus 1\n";
  EXPECT_EQ(read_tokenizer(dir / "de.model")->serialized(), trained->serialized());
  EXPECT_EQ(read_tokenizer(dir / "dict.txt")->size(), 6);
  EXPECT_TRUE(has_text(message_of([&] { read_tokenizer(dir / "missing"); }), "missing'"));
  EXPECT_TRUE(has_text(message_of([&] { read_tokenizer(dir.path()); }), "found a directory"));
}

TEST(Tokenizer, RefusesOtherBytes) {
  const auto error = [](std::string_view bytes) { return message_of([&] { load_tokenizer(bytes, "x"); }); };
  EXPECT_TRUE(has_text(error(""), "'x' is empty; expected a SentencePiece model"));
  EXPECT_TRUE(has_text(error("\n"), "'x' is not a usable SentencePiece model: it is damaged or cut off"));
  EXPECT_TRUE(has_text(error(std::string(100, '\0')), "'x' is not a usable SentencePiece model"));
  EXPECT_TRUE(has_text(error("\x89PNG\r\n\x1a\n"), "'x' is not a usable SentencePiece model"));
  EXPECT_TRUE(has_text(error("{\"model\": {}}"), "'x' is not a word dictionary"));
  Random random = Random::of(5);
  for (int i = 0; i < 1000; ++i) {
    std::string bytes(random.below(200), ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    EXPECT_TRUE(error(bytes).starts_with("'x' is ")) << error(bytes);
  }
}

}  // namespace
}  // namespace memsizer::text
