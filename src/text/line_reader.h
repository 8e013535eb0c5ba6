#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace memsizer::text {

// The lines of a text file, plain or gzip. Line ends are LF or CRLF, the last line may lack one, and a
// UTF-8 byte-order mark at the start is left out. Lines may have any length.
class LineReader {
 public:
  static constexpr size_t kHeadBytes = 64 * 1024;

  // `name` is what places call the file, as the user wrote it. A missing or unreadable file, a directory or
  // device, and (also later, while reading) a damaged gzip file are UserErrors.
  LineReader(const std::filesystem::path& path, std::string name);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // False at the end of the file.
  bool next(std::string& line);

  int64_t lines() const { return lines_; }  // read so far
  const std::string& name() const { return name_; }
  std::string place() const;  // of the line read last, as "name:line"

  // The first bytes of the decompressed file, at most kHeadBytes: valid until the first call of next.
  std::string_view head() const { return rest_; }

 private:
  struct File;

  bool refill();
  [[noreturn]] void fail_damaged(std::string_view problem) const;

  std::filesystem::path path_;
  std::string name_;
  std::unique_ptr<File> file_;
  std::unique_ptr<char[]> buffer_;
  std::string_view rest_;  // of the buffer, not yet given out
  int64_t lines_ = 0;
};

}  // namespace memsizer::text
