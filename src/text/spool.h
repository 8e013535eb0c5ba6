#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/atomic_file.h"
#include "core/content_hash.h"

namespace memsizer::text {

// Bytes of unknown number on their way into a file: they wait on disk, so that memory stays small. The file
// has no name and goes with the object, also when the process is killed.
class Spool {
 public:
  // Throws UserError if nothing can be written to `directory`.
  explicit Spool(const std::filesystem::path& directory);
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;
  ~Spool();

  void write(std::span<const std::byte> bytes);
  template <typename T>
  void write_items(std::span<const T> items) {
    write(std::as_bytes(items));
  }

  uint64_t bytes() const { return bytes_; }
  // Of all that was written.
  uint64_t checksum() const { return hash_.checksum(); }
  void copy_to(AtomicFile& file);

 private:
  void flush();
  [[noreturn]] void fail(const char* doing, int error) const;

  std::filesystem::path directory_;
  int file_ = -1;
  std::vector<std::byte> buffer_;
  uint64_t bytes_ = 0;
  ContentHash hash_;
};

}  // namespace memsizer::text
