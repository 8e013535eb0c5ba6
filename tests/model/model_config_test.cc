#include "model/model_config.h"

#include <gtest/gtest.h>

#include "mechanisms/linformer/description.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/performer/description.h"
#include "mechanisms/rfa/description.h"
#include "model/presets.h"
#include "model/tensor_list.h"
#include "support/messages.h"

namespace memsizer {
namespace {

using testing::has_text;
using testing::message_of;

TEST(Presets, AreValidAndKnownByName) {
  for (const Preset& preset : presets())
    EXPECT_NO_THROW(preset_config(preset.name).validate()) << preset.name;
  EXPECT_TRUE(has_text(message_of([] { preset_config("bse"); }), "did you mean 'base'?"));
}

TEST(Presets, NameTheLayersOfADeepEncoderAndAShallowDecoder) {
  const struct {
    const char* name;
    const char* like;
    int64_t encoder;
    int64_t decoder;
  } cases[] = {
      {"small-6-2", "small", 6, 2},
      {"small-12-1", "small", 12, 1},
      {"base-6-2", "base", 6, 2},
      {"base-12-1", "base", 12, 1},
  };
  for (const auto& test : cases) {
    ModelConfig config = preset_config(test.name);
    EXPECT_EQ(config.encoder.layers, test.encoder) << test.name;
    EXPECT_EQ(config.decoder.layers, test.decoder) << test.name;
    ModelConfig like = preset_config(test.like);
    config.encoder.layers = like.encoder.layers;
    config.decoder.layers = like.decoder.layers;
    EXPECT_EQ(options_to_json(collect_options(config, "")), options_to_json(collect_options(like, "")))
        << test.name;
  }
}

TEST(Presets, ServeAsLanguageModelsToo) {
  for (const std::string name : {"tiny", "small", "base"}) {
    ModelConfig config = preset_config(name);
    config.architecture = Architecture::LanguageModel;
    for (const TensorSpec& tensor : tensor_list(config))
      EXPECT_TRUE(tensor.name.starts_with("decoder.")) << tensor.name;
  }
}

TEST(ModelConfig, SurvivesJson) {
  for (const Preset& preset : presets()) {
    ModelConfig config = preset_config(preset.name);
    const nlohmann::json json = options_to_json(collect_options(config, ""));
    ModelConfig read;
    options_from_json(collect_options(read, ""), nlohmann::json::parse(json.dump()));
    EXPECT_EQ(options_to_json(collect_options(read, "")), json) << preset.name;
  }
}

TEST(ModelConfig, EveryOptionHasHelpAndCanBeSetToItsOwnValue) {
  ModelConfig config = preset_config("wiki103");
  for (const OptionRef& option : collect_options(config, "model")) {
    EXPECT_FALSE(option.help.empty()) << option.path;
    const nlohmann::json value = option.get();
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    EXPECT_NO_THROW(set_option(collect_options(config, "model"), option.path, text)) << option.path;
    EXPECT_EQ(option.get(), value) << option.path;
  }
}

TEST(ModelConfig, RefusesJsonItDoesNotKnow) {
  ModelConfig config;
  const auto read = [&](const std::string& text) {
    return message_of([&] { options_from_json(collect_options(config, ""), nlohmann::json::parse(text)); });
  };
  EXPECT_TRUE(has_text(read(R"({"decoder": {"sef": "softmax"}})"), "did you mean 'decoder.self'?"));
  EXPECT_TRUE(has_text(read(R"({"decoder": {"layers": "six"}})"), "decoder.layers takes an integer"));
  EXPECT_TRUE(has_text(read(R"({"dim": 1.5})"), "dim takes an integer"));
  EXPECT_TRUE(has_text(read(R"([1])"), "not a JSON object"));
  EXPECT_TRUE(has_text(read(R"({"adaptive": {"cutoffs": [1, "2"]}})"), "a list of integers"));
}

struct BadSetting {
  std::vector<std::string> settings;
  std::string message;
};

class BadSettings : public ::testing::TestWithParam<BadSetting> {};

TEST_P(BadSettings, AreNamed) {
  ModelConfig config = preset_config("base");
  const auto options = collect_options(config, "model");
  const std::string message = message_of([&] {
    for (const std::string& setting : GetParam().settings) set_option_assignment(options, setting);
    config.validate();
  });
  EXPECT_TRUE(has_text(message, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadSettings,
    ::testing::Values(
        BadSetting{{"model.dim=0"}, "model.dim is 0"}, BadSetting{{"model.vocab=3"}, "model.vocab is 3"},
        BadSetting{{"model.encoder.layers=0"}, "model.encoder.layers is 0"},
        BadSetting{{"model.decoder.ffn=-1"}, "model.decoder.ffn is -1"},
        BadSetting{{"model.dropout=1"}, "model.dropout is 1; it must be at least 0 and below 1"},
        BadSetting{{"model.attention_dropout=-0.1"}, "model.attention_dropout is -0.1"},
        BadSetting{{"model.memsizer.cross_slots=1"}, "model.memsizer.cross_slots is 1; it must be from 2"},
        BadSetting{{"model.memsizer.key_scale=0"}, "model.memsizer.key_scale is 0"},
        BadSetting{{"model.decoder.self=softmax", "model.decoder.heads=7"}, "model.decoder.heads is 7"},
        BadSetting{{"model.source_vocab=100"}, "model.embedding.tie=all needs one joint vocabulary"},
        BadSetting{{"model.adaptive.cutoffs=100"}, "needs model.architecture=language-model"},
        BadSetting{{"model.architecture=language-model", "model.adaptive.cutoffs=900,100"},
                   "cutoffs must rise"},
        BadSetting{{"model.architecture=language-model", "model.adaptive.cutoffs=99999999"},
                   "below model.vocab"},
        BadSetting{{"model.architecture=language-model", "model.adaptive.cutoffs=10,20",
                    "model.adaptive.factor=100"},
                   "leave no width"},
        BadSetting{{"model.decoder.self=rfa", "model.rfa.gate=true"},
                   "model.rfa.gate needs model.rfa.form=t2r"},
        BadSetting{{"model.decoder.self=rfa", "model.rfa.form=t2r", "model.rfa.learned_tau=true"},
                   "exclude each other"},
        BadSetting{{"model.decoder.self=performer", "model.performer.causal_features=7"}, "it must be even"},
        BadSetting{{"model.encoder.self=linformer", "model.linformer.slots=5000"},
                   "model.linformer.slots is 5000"},
        BadSetting{{"model.decoder.cross=ssru"}, "ssru cannot be used as cross-attention"}));

}  // namespace
}  // namespace memsizer
