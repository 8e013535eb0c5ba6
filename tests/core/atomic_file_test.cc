#include "core/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/error.h"
#include "support/temp_dir.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_atomically(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::ptrdiff_t file_count(const fs::path& directory) {
  return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

template <typename Action>
std::string user_error_of(const Action& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected a UserError";
  return "";
}

// Writing past `bytes` fails with EFBIG, the way it fails with ENOSPC on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    static_cast<void>(std::signal(SIGXFSZ, old_handler_));
  }

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

// The superuser may write anywhere; for the tests of permissions he becomes nobody for a while.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_root_(::geteuid() == 0), ok_(!was_root_ || ::seteuid(65534) == 0) {}
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;
  ~OrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) ADD_FAILURE() << "cannot become root again";
  }
  bool ok() const { return ok_; }

 private:
  bool was_root_;
  bool ok_;
};

TEST(AtomicFile, WritesANewFile) {
  const TempDir dir;
  write_atomically(dir / "new", "hello");
  EXPECT_EQ(read(dir / "new"), "hello");
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, WritesAnEmptyFile) {
  const TempDir dir;
  AtomicFile(dir / "empty").commit();
  EXPECT_TRUE(fs::is_empty(dir / "empty"));
}

TEST(AtomicFile, JoinsSeveralWrites) {
  const TempDir dir;
  std::string expected;
  AtomicFile file(dir / "f");
  for (const size_t size : {0U, 1U, 70'000U, 3'000'000U}) {
    const std::string part(size, static_cast<char>('a' + size % 26));
    file.write(part);
    expected += part;
  }
  file.commit();
  EXPECT_EQ(read(dir / "f"), expected);
}

TEST(AtomicFile, KeepsTheOldFileUntilCommit) {
  const TempDir dir;
  put(dir / "f", "old");
  AtomicFile file(dir / "f");
  file.write("new");
  EXPECT_EQ(read(dir / "f"), "old");
  file.commit();
  EXPECT_EQ(read(dir / "f"), "new");
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, RemovesTheTemporaryWithoutCommit) {
  const TempDir dir;
  put(dir / "f", "old");
  {
    AtomicFile file(dir / "f");
    file.write("new");
    EXPECT_EQ(file_count(dir.path()), 2);
  }
  EXPECT_EQ(read(dir / "f"), "old");
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, ReadersOfTheOldFileKeepIt) {
  const TempDir dir;
  put(dir / "f", "old");
  std::ifstream in(dir / "f");
  write_atomically(dir / "f", "new");
  std::string text;
  in >> text;
  EXPECT_EQ(text, "old");
}

TEST(AtomicFile, TwoWritersOfOnePathDoNotMix) {
  const TempDir dir;
  AtomicFile first(dir / "f");
  AtomicFile second(dir / "f");
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(read(dir / "f"), "first");
  second.commit();
  EXPECT_EQ(read(dir / "f"), "second");
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, TakesTheLongestFileName) {
  const TempDir dir;
  const fs::path path = dir / std::string(255, 'n');
  write_atomically(path, "x");
  EXPECT_EQ(read(path), "x");
}

TEST(AtomicFile, TakesAPathWithoutDirectory) {
  const TempDir dir;
  const fs::path before = fs::current_path();
  fs::current_path(dir.path());
  write_atomically("f", "x");
  fs::current_path(before);
  EXPECT_EQ(read(dir / "f"), "x");
}

TEST(AtomicFile, FollowsASymbolicLink) {
  const TempDir dir;
  fs::create_directory(dir / "sub");
  put(dir / "sub" / "real", "old");
  fs::create_symlink("sub/real", dir / "link");
  write_atomically(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read(dir / "sub" / "real"), "new");
  EXPECT_EQ(file_count(dir / "sub"), 1);
}

TEST(AtomicFile, KeepsAPrivateFilePrivate) {
  const TempDir dir;
  put(dir / "f", "old");
  fs::permissions(dir / "f", fs::perms::owner_read | fs::perms::owner_write);
  write_atomically(dir / "f", "new");
  EXPECT_EQ(fs::status(dir / "f").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(AtomicFile, RefusesAMissingDirectory) {
  const TempDir dir;
  const fs::path path = dir / "missing" / "f";
  const std::string message = user_error_of([&] { AtomicFile file(path); });
  EXPECT_NE(message.find(path.string()), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST(AtomicFile, RefusesADirectoryAndAPathWithoutName) {
  const TempDir dir;
  fs::create_directory(dir / "d");
  for (const fs::path& path : {dir / "d", dir / "d/", dir / "d/.", dir / "d/..", fs::path("")}) {
    const std::string message = user_error_of([&] { AtomicFile file(path); });
    EXPECT_NE(message.find("cannot write"), std::string::npos) << message;
  }
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, RefusesAPipeAndLeavesIt) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(AtomicFile(dir / "pipe"), UserError);
  EXPECT_TRUE(fs::is_fifo(dir / "pipe"));
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, LeavesTheOldFileWhenTheDirectoryIsNotWritable) {
  const TempDir dir;
  put(dir / "f", "old");
  fs::permissions(dir.path(), fs::perms(0555));
  {
    const OrdinaryUser user;
    if (!user.ok()) GTEST_SKIP() << "cannot give up the superuser's rights";
    const std::string message = user_error_of([&] { write_atomically(dir / "f", "new"); });
    EXPECT_NE(message.find("Permission denied"), std::string::npos) << message;
  }
  fs::permissions(dir.path(), fs::perms(0755));
  EXPECT_EQ(read(dir / "f"), "old");
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, LeavesTheOldFileWhenWritingFails) {
  const TempDir dir;
  put(dir / "f", "old");
  {
    const FileSizeLimit limit(1000);
    AtomicFile file(dir / "f");
    file.write(std::string(900, 'x'));
    // The kernel first writes the 100 bytes that fit: the loop over short writes must notice the rest.
    const std::string message = user_error_of([&] { file.write(std::string(900, 'x')); });
    EXPECT_NE(message.find((dir / "f").string()), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(file_count(dir.path()), 1);
    EXPECT_THROW(file.commit(), std::logic_error);
  }
  EXPECT_EQ(read(dir / "f"), "old");
}

TEST(AtomicFile, LeavesNothingWhenRenamingFails) {
  const TempDir dir;
  AtomicFile file(dir / "f");
  file.write("new");
  fs::create_directory(dir / "f");
  EXPECT_THROW(file.commit(), UserError);
  EXPECT_TRUE(fs::is_directory(dir / "f"));
  EXPECT_EQ(file_count(dir.path()), 1);
}

TEST(AtomicFile, IsSpentAfterCommit) {
  const TempDir dir;
  AtomicFile file(dir / "f");
  file.commit();
  EXPECT_THROW(file.write("x"), std::logic_error);
  EXPECT_THROW(file.commit(), std::logic_error);
}

}  // namespace
}  // namespace memsizer
