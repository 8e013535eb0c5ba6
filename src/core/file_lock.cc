#include "core/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace memsizer {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* doing, int error) {
  throw UserError(
      "cannot lock '{}': {} failed: {}; choose a folder on another file system or check its permissions",
      path.string(), doing, std::generic_category().message(error));
}

// The holder removes the file before it lets go, so a lock counts only if the file still has that name.
bool has_name(int file, const std::filesystem::path& path) {
  struct stat opened = {};
  struct stat named = {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

// "process 4711"; a holder that has not written its number yet is "another process".
std::string holder_of(int file) {
  std::array<char, 32> text{};
  const ssize_t count = ::pread(file, text.data(), text.size() - 1, 0);
  const long process = count > 0 ? std::strtol(text.data(), nullptr, 10) : 0;
  return process > 0 ? fmt::format("process {}", process) : "another process";
}

// Only a message would lack the number, so a full disk does not matter.
void write_holder(int file) {
  const std::string text = fmt::format("{}\n", ::getpid());
  [[maybe_unused]] const bool written =
      ::ftruncate(file, 0) == 0 && ::pwrite(file, text.data(), text.size(), 0) >= 0;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, const std::string& what, const std::string& advice)
    : path_(path) {
  while (true) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EINTR) continue;
    if (file_ < 0) fail(path, "opening", errno);
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0 && has_name(file_, path)) break;
    const int error = errno;
    const std::string holder = holder_of(file_);
    const bool removed = !has_name(file_, path);
    ::close(std::exchange(file_, -1));
    if (removed || error == EINTR) continue;
    if (error != EWOULDBLOCK) fail(path, "locking", error);
    throw UserError("{} is in use by {}; {}", what, holder, advice);
  }
  write_holder(file_);
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {}

FileLock::~FileLock() {
  if (file_ < 0) return;
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace memsizer
