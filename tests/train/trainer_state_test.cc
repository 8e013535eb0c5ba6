#include "train/trainer_state.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::train {
namespace {

using memsizer::testing::has_text;
using memsizer::testing::message_of;
using memsizer::testing::TempDir;
using nlohmann::json;

TrainerState sample() {
  TrainerState state;
  state.updates = 7;
  state.position = {2, 5};
  state.learner = {.random = {.state = 0xfedcba9876543210}, .loss_scale = 0.5, .good_updates = 3};
  state.seconds = 0.1;
  state.tokens = 1000;
  state.corpus = "key";
  state.best_quality = -1.0 / 3.0;
  state.best_step = 6;
  state.log_teacher = 1e-300;
  return state;
}

std::string error_of(const json& value) {
  return message_of([&] { TrainerState::from_json(value, "trainer.json"); });
}

TEST(TrainerState, ComesBackToTheBit) {
  const json stored = sample().to_json();
  EXPECT_EQ(TrainerState::from_json(json::parse(stored.dump(2)), "trainer.json").to_json(), stored);
  // Nothing was validated yet.
  const json fresh = TrainerState().to_json();
  EXPECT_TRUE(fresh.at("best_quality").is_null());
  EXPECT_EQ(TrainerState::from_json(json::parse(fresh.dump()), "trainer.json").to_json(), fresh);
}

TEST(TrainerState, OlderCheckpointsHadNoTeacher) {
  json stored = sample().to_json();
  stored.erase("log_teacher");
  EXPECT_EQ(TrainerState::from_json(stored, "trainer.json").log_teacher, 0.0);
}

TEST(TrainerState, AnythingButAnObjectIsRefused) {
  for (const char* text : {"[]", "null", "3", "\"x\"", "[{}]", "{}"}) {
    EXPECT_TRUE(has_text(error_of(json::parse(text)), "trainer.json is damaged")) << text;
  }
  const TempDir dir;
  EXPECT_TRUE(has_text(message_of([&] { TrainerState::read(dir / "missing"); }), "delete that checkpoint"));
  std::ofstream(dir / "cut") << sample().to_json().dump().substr(0, 50);
  EXPECT_TRUE(has_text(message_of([&] { TrainerState::read(dir / "cut"); }), "delete that checkpoint"));
}

TEST(TrainerState, EachFieldIsNeededAndOfItsType) {
  const json good = json::parse(sample().to_json().dump());
  for (const auto& [key, value] : good.items()) {
    json without = good;
    without.erase(key);
    EXPECT_EQ(error_of(without) == "no error", key == "log_teacher") << key;
    for (const char* other : {"[]", "{}", "true", "1e999", "\"x\""}) {
      json changed = good;
      changed[key] = json::parse(other, nullptr, false).is_discarded()
                         ? json(std::numeric_limits<double>::infinity())
                         : json::parse(other);
      if (value.is_string() && changed[key].is_string()) continue;
      EXPECT_TRUE(has_text(error_of(changed), key)) << key << " = " << other;
    }
  }
}

TEST(TrainerState, CountsStayFarFromOverflow) {
  for (const char* key :
       {"updates", "epoch", "batch", "tokens", "good_updates", "worse_validations", "log_tokens"}) {
    for (const char* number : {"-1", "9223372036854775807", "18446744073709551615", "1.5", "1e300"}) {
      json changed = sample().to_json();
      changed[key] = json::parse(number);
      EXPECT_TRUE(has_text(error_of(changed), key)) << number;
    }
  }
}

}  // namespace
}  // namespace memsizer::train
