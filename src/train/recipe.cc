#include "train/recipe.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <cmath>
#include <fstream>
#include <sstream>

#include "core/enum_value.h"
#include "model/presets.h"
#include "train/toml_values.h"

namespace memsizer {

template <>
std::span<const std::pair<train::OptimizerKind, std::string_view>> enum_names<train::OptimizerKind>() {
  using enum train::OptimizerKind;
  static constexpr std::array names = {std::pair{Adam, std::string_view("adam")},
                                       std::pair{Nag, std::string_view("nag")}};
  return names;
}

template <>
std::span<const std::pair<train::ScheduleKind, std::string_view>> enum_names<train::ScheduleKind>() {
  using enum train::ScheduleKind;
  static constexpr std::array names = {std::pair{InverseSqrt, std::string_view("inverse-sqrt")},
                                       std::pair{Cosine, std::string_view("cosine")},
                                       std::pair{Polynomial, std::string_view("polynomial")},
                                       std::pair{Constant, std::string_view("constant")}};
  return names;
}

template <>
std::span<const std::pair<train::Precision, std::string_view>> enum_names<train::Precision>() {
  using enum train::Precision;
  static constexpr std::array names = {std::pair{Fp32, std::string_view("fp32")},
                                       std::pair{Bf16, std::string_view("bf16")},
                                       std::pair{Fp16, std::string_view("fp16")}};
  return names;
}

}  // namespace memsizer

