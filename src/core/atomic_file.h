#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/program_signals.h"

namespace memsizer {

// A file that appears at its path complete or not at all: it is written under a temporary name in the same
// directory, and commit() flushes it to disk and renames it into place. Until then, and after any failure, a
// file already at the path is untouched. Failures are UserErrors and remove the temporary; afterwards, and
// after commit(), the object is spent and using it is a std::logic_error.
class AtomicFile {
 public:
  // An existing file at `path` is replaced (through a symbolic link: the file it points to); a directory,
  // pipe or device is refused.
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  // Whether a name is that of a temporary, which a killed process may have left.
  static bool is_temporary(const std::filesystem::path& path);

  // Removes the temporary if commit() was not reached.
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  void resolve_target();
  void open_directory();
  void create_temporary();
  void sync_file();
  void close_file();
  void sync_directory();
  void require_open() const;
  void discard() noexcept;
  // `doing` names the step, as in "writing"; `error` is an errno.
  [[noreturn]] void fail(std::string_view doing, int error);

  std::filesystem::path path_;    // as given, for messages
  std::filesystem::path target_;  // path_ with a symbolic link followed
  std::string temporary_name_;    // inside the target's directory; empty once renamed or removed
  UnfinishedFile unfinished_;     // the temporary, for signals
  unsigned permissions_ = 0666;   // those of the replaced file, so that a private file stays private
  int directory_ = -1;
  int file_ = -1;
};

}  // namespace memsizer
