// The parameter counts of param_counts.json, from configurations alone.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "mechanisms/t2r/description.h"
#include "model/presets.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

struct Recipe {
  std::string preset;
  std::vector<std::string> settings;
};

const std::map<std::string, Recipe>& recipes() {
  const auto decoder = [](const std::string& mechanism) {
    return std::vector<std::string>{"model.decoder.self=" + mechanism, "model.decoder.cross=" + mechanism};
  };
  const auto language = [](const std::string& mechanism) {
    return std::vector<std::string>{"model.decoder.self=" + mechanism};
  };
  const auto with = [](std::vector<std::string> settings, const std::string& more) {
    settings.push_back(more);
    return settings;
  };
  static const std::map<std::string, Recipe> table = {
      {"mt_transformer_big_sa", {"transformer-big", decoder("softmax")}},
      {"mt_transformer_big_memsizer_decoder", {"transformer-big", {}}},
      {"mt_transformer_big_memsizer_all", {"transformer-big", {"model.encoder.self=memsizer"}}},
      {"mt_transformer_big_t2r", {"transformer-big", decoder("t2r")}},
      {"mt_transformer_big_t2r_reparam", {"transformer-big", with(decoder("t2r"), "model.t2r.sigma=true")}},
      {"mt_transformer_big_elu", {"transformer-big", decoder("elu")}},
      {"mt_transformer_big_rfa", {"transformer-big", decoder("rfa")}},
      {"lm_wiki103_sa", {"wiki103", language("softmax")}},
      {"lm_wiki103_memsizer_k32", {"wiki103", {}}},
      {"lm_wiki103_t2r_k32", {"wiki103", language("t2r")}},
      {"lm_wiki103_t2r_k32_reparam", {"wiki103", with(language("t2r"), "model.t2r.sigma=true")}},
      {"lm_wiki103_elu", {"wiki103", language("elu")}},
      {"lm_wiki103_rfa", {"wiki103", language("rfa")}},
      {"bart_large_sa", {"bart-large", decoder("softmax")}},
      {"bart_large_memsizer_decoder", {"bart-large", {}}},
  };
  return table;
}

TEST(ParameterCounts, AreTheReferences) {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  const std::filesystem::path directory = chosen && *chosen ? chosen : "tests/golden";
  std::ifstream file(directory / "param_counts.json");
  ASSERT_TRUE(file) << "no param_counts.json in " << directory;
  const nlohmann::json counts = nlohmann::json::parse(file);
  int checked = 0;
  for (const std::string group : {"instantiated", "formula_only"}) {
    for (const auto& entry : counts.value(group, nlohmann::json::array())) {
      const std::string name = entry.at("name");
      ASSERT_TRUE(recipes().contains(name)) << "no configuration known for " << name;
      const Recipe& recipe = recipes().at(name);
      ModelConfig config = preset_config(recipe.preset);
      for (const std::string& setting : recipe.settings) {
        set_option_assignment(collect_options(config, "model"), setting);
      }
      EXPECT_EQ(count_parameters(tensor_list(config)), entry.at("value").get<int64_t>()) << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace memsizer
