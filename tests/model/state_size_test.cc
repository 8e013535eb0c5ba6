#include "model/state_size.h"

#include <gtest/gtest.h>

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

TEST(StateSize, OnlySoftmaxGrows) {
  ModelConfig config = preset_config("base");
  EXPECT_EQ(decoder_state_size(config).at(10, 10), decoder_state_size(config).at(100000, 100000));
  config.decoder.self = mechanism_named("softmax");
  EXPECT_EQ(decoder_state_size(config).bytes_per_target_token, 6 * 2 * 512 * 4);
}

}  // namespace
}  // namespace memsizer
