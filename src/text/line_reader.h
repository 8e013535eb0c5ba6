#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace memsizer::text {

// The lines of a text file, plain or gzip, or of standard input. Line ends are LF or CRLF, the last line may
// lack one, and a UTF-8 byte-order mark at the start is left out. Lines may have any length.
class LineReader {
 public:
  static constexpr size_t kHeadBytes = 64 * 1024;

  // `name` is what places call the file, as the user wrote it. A missing or unreadable file, a directory or
  // device, and (also later, while reading) a damaged gzip file are UserErrors.
  LineReader(const std::filesystem::path& path, std::string name);
  // Plain text from an open descriptor, usually standard input, which stays open. Lines are given out as soon
  // as they have come. A read that fails is a UserError: it is not the end of the text.
  LineReader(int descriptor, std::string name);
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;
  ~LineReader();

  // False at the end of the file.
  bool next(std::string& line);

  // Ends the text here: next() returns false, also one that waits for input on another thread. Only a reader
  // of a descriptor can be stopped from another thread.
  void stop();

  int64_t lines() const { return lines_; }  // read so far
  const std::string& name() const { return name_; }
  std::string place() const;  // of the line read last, as "name:line"

  // The first bytes of the decompressed file, at most kHeadBytes: valid until the first call of next. Nothing
  // is known of a descriptor before that.
  std::string_view head() const { return rest_; }

 private:
  class Input;
  class File;
  class Descriptor;

  // Reads more, after the first `kept` bytes of the buffer. False at the end.
  bool refill(size_t kept = 0);
  void begin();

  std::string name_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<char[]> buffer_;
  std::string_view rest_;  // of the buffer, not yet given out
  bool begun_ = false;
  bool ended_ = false;
  int64_t lines_ = 0;
};

}  // namespace memsizer::text
