#include "support/failing_files.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace {

// Calls until the one that fails; below 0: it is past, or there is none.
int64_t calls_left = -1;

bool fails() {
  if (calls_left < 0) return false;
  if (calls_left-- > 0) return false;
  errno = ENOSPC;
  return true;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  return fails() ? -1 : ::syscall(SYS_write, file, data, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  return fails() ? -1 : ::syscall(SYS_writev, file, parts, count);
}

int fsync(int file) {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_fsync, file));
}

int fdatasync(int file) {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_fdatasync, file));
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return fails() ? -1 : static_cast<int>(::syscall(SYS_renameat, from_folder, from, to_folder, to));
}

int rename(const char* from, const char* to) noexcept {
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
}

namespace memsizer::testing {

FailingFiles::FailingFiles(int64_t nth) {
  calls_left = nth;
}

FailingFiles::~FailingFiles() {
  calls_left = -1;
}

bool FailingFiles::failed() const {
  return calls_left < 0;
}

}  // namespace memsizer::testing
