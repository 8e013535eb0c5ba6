#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace memsizer {

// A whole file mapped read-only into memory for as long as the object lives. Moving it keeps the address, so
// views into bytes() stay valid. The file must not be shortened by another program meanwhile; files replaced
// by rename (see AtomicFile) are safe.
class MappedFile {
 public:
  // Throws UserError if the path is missing, unreadable or not a regular file.
  static MappedFile open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  void unmap() noexcept;

  std::span<const std::byte> bytes_;
};

}  // namespace memsizer
