#pragma once

#include <string>

namespace memsizer {

// For programs, never for the library: what signals do to them. SIGHUP, SIGINT and SIGTERM end the program as
// they do by default, after its unfinished files have been removed; where they were ignored (nohup) they stay
// so. SIGXFSZ is ignored, so that a write past the limit of file sizes is an error that can be told.
void set_program_signals();

// For a child that was forked: the unfinished files are its parent's.
void reset_program_signals();

// A file that a signal removes while this lives.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  // `name` in the folder that is open as `directory`. It need not exist yet.
  UnfinishedFile(int directory, const std::string& name);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  ~UnfinishedFile();

 private:
  int slot_ = -1;
};

}  // namespace memsizer
