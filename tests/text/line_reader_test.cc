#include "text/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;
using testing::has_text;
using testing::message_of;
using testing::TempDir;
using Lines = std::vector<std::string>;

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void put_gzip(const fs::path& path, const std::string& text) {
  gzFile file = ::gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(::gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  ASSERT_EQ(::gzclose(file), Z_OK);
}

std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Lines lines_of(const fs::path& path) {
  LineReader reader(path, "file");
  Lines lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  EXPECT_EQ(reader.lines(), static_cast<int64_t>(lines.size()));
  return lines;
}

Lines lines_in(const std::string& text) {
  const TempDir dir;
  put(dir / "file", text);
  put_gzip(dir / "file.gz", text);
  const Lines lines = lines_of(dir / "file");
  EXPECT_EQ(lines_of(dir / "file.gz"), lines);
  return lines;
}

// Text that does not compress away, so that a cut lands inside it.
std::string noise(size_t bytes) {
  std::string text;
  uint32_t state = 1;
  while (text.size() < bytes) {
    state = state * 1664525U + 1013904223U;
    text += state >> 24 < 20 ? '\n' : static_cast<char>('!' + (state >> 16) % 90);
  }
  return text;
}

TEST(LineReader, FindsLineEnds) {
  EXPECT_EQ(lines_in(""), Lines());
  EXPECT_EQ(lines_in("\n"), Lines({""}));
  EXPECT_EQ(lines_in("a"), Lines({"a"}));
  EXPECT_EQ(lines_in("a\n"), Lines({"a"}));
  EXPECT_EQ(lines_in("a\n\n"), Lines({"a", ""}));
  EXPECT_EQ(lines_in("a\nb"), Lines({"a", "b"}));
  EXPECT_EQ(lines_in("a\r\nb\r\n\r\nc\r"), Lines({"a", "b", "", "c"}));
  EXPECT_EQ(lines_in("a\rb\n"), Lines({"a\rb"}));
  EXPECT_EQ(lines_in("a\r\r\n"), Lines({"a\r"}));
  EXPECT_EQ(lines_in(std::string("a\0b\n", 4)), Lines({std::string("a\0b", 3)}));
}

TEST(LineReader, DropsByteOrderMarkAtTheStartOnly) {
  EXPECT_EQ(lines_in("\xef\xbb\xbf"), Lines());
  EXPECT_EQ(lines_in("\xef\xbb\xbf\n"), Lines({""}));
  EXPECT_EQ(lines_in("\xef\xbb\xbfx\n\xef\xbb\xbfy\n"), Lines({"x", "\xef\xbb\xbfy"}));
}

TEST(LineReader, TakesLinesOfAnyLength) {
  for (const size_t length : {LineReader::kHeadBytes - 1, LineReader::kHeadBytes, LineReader::kHeadBytes + 1,
                              3 * LineReader::kHeadBytes + 7, size_t{5'000'000}}) {
    const std::string text(length, 'x');
    EXPECT_EQ(lines_in(text + "\r\nshort\n"), Lines({text, "short"})) << length;
    EXPECT_EQ(lines_in("short\n" + text), Lines({"short", text})) << length;
  }
}

TEST(LineReader, TellsPlaces) {
  const TempDir dir;
  put(dir / "file", "a\nb\n");
  LineReader reader(dir / "file", "corpus/file");
  EXPECT_EQ(reader.head(), "a\nb\n");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(reader.place(), "corpus/file:1");
  LineReader moved = std::move(reader);
  ASSERT_TRUE(moved.next(line));
  EXPECT_EQ(line, "b");
  EXPECT_EQ(moved.place(), "corpus/file:2");
  EXPECT_FALSE(moved.next(line));
  EXPECT_FALSE(moved.next(line));
  EXPECT_EQ(moved.lines(), 2);
}

TEST(LineReader, HeadIsTheStartOfALargeFile) {
  const TempDir dir;
  const std::string text = noise(200'000);
  put(dir / "file", text);
  put_gzip(dir / "file.gz", text);
  EXPECT_EQ(LineReader(dir / "file", "f").head(), text.substr(0, LineReader::kHeadBytes));
  EXPECT_EQ(LineReader(dir / "file.gz", "f").head(), text.substr(0, LineReader::kHeadBytes));
  EXPECT_EQ(lines_of(dir / "file"), lines_of(dir / "file.gz"));
}

TEST(LineReader, ReadsGzipFilesJoinedTogether) {
  const TempDir dir;
  put_gzip(dir / "a.gz", "one\n");
  put_gzip(dir / "b.gz", "two\n");
  put(dir / "ab.gz", read_bytes(dir / "a.gz") + read_bytes(dir / "b.gz"));
  EXPECT_EQ(lines_of(dir / "ab.gz"), Lines({"one", "two"}));
}

TEST(LineReader, RefusesWhatIsNoFile) {
  const TempDir dir;
  const auto open = [](const fs::path& path) { return message_of([&] { LineReader(path, "f"); }); };
  EXPECT_TRUE(has_text(open(dir / "missing.en"), "missing.en'"));
  EXPECT_TRUE(has_text(open(dir / "missing.en"), "check the path"));
  EXPECT_TRUE(has_text(open(dir.path()), "found a directory"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(has_text(open(dir / "pipe"), "found a pipe or device"));
  EXPECT_TRUE(has_text(open("/dev/null"), "found a pipe or device"));
}

TEST(LineReader, RefusesUnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempDir dir;
  put(dir / "private", "a\n");
  fs::permissions(dir / "private", fs::perms::none);
  EXPECT_TRUE(has_text(message_of([&] { LineReader(dir / "private", "f"); }), "check the permissions"));
}

TEST(LineReader, NoticesACutGzipFileWhereverItIsCut) {
  const TempDir dir;
  put_gzip(dir / "whole.gz", noise(300'000));
  const std::string bytes = read_bytes(dir / "whole.gz");
  // Two bytes are the least that show what the file is.
  for (const size_t kept : {size_t{2}, size_t{5}, size_t{12}, bytes.size() / 3, bytes.size() - 9,
                            bytes.size() - 8, bytes.size() - 1}) {
    put(dir / "cut.gz", bytes.substr(0, kept));
    const std::string message = message_of([&] { lines_of(dir / "cut.gz"); });
    EXPECT_TRUE(has_text(message, "cut.gz' is a damaged gzip file")) << kept;
  }
}

TEST(LineReader, NoticesADamagedGzipFile) {
  const TempDir dir;
  put_gzip(dir / "whole.gz", noise(300'000));
  const std::string bytes = read_bytes(dir / "whole.gz");
  for (const size_t at : {bytes.size() / 2, bytes.size() - 6, bytes.size() - 2}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    put(dir / "damaged.gz", damaged);
    const std::string message = message_of([&] { lines_of(dir / "damaged.gz"); });
    EXPECT_TRUE(has_text(message, "is a damaged gzip file")) << at;
    EXPECT_FALSE(has_text(message, "<fd:")) << message;
  }
}

// A pipe whose ends close with it.
class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    close_writer();
    ::close(ends_[0]);
  }

  int reader() const { return ends_[0]; }
  void put(std::string_view text) {
    ASSERT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST(LineReader, LinesOfAPipeAreGivenOutAsTheyCome) {
  Pipe pipe;
  LineReader reader(pipe.reader(), "standard input");
  std::string line;
  for (const std::string text : {"first", "", "third\xff"}) {
    pipe.put(text + "\r\n");
    ASSERT_TRUE(reader.next(line));
    EXPECT_EQ(line, text);
  }
  pipe.put("last");
  pipe.close_writer();
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(reader.place(), "standard input:4");
}

TEST(LineReader, AByteOrderMarkIsLeftOutOfAPipeToo) {
  const std::string text =
      "\xef\xbb\xbf"
      "a\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Pipe pipe;
    LineReader reader(pipe.reader(), "standard input");
    std::thread writer([&] {
      pipe.put(text.substr(0, cut));
      pipe.put(text.substr(cut));
      pipe.close_writer();
    });
    std::string line;
    EXPECT_TRUE(reader.next(line));
    writer.join();
    EXPECT_EQ(line, "a") << cut;
    EXPECT_FALSE(reader.next(line));
  }
  Pipe pipe;
  pipe.put("\xef\xbb");
  pipe.close_writer();
  LineReader reader(pipe.reader(), "standard input");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "\xef\xbb");
}

TEST(LineReader, AReaderThatWaitsIsStopped) {
  Pipe pipe;
  pipe.put("a\nhalf a line");
  LineReader reader(pipe.reader(), "standard input");
  std::string line;
  ASSERT_TRUE(reader.next(line));
  std::thread stopper([&] { reader.stop(); });
  // The half is the last line, as if the input ended there.
  while (reader.next(line)) EXPECT_EQ(line, "half a line");
  stopper.join();
}

// A read that fails is not the end of the text.
TEST(LineReader, AFailedReadIsTold) {
  const int folder = ::open("/", O_RDONLY | O_DIRECTORY);
  LineReader reader(folder, "standard input");
  std::string line;
  const std::string message = message_of([&] { reader.next(line); });
  EXPECT_TRUE(has_text(message, "cannot read standard input: Is a directory")) << message;
  ::close(folder);
}

}  // namespace
}  // namespace memsizer::text
