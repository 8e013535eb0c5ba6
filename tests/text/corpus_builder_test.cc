#include "text/corpus_builder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/special_tokens.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/corpus_fakes.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;
using testing::CharacterTokenizer;
using testing::files_in;
using testing::has_text;
using testing::ListReader;
using testing::message_of;
using testing::TempDir;
using testing::to_vector;
using testing::write_bytes;

using Examples = std::vector<Example>;

const std::string kKey(32, 'k');

class CorpusBuilding : public ::testing::Test {
 protected:
  // Builds a file from the examples and opens it.
  TokenFile build(const Examples& examples, bool filter = true) {
    report_ = {};
    CorpusBuilder builder(options_, &source_, target_, filter, cache_, report_,
                          [&](int64_t lines) { progress_.push_back(lines); });
    ListReader reader(examples);
    builder.add(reader, "a.en", "a.de");
    builder.finish(cache_ / "f", kKey);
    std::optional<TokenFile> file = TokenFile::open(cache_ / "f", kKey);
    if (!file) throw std::runtime_error("the file that was built does not open");
    testing::expect_equal(file->report(), report_);
    EXPECT_EQ(files_in(cache_), 1);
    return std::move(*file);
  }

  // The text and the end of a sequence, as "abc." with the end token as a full stop.
  std::string source_text(const TokenFile& file, int64_t index) const {
    return text_of(file.source(index), source_);
  }
  std::string target_text(const TokenFile& file, int64_t index) const {
    return text_of(file.target(index), target_);
  }

  static std::string text_of(std::span<const int32_t> ids, const Tokenizer& tokenizer) {
    std::string text;
    for (const int32_t id : ids) text += id == kEos ? "." : tokenizer.piece(id);
    return text;
  }

  int64_t count(const std::string& kind) const {
    const auto found = report_.findings.find(kind);
    return found == report_.findings.end() ? 0 : found->second.count;
  }

  std::vector<std::string> places(const std::string& kind) const { return report_.findings.at(kind).places; }

  TempDir dir_;
  fs::path cache_ = dir_ / "new" / "cache";
  DataOptions options_;
  CharacterTokenizer source_{4};
  CharacterTokenizer target_{300};
  CorpusReport report_;
  std::vector<int64_t> progress_;
};

TEST_F(CorpusBuilding, EncodesBothSidesAndEndsThem) {
  const TokenFile file = build({{"ab c", "x", 1}, {"", "yz", 3}});
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(to_vector(file.source(0)), (std::vector<int32_t>{4 + 'a', 4 + 'b', 4 + 'c', 2}));
  EXPECT_EQ(to_vector(file.target(0)), (std::vector<int32_t>{300 + 'x', 2}));
  EXPECT_EQ(source_text(file, 1), ".");
  EXPECT_EQ(target_text(file, 1), "yz.");
  EXPECT_EQ(file.line(1), 3);
  EXPECT_EQ(report_.examples, 2);
  EXPECT_EQ(report_.source_tokens, 5);
  EXPECT_EQ(report_.target_tokens, 5);
  EXPECT_TRUE(report_.findings.empty());
}

TEST_F(CorpusBuilding, WithoutASourceTokenizerTheTargetsServesBoth) {
  CorpusBuilder builder(options_, nullptr, target_, true, cache_, report_);
  ListReader reader({{"a", "b", 1}});
  builder.add(reader, "a", "a");
  builder.finish(cache_ / "f", kKey);
  EXPECT_EQ(TokenFile::open(cache_ / "f", kKey)->source(0)[0], 300 + 'a');
}

TEST_F(CorpusBuilding, ALanguageModelsLinesAreAStream) {
  options_.format = CorpusFormat::Text;
  options_.max_target_tokens = 3;
  options_.max_ratio = 2;
  const TokenFile file = build({{"", "a", 1}, {"", "", 2}, {"", "longer", 3}});
  ASSERT_EQ(file.size(), 3);
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(file.source(i).empty());
  EXPECT_EQ(text_of(file.targets(), target_), "a..longer.");
  EXPECT_EQ(report_.source_tokens, 0);
  EXPECT_EQ(report_.target_tokens, 10);
  EXPECT_TRUE(report_.findings.empty());
}

