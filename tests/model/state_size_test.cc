#include "model/state_size.h"

#include <gtest/gtest.h>

#include "mechanisms/memsizer/description.h"
#include "model/presets.h"

namespace memsizer {
namespace {

TEST(StateSize, OfTheFormulas) {
  // d 1024, 16 heads of 64, k = 4 causal and 32 cross: floats a layer, from the table of the specification.
  const auto floats = [](Mechanism mechanism, Position position) {
    ModelConfig config = preset_config("transformer-big");
    config.decoder.self = config.decoder.cross = mechanism;
    return mixer_state_size(mixer_config(config, position)).constant_bytes / 4;
  };
  EXPECT_EQ(floats(mechanism_named("memsizer"), Position::CausalSelf), 4 * 1024 + 2)
      << "and a count of 64 bits";
  EXPECT_EQ(floats(mechanism_named("memsizer"), Position::Cross), 32 * 1024);
  EXPECT_EQ(floats(mechanism_named("elu"), Position::CausalSelf), 1024 * 64 + 1024);
  EXPECT_EQ(floats(mechanism_named("rfa"), Position::Cross), 64 * 1024 + 64 * 16);
  EXPECT_EQ(floats(mechanism_named("t2r"), Position::CausalSelf), 4 * 1024 + 4 * 16);
}

TEST(StateSize, IsThatOfTheFields) {
  ModelConfig config = preset_config("base");
  config.options<MemsizerOptions>().keys = MemsizerKeys::Input;
  std::vector<std::string> names;
  for (const StateField& field : mixer_config(config, Position::CausalSelf).state())
    names.push_back(field.name);
  EXPECT_EQ(names, (std::vector<std::string>{"memory", "key_memory", "count"}));
  const StateField scalar{.name = "count", .shape = {}, .type = DType::I64};
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.bytes(), 8);
  const StateField keys{.name = "keys", .shape = {8, 64}, .growth = Growth::PerSourceToken};
  const StateSize size = state_size(std::vector{scalar, keys});
  EXPECT_EQ(size.constant_bytes, 8);
  EXPECT_EQ(size.bytes_per_source_token, 8 * 64 * 4);
  EXPECT_EQ(size.bytes_per_target_token, 0);
}

TEST(StateSize, OfEachLayerSelfAndCrossApart) {
  ModelConfig config = preset_config("base");
  config.decoder.self = mechanism_named("softmax");
  const std::vector<LayerStateSize> layers = layer_state_sizes(config);
  ASSERT_EQ(static_cast<int64_t>(layers.size()), config.decoder.layers);
  EXPECT_EQ(layers[0].self.bytes_per_target_token, 2 * 512 * 4);
  EXPECT_EQ(layers[0].self.constant_bytes, 0);
  EXPECT_EQ(layers[0].cross.constant_bytes, 32 * 512 * 4);
  EXPECT_EQ(decoder_state_size(config).at(10, 10), 6 * (10 * 2 * 512 * 4 + 32 * 512 * 4));
}

TEST(StateSize, OnlySoftmaxGrows) {
  ModelConfig config = preset_config("base");
  EXPECT_EQ(decoder_state_size(config).at(10, 10), decoder_state_size(config).at(100000, 100000));
  config.decoder.self = mechanism_named("softmax");
  EXPECT_EQ(decoder_state_size(config).bytes_per_target_token, 6 * 2 * 512 * 4);
}

}  // namespace
}  // namespace memsizer
