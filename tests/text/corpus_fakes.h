#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/example_reader.h"
#include "text/tokenizer.h"

namespace memsizer::testing {

// One token a character other than space: its code plus `shift`.
class CharacterTokenizer : public text::Tokenizer {
 public:
  explicit CharacterTokenizer(int32_t shift = 4) : shift_(shift) {}

  int64_t size() const override { return shift_ + 256; }
  void encode(std::string_view line, std::vector<int32_t>& ids) const override {
    for (const char c : line) {
      if (c != ' ') ids.push_back(shift_ + static_cast<unsigned char>(c));
    }
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string line;
    for (const int32_t id : ids) line += piece(id);
    return line;
  }
  std::string piece(int32_t id) const override {
    return id < shift_ ? "" : std::string(1, static_cast<char>(id - shift_));
  }
  std::string serialized() const override { return "characters" + std::to_string(shift_); }

 private:
  int32_t shift_;
};

class ListReader : public text::ExampleReader {
 public:
  explicit ListReader(std::vector<text::Example> examples) : examples_(std::move(examples)) {}

  bool next(text::Example& example) override {
    if (next_ == examples_.size()) return false;
    example = examples_[next_++];
    return true;
  }

 private:
  std::vector<text::Example> examples_;
  size_t next_ = 0;
};

inline std::vector<int32_t> to_vector(std::span<const int32_t> ids) {
  return {ids.begin(), ids.end()};
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A new file each time: shortening one that is mapped would take the pages from under the mapping.
inline void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::ptrdiff_t files_in(const std::filesystem::path& directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

inline void expect_equal(const text::CorpusReport& a, const text::CorpusReport& b) {
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.source_tokens, b.source_tokens);
  EXPECT_EQ(a.target_tokens, b.target_tokens);
  ASSERT_EQ(a.findings.size(), b.findings.size());
  for (const auto& [kind, finding] : a.findings) {
    ASSERT_TRUE(b.findings.contains(kind)) << kind;
    EXPECT_EQ(finding.count, b.findings.at(kind).count) << kind;
    EXPECT_EQ(finding.places, b.findings.at(kind).places) << kind;
  }
}

}  // namespace memsizer::testing
