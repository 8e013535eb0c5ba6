#include "model/quantize.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"
#include "support/messages.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

const fs::path kModel = "tests/data/model_v2.safetensors";

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <typename T>
std::vector<T> numbers_of(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.tensor(name);
  std::vector<T> numbers(view.data.size() / sizeof(T));
  std::memcpy(numbers.data(), view.data.data(), view.data.size());
  return numbers;
}

TEST(QuantizeModel, IsAsCloseAsItsTypeAllows) {
  const TempDir dir;
  const SafetensorsFile original = SafetensorsFile::open(kModel);
  quantize_model(kModel, WeightType::I8, dir / "int8");
  quantize_model(kModel, WeightType::BF16, dir / "bf16");
  const SafetensorsFile int8 = SafetensorsFile::open(dir / "int8");
  const SafetensorsFile bf16 = SafetensorsFile::open(dir / "bf16");
  for (const TensorSpec& spec : tensor_list(read_description(original).config)) {
    const auto exact = numbers_of<float>(original, spec.name);
    if (!spec.quantized) {
      EXPECT_EQ(numbers_of<float>(int8, spec.name), exact) << spec.name;
      EXPECT_EQ(numbers_of<float>(bf16, spec.name), exact) << spec.name;
      continue;
    }
    const auto scales = numbers_of<float>(int8, spec.name + ".scale");
    const auto values = numbers_of<int8_t>(int8, spec.name);
    const auto halves = numbers_of<uint16_t>(bf16, spec.name);
    for (size_t i = 0; i < exact.size(); ++i) {
      const float scale = scales[i / static_cast<size_t>(spec.shape[1])];
      EXPECT_NEAR(scale * static_cast<float>(values[i]), exact[i], 0.5001F * scale) << spec.name;
      const auto half = std::bit_cast<float>(uint32_t{halves[i]} << 16);
      EXPECT_NEAR(half, exact[i], std::abs(exact[i]) / 256.0F) << spec.name;
    }
  }
}

TEST(QuantizeModel, WritesWhatItEverWrote) {
  const TempDir dir;
  for (const WeightType type : {WeightType::I8, WeightType::BF16}) {
    quantize_model(kModel, type, dir / "q");
    EXPECT_EQ(read(dir / "q"), read(fmt::format("tests/data/model_{}.safetensors", weight_type_name(type))));
    const SafetensorsFile file = SafetensorsFile::open(dir / "q");
    const ModelDescription description = read_description(file);
    EXPECT_EQ(description.weights, type);
    EXPECT_EQ(file.metadata().at("config"), SafetensorsFile::open(kModel).metadata().at("config"));
    EXPECT_EQ(description.tokenizer, testing::tiny_description().tokenizer);
    EXPECT_NO_THROW(verify_checksum(file));
    EXPECT_NO_THROW(check_tensors(file, description));
  }
}

TEST(QuantizeModel, RefusesWhatItCannotDo) {
  const TempDir dir;
  const auto message = [&](const fs::path& model) {
    return message_of([&] { quantize_model(model, WeightType::I8, dir / "q"); });
  };
  EXPECT_TRUE(has_text(message("tests/data/model_int8.safetensors"),
                       "is quantized already: found weights of int8, expected f32"));
  EXPECT_TRUE(has_text(message("tests/data/model_bf16.safetensors"), "is quantized already"));

  const SafetensorsFile file = SafetensorsFile::open(kModel);
  std::vector<float> numbers(128, 1.0F);
  numbers[77] = std::numeric_limits<float>::infinity();
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    tensors.push_back({name, view.dtype, view.shape, view.data});
    if (name == "encoder.layers.0.fc1.weight") tensors.back().data = std::as_bytes(std::span(numbers));
  }
  // No tool of ours writes such a file.
  std::map<std::string, std::string> metadata = file.metadata();
  metadata[kChecksumKey] = model_checksum(tensors, metadata);
  write_safetensors(dir / "bad", tensors, metadata);
  EXPECT_TRUE(has_text(message(dir / "bad"), "encoder.layers.0.fc1.weight holds inf at position 77"));
  std::erase_if(tensors,
                [](const NamedTensor& tensor) { return tensor.name == "encoder.layers.0.fc1.weight"; });
  write_model(dir / "bad", tensors, file.metadata());
  EXPECT_TRUE(has_text(message(dir / "bad"), "found no tensor"));
  EXPECT_FALSE(fs::exists(dir / "q"));
}

TEST(ExportModel, BringsOldFilesToTheCurrentVersion) {
  const TempDir dir;
  fs::create_directory(dir / "step-1");
  fs::copy_file("tests/data/model_v1.safetensors", dir / "step-1/model.safetensors");
  export_model(dir / "step-1", dir / "m");
  EXPECT_EQ(read(dir / "m"), read(kModel));
  // Also in its own place, and models that are quantized.
  export_model(dir / "m", dir / "m");
  EXPECT_EQ(read(dir / "m"), read(kModel));
  export_model("tests/data/model_int8.safetensors", dir / "m");
  EXPECT_EQ(read(dir / "m"), read("tests/data/model_int8.safetensors"));
}

}  // namespace
}  // namespace memsizer
