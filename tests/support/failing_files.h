#pragma once

#include <cstdint>

namespace memsizer::testing {

// While it lives, the n-th write, sync or rename of this process fails as on a full disk, n counting from 0;
// those before and after it do what they always do. A program that links failing_files.cc has these functions
// of the C library replaced, so every writer is reached, whatever it writes with. One at a time, and only in
// tests of one thread.
class FailingFiles {
 public:
  explicit FailingFiles(int64_t nth);
  FailingFiles(const FailingFiles&) = delete;
  FailingFiles& operator=(const FailingFiles&) = delete;
  ~FailingFiles();

  // Whether there were so many calls that one failed.
  bool failed() const;
};

}  // namespace memsizer::testing
