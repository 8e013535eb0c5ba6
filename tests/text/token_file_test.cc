#include "text/token_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "core/content_hash.h"
#include "core/error.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "text/corpus_fakes.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;
using testing::files_in;
using testing::has_text;
using testing::message_of;
using testing::read_bytes;
using testing::TempDir;
using testing::to_vector;
using testing::write_bytes;

using Ids = std::vector<int32_t>;

const std::string kKey = "0123456789abcdef0123456789abcdef";
constexpr size_t kVersionAt = 8;
constexpr size_t kSectionsAt = 56;
constexpr size_t kChecksumAt = 152;
constexpr size_t kHeaderBytes = 160;

CorpusReport sample_report() {
  CorpusReport report;
  report.examples = 3;
  report.source_tokens = 4;
  report.target_tokens = 6;
  report.findings["length ratio above 9 (skipped)"] = {.count = 12, .places = {"a.en:3", "a.en:7"}};
  report.findings["\"quoted\" \xc3\xa9\n"] = {.count = 1, .places = {}};
  return report;
}

void write_sample(const fs::path& path) {
  TokenFileWriter writer(path.parent_path());
  writer.add(Ids{5, 6, 2}, Ids{7, 2}, 1);
  writer.add(Ids{}, Ids{-1, 2147483647, 2}, 4);
  writer.add(Ids{2}, Ids{2}, 5);
  writer.finish(path, kKey, sample_report());
}

uint64_t number_at(const std::string& file, size_t position) {
  uint64_t value = 0;
  std::memcpy(&value, file.data() + position, sizeof(value));
  return value;
}

void put_number(std::string& file, size_t position, uint64_t value) {
  std::memcpy(file.data() + position, &value, sizeof(value));
}

uint64_t checksum_of(std::string_view bytes) {
  ContentHash hash;
  hash.update(bytes);
  return hash.checksum();
}

// Makes all checksums right again, as a forger would.
void forge(std::string& file) {
  size_t position = kHeaderBytes;
  for (size_t at = kSectionsAt; at < kChecksumAt; at += 16) {
    const size_t bytes = number_at(file, at);
    if (position <= file.size() && bytes <= file.size() - position) {
      put_number(file, at + 8, checksum_of(std::string_view(file).substr(position, bytes)));
    }
    position += bytes;
  }
  put_number(file, kChecksumAt, checksum_of(std::string_view(file).substr(0, kChecksumAt)));
}

TEST(TokenFile, GivesBackWhatWasWritten) {
  const TempDir dir;
  write_sample(dir / "f");
  std::optional<TokenFile> opened = TokenFile::open(dir / "f", kKey);
  ASSERT_TRUE(opened);
  const TokenFile file = std::move(*opened);
  ASSERT_EQ(file.size(), 3);
  EXPECT_EQ(to_vector(file.source(0)), (Ids{5, 6, 2}));
  EXPECT_EQ(to_vector(file.target(0)), (Ids{7, 2}));
  EXPECT_TRUE(file.source(1).empty());
  EXPECT_EQ(to_vector(file.target(1)), (Ids{-1, 2147483647, 2}));
  EXPECT_EQ(to_vector(file.source(2)), (Ids{2}));
  EXPECT_EQ(to_vector(file.target(2)), (Ids{2}));
  EXPECT_EQ(to_vector(file.targets()), (Ids{7, 2, -1, 2147483647, 2, 2}));
  EXPECT_EQ(file.line(0), 1);
  EXPECT_EQ(file.line(1), 4);
  EXPECT_EQ(file.line(2), 5);
  EXPECT_EQ(file.key(), kKey);
  testing::expect_equal(file.report(), sample_report());
}

TEST(TokenFile, LeavesNothingButTheFile) {
  const TempDir dir;
  write_sample(dir / "f");
  EXPECT_EQ(files_in(dir.path()), 1);
  { TokenFileWriter unfinished(dir.path()); }
  EXPECT_EQ(files_in(dir.path()), 1);
}

TEST(TokenFile, IsTheSameBytesEveryTime) {
  const TempDir dir;
  write_sample(dir / "f");
  write_sample(dir / "g");
  EXPECT_EQ(read_bytes(dir / "f"), read_bytes(dir / "g"));
}

TEST(TokenFile, HoldsNoExamplesToo) {
  const TempDir dir;
  TokenFileWriter(dir.path()).finish(dir / "f", kKey, {});
  const std::optional<TokenFile> file = TokenFile::open(dir / "f", kKey);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 0);
  EXPECT_TRUE(file->targets().empty());
}

TEST(TokenFile, HoldsMoreThanTheBuffers) {
  const TempDir dir;
  Ids expected;
  TokenFileWriter writer(dir.path());
  for (int32_t i = 0; i < 50000; ++i) {
    const Ids source(static_cast<size_t>(i % 7), i);
    const Ids target = i == 20000 ? Ids(200000, i) : Ids{i, 2};
    writer.add(source, target, i + 1);
    expected.insert(expected.end(), target.begin(), target.end());
  }
  writer.finish(dir / "f", kKey, {});
  const std::optional<TokenFile> file = TokenFile::open(dir / "f", kKey);
  ASSERT_TRUE(file);
  EXPECT_EQ(to_vector(file->targets()), expected);
  EXPECT_EQ(to_vector(file->source(49999)), Ids(5, 49999));
  EXPECT_EQ(file->target(20000).size(), 200000U);
  EXPECT_EQ(file->line(49999), 50000);
}

