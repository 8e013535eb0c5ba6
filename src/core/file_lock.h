#pragma once

#include <filesystem>
#include <string>

namespace memsizer {

// A lock that one process holds for as long as the object lives, and that ends with the process however that
// ends. The lock file names the process; it is removed with the lock, and one that a killed process left
// locks nothing.
class FileLock {
 public:
  // Throws UserError if another holds it: "`what` is in use by process 4711; ...". `advice` ends the message.
  FileLock(const std::filesystem::path& path, const std::string& what, const std::string& advice);
  FileLock(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace memsizer
