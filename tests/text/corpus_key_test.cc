#include "text/corpus_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/corpus_fakes.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;
using testing::CharacterTokenizer;
using testing::has_text;
using testing::message_of;
using testing::TempDir;
using testing::write_bytes;

class CorpusKey : public ::testing::Test {
 protected:
  CorpusKey() {
    fs::create_directory(dir_ / "other");
    for (const fs::path& folder : {dir_.path(), dir_ / "other"}) {
      write_bytes(folder / "a.en", "one\ntwo\n");
      write_bytes(folder / "a.de", "eins\nzwei\n");
    }
  }

  std::string key(const DataOptions& options = {}, bool filter = true) const {
    return corpus_key(options, files_, &source_, target_, filter);
  }
  std::string changed(const std::function<void(DataOptions&)>& change, bool filter = true,
                      DataOptions options = {}) const {
    change(options);
    return key(options, filter);
  }

  TempDir dir_;
  std::vector<fs::path> files_ = {dir_ / "a.en", dir_ / "a.de"};
  CharacterTokenizer source_{4};
  CharacterTokenizer target_{5};
};

TEST_F(CorpusKey, IsThirtyTwoHexDigits) {
  EXPECT_EQ(key().size(), 32U);
  EXPECT_EQ(key().find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(key(), key());
}

TEST_F(CorpusKey, IsTheSameInAnotherFolderUnderAnotherName) {
  const std::string here = key();
  files_ = {dir_ / "other" / "a.en", dir_ / "other" / "a.de"};
  EXPECT_EQ(key(), here);
  fs::rename(dir_ / "other" / "a.en", dir_ / "other" / "b.txt");
  files_[0] = dir_ / "other" / "b.txt";
  EXPECT_EQ(key(), here);
}

TEST_F(CorpusKey, FollowsTheContents) {
  std::set<std::string> seen = {key()};
  write_bytes(dir_ / "a.en", "one\ntwO\n");
  EXPECT_TRUE(seen.insert(key()).second);
  write_bytes(dir_ / "a.en", "one\ntwo");
  EXPECT_TRUE(seen.insert(key()).second);
  // The same bytes, parted otherwise.
  write_bytes(dir_ / "a.en", "one\ntwo\neins\n");
  write_bytes(dir_ / "a.de", "zwei\n");
  EXPECT_TRUE(seen.insert(key()).second);
  std::swap(files_[0], files_[1]);
  EXPECT_TRUE(seen.insert(key()).second);
  files_.pop_back();
  EXPECT_TRUE(seen.insert(key()).second);
  fs::rename(files_[0], dir_ / "a.gz");
  files_[0] = dir_ / "a.gz";
  EXPECT_TRUE(seen.insert(key()).second);
}

TEST_F(CorpusKey, FollowsTheTokenizers) {
  const auto with = [&](const Tokenizer* source, const Tokenizer& target) {
    return corpus_key({}, files_, source, target, true);
  };
  const std::set<std::string> seen = {with(&source_, target_), with(&target_, source_),
                                      with(&source_, source_), with(&target_, target_)};
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(with(nullptr, target_), with(&target_, target_));
}

TEST_F(CorpusKey, FollowsTheOptionsThatMatter) {
  std::set<std::string> seen = {key()};
  const std::vector<std::function<void(DataOptions&)>> changes = {
      [](DataOptions& o) { o.format = CorpusFormat::Tsv; },
      [](DataOptions& o) { o.format = CorpusFormat::JsonLines; },
      [](DataOptions& o) { o.format = CorpusFormat::Text; },
      [](DataOptions& o) {
        o.format = CorpusFormat::JsonLines;
        o.source_key = "a";
      },
      [](DataOptions& o) {
        o.format = CorpusFormat::JsonLines;
        o.target_key = "a";
      },
      [](DataOptions& o) { o.normalize_space = false; },
      [](DataOptions& o) { o.max_source_tokens = 7; },
      [](DataOptions& o) { o.max_target_tokens = 7; },
      [](DataOptions& o) { o.max_ratio = 9; },
      [](DataOptions& o) { o.over_long = OverLong::Truncate; },
      [](DataOptions& o) { o.over_long = OverLong::Stop; },
      [](DataOptions& o) { o.invalid_utf8 = BadLine::Stop; },
      [](DataOptions& o) { o.empty_side = BadLine::Stop; },
  };
  for (size_t i = 0; i < changes.size(); ++i) EXPECT_TRUE(seen.insert(changed(changes[i])).second) << i;
  EXPECT_TRUE(seen.insert(key({}, false)).second);
}

TEST_F(CorpusKey, LeavesOutTheOptionsThatDoNotMatter) {
  EXPECT_EQ(changed([](DataOptions& o) { o.cache = "elsewhere"; }), key());
  EXPECT_EQ(changed([](DataOptions& o) { o.directory = "elsewhere"; }), key());
  EXPECT_EQ(changed([](DataOptions& o) { o.train = {"x"}; }), key());
  EXPECT_EQ(changed([](DataOptions& o) { o.tokenizer.vocab = 3; }), key());
  EXPECT_EQ(changed([](DataOptions& o) { o.source_key = "a"; }), key());
  EXPECT_EQ(changed([](DataOptions& o) { o.max_ratio = 9; }, false), key({}, false));
  DataOptions text;
  text.format = CorpusFormat::Text;
  EXPECT_EQ(changed([](DataOptions& o) { o.max_target_tokens = 7; }, true, text), key(text));
  EXPECT_EQ(key(text, false), key(text, true));
}

TEST_F(CorpusKey, NamesAFileThatIsMissing) {
  files_[1] = dir_ / "missing.de";
  EXPECT_TRUE(has_text(message_of([&] { key(); }), "missing.de"));
}

}  // namespace
}  // namespace memsizer::text
