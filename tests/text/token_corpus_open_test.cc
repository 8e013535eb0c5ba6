#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/special_tokens.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/corpus_fakes.h"
#include "text/token_corpus.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;
using testing::CharacterTokenizer;
using testing::files_in;
using testing::has_text;
using testing::message_of;
using testing::read_bytes;
using testing::TempDir;
using testing::write_bytes;

class TokenCorpusOpen : public ::testing::Test {
 protected:
  TokenCorpusOpen() {
    options_.directory = dir_.path().string();
    write_bytes(dir_ / "a.en", "one\ntwo\n\nfour  four\n");
    write_bytes(dir_ / "a.de", "eins\nzwei\ndrei\nvier\n");
  }

  TokenCorpus open(const std::vector<std::string>& files = {"a.en", "a.de"}, bool filter = true) {
    report_ = {};
    report_.examples = -1;
    progress_calls_ = 0;
    return TokenCorpus::open(options_, files, &tokenizer_, tokenizer_, filter, cache_, report_,
                             [&](int64_t) { ++progress_calls_; });
  }

  fs::path file_of(const TokenCorpus& corpus) const { return cache_ / (corpus.key() + ".tokens"); }

  // The text and the end of a sequence, as "abc." with the end token as a full stop.
  std::string text_of(std::span<const int32_t> ids) const {
    std::string text;
    for (const int32_t id : ids) text += id == kEos ? "." : tokenizer_.piece(id);
    return text;
  }

  void expect_sample(const TokenCorpus& corpus) const {
    ASSERT_EQ(corpus.size(), 3);
    EXPECT_EQ(text_of(corpus.source(0)), "one.");
    EXPECT_EQ(text_of(corpus.target(1)), "zwei.");
    EXPECT_EQ(text_of(corpus.source(2)), "fourfour.");
    EXPECT_EQ(text_of(corpus.stream()), "eins.zwei.vier.");
    EXPECT_EQ(corpus.line(1), 2);
    EXPECT_EQ(corpus.line(2), 4);
    EXPECT_EQ(report_.examples, 3);
    EXPECT_EQ(report_.source_tokens, 17);
    EXPECT_EQ(report_.target_tokens, 15);
    int64_t found = 0;
    for (const auto& [kind, finding] : report_.findings) found += finding.count;
    EXPECT_EQ(found, 1) << "the pair with an empty side";
  }

  TempDir dir_;
  fs::path cache_ = dir_ / "run" / "cache";
  DataOptions options_;
  CharacterTokenizer tokenizer_;
  CorpusReport report_;
  int progress_calls_ = 0;
};

TEST_F(TokenCorpusOpen, BuildsOnceAndThenTakesTheCache) {
  const TokenCorpus built = open();
  expect_sample(built);
  EXPECT_GT(progress_calls_, 0);
  EXPECT_EQ(files_in(cache_), 1);
  const CorpusReport first_report = report_;
  const auto written = fs::last_write_time(file_of(built));

  const TokenCorpus cached = open();
  expect_sample(cached);
  EXPECT_EQ(cached.key(), built.key());
  EXPECT_EQ(progress_calls_, 0);
  EXPECT_EQ(fs::last_write_time(file_of(cached)), written);
  testing::expect_equal(report_, first_report);
}

TEST_F(TokenCorpusOpen, RebuildsADamagedCache) {
  const fs::path path = file_of(open());
  const std::string sound = read_bytes(path);
  for (size_t at = 0; at < sound.size(); at += 37) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_bytes(path, damaged);
    expect_sample(open());
    EXPECT_GT(progress_calls_, 0);
    EXPECT_EQ(read_bytes(path), sound);
  }
  for (const size_t length : {size_t{0}, size_t{9}, sound.size() - 1}) {
    write_bytes(path, sound.substr(0, length));
    expect_sample(open());
    EXPECT_EQ(read_bytes(path), sound);
  }
}