TEST_F(CorpusBuilding, OverLongPairsAreSkipped) {
  options_.max_source_tokens = 4;
  options_.max_target_tokens = 3;
  const TokenFile file =
      build({{"abc", "xy", 1}, {"abcd", "x", 2}, {"a", "xyz", 3}, {"abcde", "xyzw", 4}, {"abcdef", "x", 5}});
  ASSERT_EQ(file.size(), 1);
  EXPECT_EQ(file.line(0), 1);
  EXPECT_EQ(count("source longer than 4 tokens (skipped)"), 3);
  EXPECT_EQ(count("target longer than 3 tokens (skipped)"), 1);
  EXPECT_EQ(places("source longer than 4 tokens (skipped)").front(), "a.en:2");
  EXPECT_EQ(places("target longer than 3 tokens (skipped)").front(), "a.de:3");
}

TEST_F(CorpusBuilding, OverLongPairsAreTruncated) {
  options_.max_source_tokens = 4;
  options_.max_target_tokens = 1;
  options_.over_long = OverLong::Truncate;
  const TokenFile file = build({{"abc", "", 1}, {"abcdef", "xyz", 2}});
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(source_text(file, 0), "abc.");
  EXPECT_EQ(target_text(file, 0), ".");
  EXPECT_EQ(source_text(file, 1), "abc.");
  EXPECT_EQ(target_text(file, 1), ".");
  EXPECT_EQ(count("source longer than 4 tokens (truncated)"), 1);
  EXPECT_EQ(count("target longer than 1 tokens (truncated)"), 1);
  EXPECT_EQ(places("target longer than 1 tokens (truncated)").front(), "a.de:2");
  EXPECT_EQ(report_.source_tokens, 8);
}

TEST_F(CorpusBuilding, OverLongPairsStop) {
  options_.max_source_tokens = 4;
  options_.max_target_tokens = 3;
  options_.over_long = OverLong::Stop;
  const std::string target = message_of([&] { build({{"a", "x", 1}, {"ab", "xyzw", 7}}); });
  EXPECT_EQ(target,
            "a.de:7: found 3 source and 5 target tokens, end tokens included, expected at most 4 "
            "(data.max_source_tokens) and 3 (data.max_target_tokens); raise the limits or set data.over_long "
            "to skip or truncate");
  EXPECT_TRUE(has_text(message_of([&] {
                         build({{"abcd", "x", 9}});
                       }),
                       "a.en:9: found 5 source and 2 target"));
  EXPECT_EQ(files_in(cache_), 0);
}

TEST_F(CorpusBuilding, UnequalPairsAreSkipped) {
  options_.max_ratio = 3;
  const TokenFile file =
      build({{"a", "xxxxx", 1}, {"a", "xxxxxx", 2}, {"aaaaaaaaa", "x", 3}, {"aaaaaaaa", "xx", 4}});
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(file.line(0), 1);
  EXPECT_EQ(file.line(1), 4);
  EXPECT_EQ(count("length ratio above 3 (skipped)"), 2);
  EXPECT_EQ(places("length ratio above 3 (skipped)").front(), "a.en:2");
}

TEST_F(CorpusBuilding, TheRatioIsThatOfWhatIsKept) {
  options_.max_ratio = 2.5;
  options_.max_source_tokens = 5;
  options_.over_long = OverLong::Truncate;
  const TokenFile file = build({{"aaaaaaaaaaaa", "x", 1}, {"aaaaaaaaaaaa", "", 2}});
  ASSERT_EQ(file.size(), 1);
  EXPECT_EQ(count("source longer than 5 tokens (truncated)"), 1) << "the skipped pair is counted once";
  EXPECT_EQ(count("length ratio above 2.5 (skipped)"), 1);
}

