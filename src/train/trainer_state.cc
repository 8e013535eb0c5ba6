#include "train/trainer_state.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <type_traits>

#include "core/error.h"

namespace memsizer::train {
namespace {

// The fields of a file that may hold anything.
class Fields {
 public:
  Fields(const nlohmann::json& json, const std::string& name) : json_(json), name_(name) {
    if (!json.is_object())
      refuse(json.is_discarded() ? "found no JSON"
                                 : fmt::format("found {}, expected an object", json.type_name()));
  }

  bool contains(const char* key) const { return json_.contains(key); }
  bool is_null(const char* key) const { return at(key).is_null(); }

  template <typename T>
  T of(const char* key) const {
    const nlohmann::json& value = at(key);
    const bool fits = std::is_same_v<T, std::string> ? value.is_string() : value.is_number_unsigned();
    if (!fits) refuse(fmt::format("found {} as {}", value.type_name(), key));
    return value.get<T>();
  }

  double number(const char* key) const {
    const nlohmann::json& value = at(key);
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse(fmt::format("found {} as {}, expected a finite number", value.type_name(), key));
    return value.get<double>();
  }

  int64_t whole(const char* key, int64_t least) const {
    // Far beyond any run, and far enough from what would overflow.
    constexpr int64_t kMost = int64_t{1} << 53;
    const nlohmann::json& value = at(key);
    const bool fits = value.is_number_unsigned() ? value.get<uint64_t>() <= static_cast<uint64_t>(kMost)
                                                 : value.is_number_integer() && value.get<int64_t>() >= least;
    if (!fits) refuse(fmt::format("found a {} that is no whole number from {} to {}", key, least, kMost));
    return value.get<int64_t>();
  }

  int64_t count(const char* key) const { return whole(key, 0); }

 private:
  const nlohmann::json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(fmt::format("found no {}", key));
    return *found;
  }

  [[noreturn]] void refuse(const std::string& found) const {
    throw UserError("{} is damaged: {}; delete that checkpoint to go on from the one before", name_, found);
  }

  const nlohmann::json& json_;
  const std::string& name_;
};

}  // namespace

nlohmann::json TrainerState::to_json() const {
  return {{"updates", updates},
          {"epoch", position.epoch},
          {"batch", position.batch},
          {"random", learner.random.state},
          {"seconds", seconds},
          {"tokens", tokens},
          {"corpus", corpus},
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

TrainerState TrainerState::read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  return from_json(json, path.string());
}

TrainerState TrainerState::from_json(const nlohmann::json& json, const std::string& name) {
  const Fields fields(json, name);
  TrainerState state;
  state.updates = fields.count("updates");
  state.position = {fields.count("epoch"), fields.count("batch")};
  state.learner.random.state = fields.of<uint64_t>("random");
  state.seconds = fields.number("seconds");
  state.tokens = fields.count("tokens");
  state.corpus = fields.of<std::string>("corpus");
  state.learner.loss_scale = fields.number("loss_scale");
  state.learner.good_updates = fields.count("good_updates");
  if (!fields.is_null("best_quality")) state.best_quality = fields.number("best_quality");
  state.best_step = fields.whole("best_step", -1);
  state.worse_validations = fields.count("worse_validations");
  state.log_loss = fields.number("log_loss");
  state.log_nll = fields.number("log_nll");
  // Older checkpoints had no teacher.
  if (fields.contains("log_teacher")) state.log_teacher = fields.number("log_teacher");
  state.log_tokens = fields.count("log_tokens");
  state.log_seconds = fields.number("log_seconds");
  return state;
}

}  // namespace memsizer::train
