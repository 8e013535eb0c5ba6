#include "model/tensor_check.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "mechanisms/memsizer/description.h"
#include "mechanisms/synthesizer/description.h"
#include "model/presets.h"
#include "model/tensor_list.h"
#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer {
namespace {

using testing::has_text;
using testing::message_of;
using testing::TempDir;
using Tensors = std::vector<NamedTensor>;

// What check_tensors says of a stored model after `change`.
std::string message_after(const std::string& model, const std::function<void(Tensors&)>& change) {
  const TempDir dir;
  const SafetensorsFile file = SafetensorsFile::open("tests/data/" + model + ".safetensors");
  Tensors tensors;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    tensors.push_back({name, view.dtype, view.shape, view.data});
  }
  change(tensors);
  write_safetensors(dir / "m", tensors, file.metadata());  // which does not look at the numbers
  const SafetensorsFile changed = SafetensorsFile::open(dir / "m");
  return message_of([&] { check_tensors(changed, read_description(changed)); });
}

NamedTensor& find(Tensors& tensors, const std::string& name) {
  for (NamedTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::logic_error("no tensor " + name);
}

const std::string kBias = "decoder.layers.0.fc1.bias";
const std::string kMatrix = "decoder.layers.0.fc1.weight";  // [16, 8]

TEST(TensorCheck, TakesEveryKindOfModel) {
  for (const std::string model : {"model_v1", "model_v2", "model_int8", "model_bf16", "model_adaptive"})
    EXPECT_EQ(message_after(model, [](Tensors&) {}), "no error") << model;
}

TEST(TensorCheck, NamesWhatDoesNotFit) {
  const auto shaped = [](const std::string& name, std::vector<int64_t> shape) {
    return message_after("model_v2", [&](Tensors& tensors) { find(tensors, name).shape = std::move(shape); });
  };
  EXPECT_TRUE(has_text(shaped(kMatrix, {8, 16}), kMatrix + " is F32 [8, 16], expected F32 [16, 8]"));
  EXPECT_TRUE(has_text(shaped(kMatrix, {128}), kMatrix + " is F32 [128], expected F32 [16, 8]"));
  EXPECT_TRUE(has_text(shaped(kBias, {16, 1}), kBias + " is F32 [16, 1], expected F32 [16]"));
  EXPECT_TRUE(has_text(shaped("tokenizer", {1, 64}), "tensor tokenizer is U8 [1, 64], expected U8 of one"));
  const std::string renamed =
      message_after("model_v2", [](Tensors& tensors) { find(tensors, kBias).name = "decoder.bias"; });
  EXPECT_TRUE(has_text(renamed, "found no tensor " + kBias + ", expected F32 [16]"));
  const std::string extra = message_after("model_v2", [](Tensors& tensors) {
    tensors.push_back({"extra\n", DType::U8, {0}, {}});
  });
  EXPECT_TRUE(has_text(extra, "found the tensor 'extra\\x0a', which is none of its"));
  const std::string retyped =
      message_after("model_v2", [](Tensors& tensors) { find(tensors, kMatrix).dtype = DType::I32; });
  EXPECT_TRUE(has_text(retyped, kMatrix + " is I32 [16, 8], expected F32 [16, 8]"));
}

TEST(TensorCheck, LooksAtScalesAndInt8Numbers) {
  const auto scaled = [](float value) {
    std::vector<float> scales(16, 0.0F);
    scales[3] = value;
    return message_after("model_int8", [&](Tensors& tensors) {
      find(tensors, kMatrix + ".scale").data = std::as_bytes(std::span(scales));
    });
  };
  EXPECT_EQ(scaled(0.0F), "no error");
  EXPECT_TRUE(has_text(scaled(-1.0F), kMatrix + ".scale holds -1 for row 3, expected a finite number"));
  EXPECT_TRUE(has_text(scaled(std::numeric_limits<float>::quiet_NaN()), "holds nan"));
  EXPECT_TRUE(has_text(scaled(std::numeric_limits<float>::infinity()), "holds inf"));
  const std::string without = message_after("model_int8", [](Tensors& tensors) {
    std::erase_if(tensors, [](const NamedTensor& tensor) { return tensor.name == kMatrix + ".scale"; });
  });
  EXPECT_TRUE(has_text(without, "found no tensor " + kMatrix + ".scale, expected F32 [16]"));
}

TEST(TensorCheck, LayersAreNotListedBeforeTheyAreThere) {
  const SafetensorsFile file = SafetensorsFile::open("tests/data/model_v2.safetensors");
  ModelDescription description = read_description(file);
  description.config.decoder.layers = 4096;
  EXPECT_TRUE(
      has_text(message_of([&] { check_tensors(file, description); }), "expected those of 4097 layers"));
}

// Each would overflow 64 bits or take all memory if it were listed or counted.
TEST(TensorCheck, AbsurdSizesAreRefusedBeforeTheyCostAnything) {
  const auto message = [](const std::vector<std::string>& settings) {
    ModelConfig config = preset_config("tiny");
    const auto options = collect_options(config, "model");
    return message_of([&] {
      for (const std::string& setting : settings) set_option_assignment(options, setting);
      config.validate();
    });
  };
  EXPECT_TRUE(has_text(message({"model.decoder.layers=1000000000"}), "model.decoder.layers is 1000000000"));
  EXPECT_TRUE(has_text(message({"model.encoder.layers=1000000000"}), "model.encoder.layers is 1000000000"));
  EXPECT_TRUE(has_text(message({"model.dim=1000000000000"}), "model.dim is 1000000000000"));
  EXPECT_TRUE(
      has_text(message({"model.dim=1048576", "model.vocab=2147483648"}), "the model would have 2.3e+15"));
  EXPECT_TRUE(has_text(
      message({"model.memsizer.heads=1048576", "model.memsizer.causal_slots=1048576", "model.dim=1048576"}),
      "weights; at most 1.1e+12"));
  EXPECT_TRUE(
      has_text(message({"model.encoder.self=synthesizer-random", "model.synthesizer.max_length=1048576"}),
               "weights; at most 1.1e+12"));
  EXPECT_TRUE(has_text(message({"model.embedding.positions=learned",
                                "model.embedding.max_positions=2147483648", "model.dim=1024"}),
                       "weights; at most 1.1e+12"));
  std::string cutoffs = "4";
  for (int i = 5; i < 1000; ++i) cutoffs += "," + std::to_string(i);
  EXPECT_TRUE(has_text(message({"model.architecture=language-model", "model.adaptive.factor=1",
                                "model.adaptive.cutoffs=" + cutoffs}),
                       "holds 996 numbers; it must hold at most 64"));
}

}  // namespace
}  // namespace memsizer