TEST_F(CorpusBuilding, TestSetsKeepEveryExample) {
  options_.max_source_tokens = 3;
  options_.max_target_tokens = 3;
  options_.max_ratio = 2;
  const Examples examples = {{"abcdef", "x", 1}, {"a", "xyzxyzxyz", 2}};
  for (const OverLong choice : {OverLong::Skip, OverLong::Stop}) {
    options_.over_long = choice;
    const TokenFile file = build(examples, false);
    ASSERT_EQ(file.size(), 2);
    EXPECT_EQ(source_text(file, 0), "abcdef.");
    EXPECT_EQ(target_text(file, 1), "xyzxyzxyz.");
    EXPECT_TRUE(report_.findings.empty());
  }
  options_.over_long = OverLong::Truncate;
  const TokenFile file = build(examples, false);
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(source_text(file, 0), "ab.");
  EXPECT_EQ(target_text(file, 1), "xyzxyzxyz.");
  EXPECT_EQ(count("source longer than 3 tokens (truncated)"), 1);
}

TEST_F(CorpusBuilding, NothingLeftSaysWhy) {
  options_.max_ratio = 2;
  options_.max_source_tokens = 10;
  const std::string message = message_of([&] {
    build({{"aaaaaaaa", "x", 1}, {"aaaaaaaaaaaa", "x", 2}, {"aaaaaaaa", "x", 5}});
  });
  EXPECT_EQ(message,
            "no usable examples in a.en, a.de: length ratio above 2 (skipped): 2, first at a.en:1; "
            "source longer than 10 tokens (skipped): 1, first at a.en:2; check the files and the options of "
            "data");
  EXPECT_TRUE(has_text(message_of([&] { build({}); }), "no usable examples in a.en, a.de: found no lines"));
  EXPECT_EQ(files_in(cache_), 0);
}

TEST_F(CorpusBuilding, OneExampleIsACorpus) {
  EXPECT_EQ(build({{"a", "b", 1}}).size(), 1);
}

TEST_F(CorpusBuilding, AHugeLine) {
  options_.max_source_tokens = 1 << 30;
  const TokenFile file = build({{std::string(3'000'000, 'a'), "b", 1}});
  EXPECT_EQ(file.source(0).size(), 3'000'001U);
  EXPECT_EQ(file.source(0).back(), kEos);
}

TEST_F(CorpusBuilding, ProgressCountsLinesOfAllFiles) {
  Examples examples;
  for (int64_t line = 2; line <= 5000; line += 2) examples.push_back({"a", "b", line});
  CorpusBuilder builder(options_, &source_, target_, true, cache_, report_,
                        [&](int64_t lines) { progress_.push_back(lines); });
  for (int i = 0; i < 2; ++i) {
    ListReader reader(examples);
    builder.add(reader, "a.tsv", "a.tsv");
  }
  EXPECT_EQ(progress_, (std::vector<int64_t>{2000, 4000, 5000, 7000, 9000, 10000}));
}

TEST_F(CorpusBuilding, RefusesLimitsThatLeaveNoRoom) {
  options_.max_source_tokens = 0;
  EXPECT_EQ(message_of([&] { build({}); }), "data.max_source_tokens: found 0, expected at least 1");
  options_.max_source_tokens = 1;
  options_.max_target_tokens = -5;
  EXPECT_EQ(message_of([&] { build({}); }), "data.max_target_tokens: found -5, expected at least 1");
}

TEST_F(CorpusBuilding, NamesAFolderItCannotCreate) {
  write_bytes(dir_ / "file", "x");
  cache_ = dir_ / "file" / "cache";
  const std::string message = message_of([&] { build({{"a", "b", 1}}); });
  EXPECT_TRUE(has_text(message, cache_.string()));
  EXPECT_TRUE(has_text(message, "data.cache"));
}

}  // namespace
}  // namespace memsizer::text