namespace memsizer::train {
namespace {

using nlohmann::json;

constexpr std::string_view kPresetKey = "model.preset";

// The preset is no option of the model: it must be known before all of them.
std::string take_preset(std::vector<TomlValue>& values, const std::vector<std::string>& settings,
                        const std::string& fallback) {
  std::string preset = fallback;
  const auto given = std::ranges::find(values, kPresetKey, &TomlValue::path);
  if (given != values.end()) {
    if (!given->value.is_string())
      throw UserError("model.preset takes a name such as \"small\"; found {}", given->value.dump());
    preset = given->value.get<std::string>();
    values.erase(given);
  }
  for (const std::string& setting : settings) {
    if (setting.starts_with(fmt::format("{}=", kPresetKey))) preset = setting.substr(kPresetKey.size() + 1);
  }
  return preset;
}

void require(bool holds, std::string_view path, const auto& found, std::string_view allowed) {
  if (!holds) throw UserError("{} is {}; it must be {}", path, found, allowed);
}

void require_finite(std::string_view path, double value, double low, double high, std::string_view allowed) {
  require(std::isfinite(value) && value >= low && value <= high, path, value, allowed);
}

void validate(const OptimizerOptions& o) {
  require_finite("optimizer.lr", o.lr, 0.0, 1e3, "a positive number");
  require(o.lr > 0.0, "optimizer.lr", o.lr, "a positive number");
  require(o.beta1 >= 0.0 && o.beta1 < 1.0, "optimizer.beta1", o.beta1, "from 0 to below 1");
  require(o.beta2 >= 0.0 && o.beta2 < 1.0, "optimizer.beta2", o.beta2, "from 0 to below 1");
  require(o.eps > 0.0, "optimizer.eps", o.eps, "a positive number");
  require(o.momentum >= 0.0 && o.momentum < 1.0, "optimizer.momentum", o.momentum, "from 0 to below 1");
  require_finite("optimizer.weight_decay", o.weight_decay, 0.0, 1e3, "0 or more");
  require_finite("optimizer.clip_norm", o.clip_norm, 0.0, 1e9, "0 (off) or more");
}

void validate(const ScheduleOptions& o) {
  require(o.warmup >= 0, "schedule.warmup", o.warmup, "0 or more");
  require(o.kind != ScheduleKind::InverseSqrt || o.warmup > 0, "schedule.warmup", o.warmup,
          "at least 1 with kind inverse-sqrt, which falls from its end on");
  require_finite("schedule.initial_lr", o.initial_lr, 0.0, 1e3, "0 or more");
  require(o.kind != ScheduleKind::Cosine || o.max_lr > 0.0, "schedule.max_lr", o.max_lr,
          "the peak of the cosine schedule, a positive number");
  require(o.period >= 0, "schedule.period", o.period, "0 or more");
  require_finite("schedule.period_factor", o.period_factor, 1e-3, 1e3, "a positive number");
  require_finite("schedule.shrink", o.shrink, 1e-6, 1e3, "a positive number");
  require_finite("schedule.end_lr", o.end_lr, 0.0, 1e3, "0 or more");
  require_finite("schedule.power", o.power, 1e-3, 1e3, "a positive number");
  require(o.total_updates >= 0, "schedule.total_updates", o.total_updates, "0 or more");
}

void validate(const TrainingOptions& o) {
  require(o.max_updates >= 1, "training.max_updates", o.max_updates, "at least 1");
  require(o.max_epochs >= 0, "training.max_epochs", o.max_epochs, "0 (no limit) or more");
  require_finite("training.max_minutes", o.max_minutes, 0.0, 1e9, "0 (no limit) or more");
  require(o.max_tokens >= 8, "training.max_tokens", o.max_tokens, "at least 8");
  require(o.update_tokens >= 0, "training.update_tokens", o.update_tokens, "0 (one batch) or more");
  require(o.block_tokens >= 2, "training.block_tokens", o.block_tokens, "at least 2");
  require(o.label_smoothing >= 0.0 && o.label_smoothing < 1.0, "training.label_smoothing", o.label_smoothing,
          "from 0 to below 1");
  require(o.ema_decay >= 0.0 && o.ema_decay < 1.0, "training.ema_decay", o.ema_decay, "from 0 to below 1");
  require(o.sort_window >= 0, "training.sort_window", o.sort_window, "0 (whole corpus) or more");
  require(o.threads >= 0 && o.threads <= 1024, "training.threads", o.threads, "from 0 (all cores) to 1024");
  require(o.log_every >= 1, "training.log_every", o.log_every, "at least 1");
  require(o.checkpoint_every >= 1, "training.checkpoint_every", o.checkpoint_every, "at least 1");
  require_finite("training.checkpoint_minutes", o.checkpoint_minutes, 0.0, 1e9, "0 (off) or more");
  require(o.keep_last >= 1, "training.keep_last", o.keep_last, "at least 1");
  require(o.average_last >= 0 && o.average_last <= o.keep_last, "training.average_last", o.average_last,
          fmt::format("from 0 to training.keep_last ({})", o.keep_last));
  require(o.init_fit_updates >= 0, "training.init_fit_updates", o.init_fit_updates, "0 (none) or more");
  require(o.init_fit_updates == 0 || !o.init_from.empty(), "training.init_fit_updates", o.init_fit_updates,
          "0 without training.init_from, the model that mixers are fitted to");
  require(o.teacher_weight >= 0.0 && o.teacher_weight <= 1.0, "training.teacher_weight", o.teacher_weight,
          "from 0 to 1");
  require(o.teacher_temperature > 0.0 && o.teacher_temperature <= 100.0, "training.teacher_temperature",
          o.teacher_temperature, "above 0 and at most 100");
}

void validate(const ValidationOptions& o, Task task) {
  require(o.every >= 1, "validation.every", o.every, "at least 1");
  require(o.max_sentences >= 0, "validation.max_sentences", o.max_sentences, "0 (all) or more");
  require(o.beam >= 1 && o.beam <= 1000, "validation.beam", o.beam, "from 1 to 1000");
  require(o.samples >= 0, "validation.samples", o.samples, "0 or more");
  require(o.patience >= 0, "validation.patience", o.patience, "0 (never stop) or more");
  require(o.window >= 2, "validation.window", o.window, "at least 2");
  require(o.context >= 0 && o.context < o.window, "validation.context", o.context,
          fmt::format("from 0 to below validation.window ({})", o.window));
  const std::vector<metrics::Metric> measured = metrics::recorded_metrics(task);
  if (std::ranges::find(measured, o.metric) == measured.end()) {
    std::vector<std::string_view> names;
    for (const metrics::Metric metric : measured) names.push_back(enum_name(metric));
    throw UserError("validation.metric is {}, which is not measured for {}; it must be one of {}",
                    enum_name(o.metric), enum_name(task), fmt::join(names, ", "));
  }
}

std::string toml_value(const json& value) {
  if (value.is_string()) {
    std::ostringstream out;
    out << toml::value<std::string>(value.get<std::string>());
    return out.str();
  }
  if (value.is_array()) {
    std::vector<std::string> items;
    for (const json& item : value) items.push_back(toml_value(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }
  if (value.is_number_float()) {
    std::string digits = fmt::format("{}", value.get<double>());
    if (digits.find_first_of(".eni") == std::string::npos) digits += ".0";
    return digits;
  }
  return value.dump();
}

}  // namespace

void Recipe::validate() const {
  data.validate("data");
  if ((data.format == text::CorpusFormat::Text) != is_language_model()) {
    throw UserError("task.kind {} does not go with data.format {}; {}",
                    is_language_model() ? "language-model" : "translation or summarization",
                    data.format == text::CorpusFormat::Text ? "text" : "of pairs",
                    is_language_model() ? "a language model reads format text"
                                        : "pairs are read from parallel, tsv or jsonl");
  }
  train::validate(optimizer);
  train::validate(schedule);
  train::validate(training);
  if (!training.teacher.empty() && model.adaptive.enabled()) {
    throw UserError(
        "training.teacher does not go with model.adaptive.cutoffs, a softmax in parts; leave one of them "
        "out");
  }
  train::validate(validation, task.kind);
  memsizer::validate(generation, "generation");
  if (generation.shortlist) {
    throw UserError(
        "generation.shortlist is true, but a model in training has none; train, then run memsizer "
        "shortlist");
  }
  if (generation.max_source_tokens != data.max_source_tokens) {
    throw UserError(
        "generation.max_source_tokens is {} but data.max_source_tokens is {}; set the latter alone",
        generation.max_source_tokens, data.max_source_tokens);
  }
}

std::string Recipe::to_toml() const {
  Recipe copy = *this;
  std::string text;
  std::string section;
  for (const OptionRef& option : collect_options(copy, "")) {
    // It follows data.max_source_tokens.
    if (option.path == "generation.max_source_tokens") continue;
    const size_t dot = option.path.rfind('.');
    const std::string owner = option.path.substr(0, dot);
    if (owner != section) {
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", owner);
      section = owner;
      if (owner == "model") text += fmt::format("preset = {}\n", toml_value(preset));
    }
    text += fmt::format("{} = {}\n", option.path.substr(dot + 1), toml_value(option.get()));
  }
  return text;
}

Recipe parse_recipe(const std::string& toml, const std::string& name,
                    const std::vector<std::string>& settings) {
  std::vector<TomlValue> values = toml_values(toml, name);
  Recipe recipe;
  recipe.preset = take_preset(values, settings, recipe.preset);
  recipe.model = preset_config(recipe.preset);
  const std::vector<OptionRef> options = collect_options(recipe, "");
  for (const TomlValue& value : values) {
    try {
      set_option_value(options, value.path, value.value);
    } catch (const UserError& error) {
      throw UserError("{}:{}: {}", name, value.line, error.what());
    }
  }
  for (const std::string& setting : settings) {
    if (!setting.starts_with(fmt::format("{}=", kPresetKey))) set_option_assignment(options, setting);
  }
  if (recipe.is_language_model()) recipe.model.architecture = Architecture::LanguageModel;
  // What the model is trained to read is what it reads.
  if (recipe.generation.max_source_tokens == GenerationOptions{}.max_source_tokens)
    recipe.generation.max_source_tokens = recipe.data.max_source_tokens;
  recipe.validate();
  return recipe;
}

Recipe load_recipe(const std::filesystem::path& path, const std::vector<std::string>& settings) {
  // A recipe has a few kilobytes; a device has no end.
  constexpr size_t kMostBytes = size_t{1} << 20;
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw UserError(
        "cannot read recipe {}; give the path of a TOML file, such as recipes/multi30k-en-de.toml",
        path.string());
  }
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (file.bad()) throw UserError("cannot read recipe {}: reading failed; check the disk", path.string());
  if (text.size() > kMostBytes) {
    throw UserError(
        "recipe {} is larger than {} bytes; give the path of a TOML file, such as "
        "recipes/multi30k-en-de.toml",
        path.string(), kMostBytes);
  }
  return parse_recipe(text, path.string(), settings);
}

}  // namespace memsizer::train