TEST(TokenFile, ReportWithNamesThatAreNotUtf8) {
  const TempDir dir;
  CorpusReport report;
  report.findings["kind"] = {.count = 2, .places = {"\xff.en:1"}};
  TokenFileWriter(dir.path()).finish(dir / "f", kKey, report);
  const std::optional<TokenFile> file = TokenFile::open(dir / "f", kKey);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->report().findings.at("kind").count, 2);
}

TEST(TokenFile, IsNotOpenedUnderAnotherKey) {
  const TempDir dir;
  write_sample(dir / "f");
  std::string other = kKey;
  other.back() = '0';
  EXPECT_FALSE(TokenFile::open(dir / "f", other));
  EXPECT_FALSE(TokenFile::open(dir / "f", ""));
}

TEST(TokenFile, IsNotWhatIsMissingOrNoFile) {
  const TempDir dir;
  EXPECT_FALSE(TokenFile::open(dir / "missing", kKey));
  EXPECT_FALSE(TokenFile::open(dir.path(), kKey));
  write_bytes(dir / "f", "");
  EXPECT_FALSE(TokenFile::open(dir / "f", kKey));
}

TEST(TokenFileDamage, EveryByteCounts) {
  const TempDir dir;
  write_sample(dir / "f");
  std::string bytes = read_bytes(dir / "f");
  for (char& byte : bytes) {
    for (const int change : {0x01, 0x80, 0xff}) {
      const char sound = std::exchange(byte, static_cast<char>(byte ^ change));
      write_bytes(dir / "f", bytes);
      EXPECT_FALSE(TokenFile::open(dir / "f", kKey)) << &byte - bytes.data();
      byte = sound;
    }
  }
  write_bytes(dir / "f", bytes);
  EXPECT_TRUE(TokenFile::open(dir / "f", kKey));
}

TEST(TokenFileDamage, EveryLengthIsNoticed) {
  const TempDir dir;
  write_sample(dir / "f");
  const std::string bytes = read_bytes(dir / "f");
  for (size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(dir / "f", std::string_view(bytes).substr(0, length));
    EXPECT_FALSE(TokenFile::open(dir / "f", kKey)) << length;
  }
  write_bytes(dir / "f", bytes + '\0');
  EXPECT_FALSE(TokenFile::open(dir / "f", kKey));
}

TEST(TokenFileDamage, OtherVersion) {
  const TempDir dir;
  write_sample(dir / "f");
  std::string bytes = read_bytes(dir / "f");
  ASSERT_EQ(bytes[kVersionAt], 1);
  forge(bytes);
  write_bytes(dir / "f", bytes);
  ASSERT_TRUE(TokenFile::open(dir / "f", kKey)) << "the forger does not know the format";
  for (const int version : {0, 2, 127}) {
    bytes[kVersionAt] = static_cast<char>(version);
    forge(bytes);
    write_bytes(dir / "f", bytes);
    EXPECT_FALSE(TokenFile::open(dir / "f", kKey)) << version;
  }
}

TEST(TokenFileDamage, ForgedOffsetsAndSizes) {
  const TempDir dir;
  write_sample(dir / "f");
  const std::string sound = read_bytes(dir / "f");
  const auto refused = [&](size_t position, uint64_t value) {
    std::string bytes = sound;
    put_number(bytes, position, value);
    forge(bytes);
    write_bytes(dir / "f", bytes);
    return !TokenFile::open(dir / "f", kKey);
  };
  // The four offsets of the sources, then those of the targets.
  for (size_t i = 0; i < 8; ++i) {
    for (const uint64_t value : {uint64_t{100}, UINT64_MAX, uint64_t{1} << 62, uint64_t{1} << 63}) {
      EXPECT_TRUE(refused(kHeaderBytes + 8 * i, value)) << i << " " << value;
    }
  }
  for (size_t section = 0; section < 6; ++section) {
    for (const uint64_t value : {uint64_t{0}, uint64_t{8}, uint64_t{1000}, UINT64_MAX, UINT64_MAX - 7}) {
      EXPECT_TRUE(refused(kSectionsAt + 16 * section, value)) << section << " " << value;
    }
  }
}

TEST(TokenFileDamage, ForgedReport) {
  const TempDir dir;
  for (const std::string_view report :
       {"", "null", "[]", "{}", "{\"examples\":1}", "\xff",
        R"({"examples":"x","source_tokens":1,"target_tokens":1,"findings":{}})",
        R"({"examples":1,"source_tokens":1,"target_tokens":1,"findings":[1]})"}) {
    TokenFileWriter(dir.path()).finish(dir / "f", kKey, {});
    std::string bytes = read_bytes(dir / "f");
    bytes.resize(kHeaderBytes + 16);
    bytes += report;
    put_number(bytes, 16, bytes.size());
    put_number(bytes, kChecksumAt - 16, report.size());
    forge(bytes);
    write_bytes(dir / "f", bytes);
    EXPECT_FALSE(TokenFile::open(dir / "f", kKey)) << report;
  }
}

TEST(TokenFileWriter, NamesAFolderItCannotUse) {
  const TempDir dir;
  const std::string missing = message_of([&] { TokenFileWriter writer(dir / "missing"); });
  EXPECT_TRUE(has_text(missing, (dir / "missing").string()));
  EXPECT_TRUE(has_text(missing, "data.cache"));
  // Not even the superuser can make files here.
  EXPECT_TRUE(has_text(message_of([] { TokenFileWriter writer("/proc"); }), "'/proc'"));
}

}  // namespace
}  // namespace memsizer::text
