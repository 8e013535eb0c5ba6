#include "serve/served_model.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "core/error.h"
#include "serve/http_error.h"

namespace memsizer::serve {
namespace {

constexpr size_t kLongestName = 64;

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_';
  });
}

bool is_language(std::string_view code) {
  return code.size() >= 2 && code.size() <= 3 &&
         std::ranges::all_of(code, [](char c) { return c >= 'a' && c <= 'z'; });
}

std::optional<ServedModel::Languages> languages_of(const std::string& name, Task task) {
  const size_t dash = name.find('-');
  if (task != Task::Translation || dash == std::string::npos) return std::nullopt;
  const std::string source = name.substr(0, dash);
  const std::string target = name.substr(dash + 1);
  if (!is_language(source) || !is_language(target)) return std::nullopt;
  return ServedModel::Languages{source, target};
}

StateSize cache_size_of(ModelConfig config) {
  config.decoder.self = mechanism_named("softmax");
  if (config.has_encoder()) config.decoder.cross = mechanism_named("softmax");
  return decoder_state_size(config);
}

engine::GeneratorOptions generator_options(const engine::TextModel& text, const ModelLimits& limits) {
  engine::GeneratorOptions options;
  options.threads = limits.threads;
  options.batch_rows = limits.slots;
  options.queue = limits.slots + limits.queue;
  // Prompts are read in pieces between the steps of others: a long one need not wait for an empty batch.
  if (text.is_language_model()) options.batch_tokens = int64_t{1} << 30;
  return options;
}

}  // namespace

std::string task_name(Task task) {
  for (const auto& [value, name] : enum_names<Task>()) {
    if (value == task) return std::string(name);
  }
  return "";
}

std::unique_ptr<ServedModel> ServedModel::load(const std::string& given, const ModelLimits& limits) {
  const size_t equals = given.find('=');
  const std::filesystem::path path = equals == std::string::npos ? given : given.substr(equals + 1);
  const std::string name = equals == std::string::npos ? path.stem().string() : given.substr(0, equals);
  if (!is_name(name)) {
    throw UserError(
        "'{}' is no name for a model; give --model NAME=FILE with a name of letters, digits, '.', "
        "'-' and '_'",
        name);
  }
  return std::unique_ptr<ServedModel>(
      new ServedModel(name, engine::TextModel::load(model_path(path)), limits));
}

ServedModel::ServedModel(std::string name, std::unique_ptr<engine::TextModel> text, const ModelLimits& limits)
    : name_(std::move(name)),
      limits_(limits),
      text_(std::move(text)),
      generator_(std::make_unique<engine::Generator>(*text_, generator_options(*text_, limits))),
      admission_(limits.slots, limits.queue, std::max<int64_t>(1, limits.slots / 2)),
      languages_(languages_of(name_, task())),
      state_size_(decoder_state_size(text_->description().config)),
      cache_size_(cache_size_of(text_->description().config)) {}

int64_t ServedModel::widest_beam() const {
  if (text_->is_language_model()) return 1;
  return std::max(limits_.max_beam, engine::default_options(text_->description()).beam);
}

ServedModels::ServedModels(const std::vector<std::string>& given, const ModelLimits& limits) {
  for (const std::string& one : given) {
    auto model = ServedModel::load(one, limits);
    for (const auto& other : models_) {
      if (other->name() == model->name())
        throw UserError("two models are called '{}'; name them apart with --model NAME=FILE", model->name());
    }
    models_.push_back(std::move(model));
  }
}

ServedModel& ServedModels::find(const std::string& name, Task task) const {
  for (const auto& model : models_) {
    if (model->task() == task && (name.empty() || model->name() == name)) return *model;
  }
  if (name.empty())
    throw HttpError(404, "no model for " + task_name(task) + " is loaded; /v1/models lists those that are",
                    "model");
  const bool other = std::ranges::any_of(models_, [&](const auto& model) { return model->name() == name; });
  const std::string shown = name.substr(0, kLongestName);
  throw HttpError(
      other ? 400 : 404,
      other
          ? fmt::format("model '{}' is not for {}; /v1/models says what each is for", shown, task_name(task))
          : fmt::format("no model is called '{}'; /v1/models lists those that are loaded", shown),
      "model");
}

ServedModel& ServedModels::translator(const std::string& source, const std::string& target) const {
  ServedModel* unnamed = nullptr;
  for (const auto& model : models_) {
    if (model->task() != Task::Translation) continue;
    const auto& languages = model->languages();
    if (!languages) {
      if (!unnamed) unnamed = model.get();
    } else if ((source == "auto" || languages->source == source) && languages->target == target) {
      return *model;
    }
  }
  // A translator whose name does not say what it reads and writes is taken at the client's word.
  if (unnamed) return *unnamed;
  throw HttpError(
      400,
      fmt::format("no model translates from '{}' to '{}'; /languages lists what can be translated",
                  source.substr(0, kLongestName), target.substr(0, kLongestName)),
      "target");
}

ServedModel* ServedModels::with_hash(const std::string& hash) const {
  for (const auto& model : models_) {
    if (model->text().model().hash() == hash) return model.get();
  }
  return nullptr;
}

}  // namespace memsizer::serve
