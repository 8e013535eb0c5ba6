#include "core/safetensors_bytes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "support/temp_dir.h"

namespace memsizer {
namespace {

TEST(SafetensorsBytes, AreThoseOfTheFile) {
  const testing::TempDir folder;
  const std::string text = "abcdefgh";
  const auto data = std::as_bytes(std::span(text));
  const std::vector<NamedTensor> tensors = {{"b", DType::I8, {3}, data.first(3)},
                                            {"a", DType::I8, {5}, data.subspan(3)}};
  write_safetensors(folder.path() / "f", tensors, {{"key", "value"}});
  const std::vector<std::byte> bytes = safetensors_bytes(tensors, {{"key", "value"}});
  std::ifstream in(folder.path() / "f", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), file);

  const std::vector<NamedTensor> again = named_tensors(parse_safetensors(bytes, "memory"));
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again[1].name, "a");
  EXPECT_EQ(safetensors_bytes(again, {{"key", "value"}}), bytes);
}

}  // namespace
}  // namespace memsizer
