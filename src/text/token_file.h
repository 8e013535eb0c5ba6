#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/mapped_file.h"
#include "text/example_reader.h"
#include "text/spool.h"

namespace memsizer::text {

// The file of a TokenCorpus:
//   header   magic, version, bytes of the file, key, bytes and checksum of each section, checksum of these
//   int64    where each source begins, and the end of the last
//   int64    where each target begins, and the end of the last
//   int64    line of each example
//   int32    tokens of all sources
//   int32    tokens of all targets
//   JSON     the report
// all little-endian and without gaps.
class TokenFile {
 public:
  // Nothing if there is no such file or it is not, to the last byte, a file of this version made for `key`.
  static std::optional<TokenFile> open(const std::filesystem::path& path, std::string_view key);

  int64_t size() const { return static_cast<int64_t>(lines_.size()); }
  std::span<const int32_t> source(int64_t index) const { return item(sources_, source_offsets_, index); }
  std::span<const int32_t> target(int64_t index) const { return item(targets_, target_offsets_, index); }
  int64_t line(int64_t index) const { return lines_[static_cast<size_t>(index)]; }
  std::span<const int32_t> targets() const { return targets_; }
  const std::string& key() const { return key_; }
  const CorpusReport& report() const { return report_; }

 private:
  explicit TokenFile(MappedFile file) : file_(std::move(file)) {}
  // False if the file is anything but right.
  bool read(std::string_view key);
  static std::span<const int32_t> item(std::span<const int32_t> tokens, std::span<const int64_t> offsets,
                                       int64_t index) {
    const auto begin = static_cast<size_t>(offsets[static_cast<size_t>(index)]);
    const auto end = static_cast<size_t>(offsets[static_cast<size_t>(index) + 1]);
    return tokens.subspan(begin, end - begin);
  }

  MappedFile file_;
  std::span<const int64_t> source_offsets_;
  std::span<const int64_t> target_offsets_;
  std::span<const int64_t> lines_;
  std::span<const int32_t> sources_;
  std::span<const int32_t> targets_;
  std::string key_;
  CorpusReport report_;
};

// Collects the examples of a TokenFile on disk; the file appears when it is finished, complete.
class TokenFileWriter {
 public:
  explicit TokenFileWriter(const std::filesystem::path& directory);

  void add(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line);
  void finish(const std::filesystem::path& path, std::string_view key, const CorpusReport& report);

 private:
  Spool source_offsets_;
  Spool target_offsets_;
  Spool lines_;
  Spool sources_;
  Spool targets_;
  int64_t source_tokens_ = 0;
  int64_t target_tokens_ = 0;
};

}  // namespace memsizer::text
