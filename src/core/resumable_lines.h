#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/atomic_file.h"

namespace memsizer {

// A text file that takes long to make, line by line. Until commit() the lines wait in PATH.partial, which an
// interruption leaves behind: whoever opens the same path next goes on after its last complete line. Its
// first line says what the lines depend on, and it is locked while it is open. Failures are UserErrors.
class ResumableLines {
 public:
  // What the lines depend on, by name, such as the hash of the input.
  using Settings = std::map<std::string, std::string>;

  // Other settings than those of the file left behind are a UserError that names the first that differs.
  ResumableLines(const std::filesystem::path& path, const Settings& settings);
  ResumableLines(const ResumableLines&) = delete;
  ResumableLines& operator=(const ResumableLines&) = delete;
  ~ResumableLines();

  // Complete lines so far, those of earlier runs included.
  int64_t lines() const { return lines_; }

  // A line without its end; it must not contain one.
  void add(std::string_view line);

  // The file appears at its path, complete, and the partial one goes.
  void commit();

 private:
  void open_partial();
  void read_partial(const Settings& settings);
  void begin_partial(const Settings& settings);
  void require_settings(const std::string& header, const Settings& settings) const;
  void write(std::string_view text);
  void copy_to(AtomicFile& file);
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::filesystem::path path_;
  std::filesystem::path partial_;
  int file_ = -1;
  int64_t first_byte_ = 0;  // of the lines, behind the settings
  int64_t lines_ = 0;
};

}  // namespace memsizer