TEST_F(TokenCorpusOpen, DoesNotTakeTheCacheOfOtherText) {
  const fs::path before = file_of(open());
  write_bytes(dir_ / "a.en", "One\ntwo\n\nfour  four\n");
  const TokenCorpus changed = open();
  EXPECT_NE(file_of(changed), before);
  EXPECT_EQ(text_of(changed.source(0)), "One.");
  // Even a sound file, under a name that is not its own.
  fs::copy_file(before, file_of(changed), fs::copy_options::overwrite_existing);
  EXPECT_EQ(text_of(open().source(0)), "One.");
}

TEST_F(TokenCorpusOpen, TheSameTextElsewhereHasTheSameKey) {
  const std::string key = open().key();
  fs::create_directory(dir_ / "copy");
  for (const char* name : {"a.en", "a.de"}) fs::copy_file(dir_ / name, dir_ / "copy" / name);
  options_.directory = (dir_ / "copy").string();
  EXPECT_EQ(open().key(), key);
  EXPECT_EQ(progress_calls_, 0);
}

TEST_F(TokenCorpusOpen, ReadsAStreamFromSeveralFiles) {
  options_.format = CorpusFormat::Text;
  write_bytes(dir_ / "1.txt", "a b\n\n");
  write_bytes(dir_ / "2.txt", "c\n");
  const TokenCorpus corpus = open({"1.txt", "2.txt"});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(text_of(corpus.stream()), "ab..c.");
  EXPECT_TRUE(corpus.source(0).empty());
  EXPECT_EQ(corpus.line(1), 2);
  EXPECT_EQ(corpus.line(2), 1);
  EXPECT_NE(open({"2.txt", "1.txt"}).key(), corpus.key());
}

TEST_F(TokenCorpusOpen, NamesTheFileOfALine) {
  options_.format = CorpusFormat::Tsv;
  options_.max_source_tokens = 4;
  write_bytes(dir_ / "1.tsv", "a\tx\nb\ty\n");
  write_bytes(dir_ / "2.tsv", "c\tz\ndddddd\tw\n");
  const TokenCorpus corpus = open({"1.tsv", "2.tsv"});
  ASSERT_EQ(corpus.size(), 3);
  EXPECT_EQ(text_of(corpus.source(2)), "c.");
  EXPECT_EQ(report_.findings.at("source longer than 4 tokens (skipped)").places,
            (std::vector<std::string>{"2.tsv:2"}));
  EXPECT_EQ(open({"1.tsv", "2.tsv"}, false).size(), 4);
}

TEST_F(TokenCorpusOpen, ReadsJsonLines) {
  options_.format = CorpusFormat::JsonLines;
  options_.over_long = OverLong::Truncate;
  options_.max_source_tokens = 3;
  write_bytes(dir_ / "a.jsonl", "{\"document\": \"abcdef\", \"summary\": \"xyzxyz\"}\n");
  const TokenCorpus corpus = open({"a.jsonl"}, false);
  ASSERT_EQ(corpus.size(), 1);
  EXPECT_EQ(text_of(corpus.source(0)), "ab.");
  EXPECT_EQ(text_of(corpus.target(0)), "xyzxyz.");
}

TEST_F(TokenCorpusOpen, SaysWhatIsWrong) {
  EXPECT_TRUE(has_text(message_of([&] { open({"a.en", "missing.de"}); }), "missing.de"));
  EXPECT_NE(message_of([&] { open({}); }), "no error");
  options_.max_source_tokens = 1;
  EXPECT_TRUE(has_text(message_of([&] { open(); }), "no usable examples in a.en, a.de"));
  EXPECT_EQ(files_in(cache_), 0);
  options_.max_source_tokens = 100;
  write_bytes(dir_ / "file", "");
  cache_ = dir_ / "file" / "cache";
  EXPECT_TRUE(has_text(message_of([&] { open(); }), "data.cache"));
}

TEST_F(TokenCorpusOpen, TwoOfOneCacheDoNotDisturbEachOther) {
  const TokenCorpus first = open();
  const fs::path path = file_of(first);
  fs::remove(path);
  const TokenCorpus second = open();
  expect_sample(first);
  expect_sample(second);
}

}  // namespace
}  // namespace memsizer::text
