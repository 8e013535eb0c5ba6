#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace memsizer::report {

// A TensorBoard event file: protobuf records, framed with masked CRC-32C checksums. Each run or resumption
// writes a file of its own into the folder, as TensorBoard expects.
class EventWriter {
 public:
  // Creates the directory where it is missing.
  explicit EventWriter(const std::filesystem::path& directory);

  void scalar(std::string_view tag, double value, int64_t step);
  void text(std::string_view tag, std::string_view markdown, int64_t step);
  void flush();

 private:
  void record(std::string_view event);
  void check_written() const;

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace memsizer::report
