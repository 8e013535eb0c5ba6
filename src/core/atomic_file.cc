#include "core/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".memsizer-";
constexpr std::string_view kSuffix = ".tmp";

const char* advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another place";
    case EFBIG:
      return "raise the file size limit (ulimit -f) or choose another place";
    case ENOENT:
    case ENOTDIR:
      return "create the directory first or choose another place";
    case EACCES:
    case EPERM:
    case EROFS:
      return "check the permissions of the directory or choose another place";
    default:
      return "choose another place";
  }
}

template <typename Call>
auto retry_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  resolve_target();
  open_directory();
  create_temporary();
}

bool AtomicFile::is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::resolve_target() {
  if (!path_.has_filename() || path_.filename() == "." || path_.filename() == "..") {
    throw UserError("cannot write '{}': found no file name, expected one at the end of the path",
                    path_.string());
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (status.type() == fs::file_type::directory) {
    throw UserError("cannot write '{}': found a directory, expected a file; add a file name", path_.string());
  }
  // A rename would replace the pipe or device itself, /dev/null included.
  if (fs::exists(status) && status.type() != fs::file_type::regular) {
    throw UserError(
        "cannot write '{}': found a pipe or device, expected a regular file; choose another place",
        path_.string());
  }
  target_ = path_;
  if (!fs::exists(status)) return;
  permissions_ = static_cast<unsigned>(status.permissions()) & 0777U;
  if (fs::is_symlink(path_, error)) target_ = fs::canonical(path_, error);
  if (error) fail("following the link", error.value());
}

void AtomicFile::open_directory() {
  const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  directory_ = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory_ < 0) fail("opening the directory", errno);
}

void AtomicFile::create_temporary() {
  // Other writers in this process and leftovers of a killed one may hold a name; O_EXCL decides who has it.
  constexpr int kAttempts = 10000;
  for (int attempt = 0; attempt < kAttempts && file_ < 0; ++attempt) {
    // Without the target's name in it, so that the longest permitted file name can still be written.
    const std::string name = fmt::format("{}{}-{}{}", kPrefix, ::getpid(), attempt, kSuffix);
    // Before it exists: there is no moment at which a signal would leave it.
    unfinished_ = UnfinishedFile(directory_, name);
    file_ = ::openat(directory_, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions_);
    if (file_ >= 0) temporary_name_ = name;
    if (file_ < 0 && errno != EEXIST && errno != EINTR) break;
  }
  if (file_ < 0) fail("creating a temporary file beside it", errno);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  require_open();
  while (!bytes.empty()) {
    const ssize_t written = retry_interrupted([&] { return ::write(file_, bytes.data(), bytes.size()); });
    if (written < 0) fail("writing", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::commit() {
  require_open();
  sync_file();
  close_file();
  if (::renameat(directory_, temporary_name_.c_str(), directory_, target_.filename().c_str()) != 0) {
    fail("renaming the finished file into place", errno);
  }
  temporary_name_.clear();
  unfinished_ = {};
  sync_directory();
  discard();
}

void AtomicFile::sync_file() {
  if (retry_interrupted([&] { return ::fsync(file_); }) != 0) fail("flushing to disk", errno);
}

void AtomicFile::close_file() {
  // Network file systems report a full disk only here. The descriptor is gone even when close fails.
  if (::close(std::exchange(file_, -1)) != 0 && errno != EINTR) fail("closing", errno);
}

void AtomicFile::sync_directory() {
  // EINVAL: a file system that cannot sync directories; the rename is then as durable as it can be made.
  if (retry_interrupted([&] { return ::fsync(directory_); }) != 0 && errno != EINVAL) {
    fail("flushing the directory to disk", errno);
  }
}

void AtomicFile::require_open() const {
  if (file_ < 0) throw std::logic_error("AtomicFile used after commit or failure: " + path_.string());
}

void AtomicFile::discard() noexcept {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!temporary_name_.empty()) ::unlinkat(directory_, temporary_name_.c_str(), 0);
  temporary_name_.clear();
  unfinished_ = {};
  if (directory_ >= 0) ::close(std::exchange(directory_, -1));
}

void AtomicFile::fail(std::string_view doing, int error) {
  discard();
  throw UserError("cannot write '{}': {} failed: {}; {}", path_.string(), doing,
                  std::generic_category().message(error), advice(error));
}

}  // namespace memsizer
