#include "train/trainer_state.h"

#include <cmath>

#include "core/error.h"

namespace memsizer::train {

nlohmann::json TrainerState::to_json() const {
  return {{"updates", updates},
          {"epoch", position.epoch},
          {"batch", position.batch},
          {"random", learner.random.state},
          {"seconds", seconds},
          {"tokens", tokens},
          {"loss_scale", learner.loss_scale},
          {"good_updates", learner.good_updates},
          {"best_quality", std::isfinite(best_quality) ? nlohmann::json(best_quality) : nlohmann::json()},
          {"best_step", best_step},
          {"worse_validations", worse_validations},
          {"log_loss", log_loss},
          {"log_nll", log_nll},
          {"log_teacher", log_teacher},
          {"log_tokens", log_tokens},
          {"log_seconds", log_seconds}};
}

TrainerState TrainerState::from_json(const nlohmann::json& json, const std::string& name) {
  TrainerState state;
  try {
    state.updates = json.at("updates").get<int64_t>();
    state.position = {json.at("epoch").get<int64_t>(), json.at("batch").get<int64_t>()};
    state.learner.random.state = json.at("random").get<uint64_t>();
    state.seconds = json.at("seconds").get<double>();
    state.tokens = json.at("tokens").get<int64_t>();
    state.learner.loss_scale = json.at("loss_scale").get<double>();
    state.learner.good_updates = json.at("good_updates").get<int64_t>();
    if (!json.at("best_quality").is_null()) state.best_quality = json.at("best_quality").get<double>();
    state.best_step = json.at("best_step").get<int64_t>();
    state.worse_validations = json.at("worse_validations").get<int64_t>();
    state.log_loss = json.at("log_loss").get<double>();
    state.log_nll = json.at("log_nll").get<double>();
    state.log_teacher = json.value("log_teacher", 0.0);  // older checkpoints had no teacher
    state.log_tokens = json.at("log_tokens").get<int64_t>();
    state.log_seconds = json.at("log_seconds").get<double>();
  } catch (const nlohmann::json::exception& error) {
    throw UserError("{} is damaged ({}); delete that checkpoint to go on from the one before", name,
                    error.what());
  }
  return state;
}

}  // namespace memsizer::train
