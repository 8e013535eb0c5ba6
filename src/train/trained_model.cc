#include "train/trained_model.h"

#include <fmt/ranges.h>

#include <charconv>
#include <map>

#include "core/enum_value.h"
#include "core/error.h"
#include "model/config_difference.h"
#include "model/model_checksum.h"
#include "model/tensor_check.h"

namespace memsizer::train {
namespace {

SafetensorsFile open_file(const std::string& option, const std::filesystem::path& path) {
  try {
    return SafetensorsFile::open(model_path(path));
  } catch (const UserError& error) {
    throw UserError("{}: {}", option, error.what());
  }
}

ModelDescription checked_description(const std::string& option, const SafetensorsFile& file) {
  try {
    ModelDescription description = read_description(file);
    verify_checksum(file);
    check_tensors(file, description);
    return description;
  } catch (const UserError& error) {
    throw UserError("{}: {}", option, error.what());
  }
}

// "decoder.layers.2.fc1.weight" is layer 2 of "decoder.layers" and its "fc1.weight"; the layer is -1 for a
// tensor outside the layers.
struct TensorPlace {
  std::string stack;
  int64_t layer = -1;
  std::string rest;
};

TensorPlace place_of(const std::string& name) {
  static constexpr std::string_view kLayers = ".layers.";
  const size_t found = name.find(kLayers);
  if (found == std::string::npos) return {"", -1, name};
  int64_t layer = -1;
  const char* begin = name.data() + found + kLayers.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), layer);
  if (error != std::errc() || end == name.data() + name.size()) return {"", -1, name};
  return {name.substr(0, found + kLayers.size() - 1), layer, std::string(end + 1)};
}

// "0-2, 4" of rising numbers.
std::string ranges(const std::vector<int64_t>& numbers) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin < numbers.size();) {
    size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    parts.push_back(end - begin == 1 ? fmt::to_string(numbers[begin])
                                     : fmt::format("{}-{}", numbers[begin], numbers[end - 1]));
    begin = end;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void describe_left(const std::vector<std::string>& names, std::string_view why,
                   std::vector<std::string>& lines) {
  std::map<std::pair<std::string, std::string>, std::vector<int64_t>> layers;  // by stack and rest
  for (const std::string& name : names) {
    const TensorPlace place = place_of(name);
    layers[{place.stack, place.rest}].push_back(place.layer);
  }
  std::map<std::string, std::vector<std::string>> groups;  // what the same layers of a stack lack
  for (auto& [tensor, numbers] : layers) {
    const auto& [stack, rest] = tensor;
    std::ranges::sort(numbers);
    groups[stack.empty() ? "" : fmt::format("{}.{}: ", stack, ranges(numbers))].push_back(rest);
  }
  for (const auto& [where, tensors] : groups)
    lines.push_back(fmt::format("  not taken ({}): {}{}", why, where, fmt::join(tensors, ", ")));
}

}  // namespace

TrainedModel::TrainedModel(std::string option, const std::filesystem::path& path)
    : option_(std::move(option)),
      file_(open_file(option_, path)),
      description_(checked_description(option_, file_)) {
  if (description_.weights == WeightType::I8)
    refuse("has int8 weights, which cannot be trained; give the model that it was quantized from");
}

void TrainedModel::require_size(int64_t size, std::string_view option, int64_t asked) const {
  if (size == asked) return;
  refuse(
      "has another vocabulary: {} tokens, {} is {}; give a model of this recipe's vocabulary, or set {}={}",
      size, option, asked, option, size);
}

void TrainedModel::require_fit(const Recipe& recipe) const {
  const ModelConfig& config = description_.config;
  if (description_.task != recipe.task.kind) {
    refuse("is a model for {}; this recipe is for {}: give a model of the same task",
           enum_name(description_.task), enum_name(recipe.task.kind));
  }
  if (description_.tokenizer.empty())
    refuse("holds no tokenizer, so that its vocabulary is not known; give a model that memsizer train made");
  const text::TokenizerOptions& tokenizer = recipe.data.tokenizer;
  const bool joint = tokenizer.joint || recipe.is_language_model();
  if (joint != description_.source_tokenizer.empty()) {
    refuse("has {}; set data.tokenizer.joint={}",
           joint ? "a vocabulary for each side, this recipe has one for both"
                 : "one vocabulary for both sides, this recipe has one for each",
           !joint);
  }
  // A dictionary of words may be smaller than it was allowed to be.
  if (tokenizer.type == text::TokenizerType::Words) return;
  if (tokenizer.model.empty()) require_size(config.vocab, "data.tokenizer.vocab", tokenizer.vocab);
  if (joint || !tokenizer.source_model.empty()) return;
  const bool own = tokenizer.source_vocab > 0;
  require_size(config.source_vocab_size(), own ? "data.tokenizer.source_vocab" : "data.tokenizer.vocab",
               own ? tokenizer.source_vocab : tokenizer.vocab);
}

void TrainedModel::require_vocabulary(const TrainingData& data) const {
  const bool same =
      description_.config.vocab == data.tokenizer->size() &&
      description_.tokenizer == data.tokenizer->serialized() &&
      description_.source_tokenizer == (data.source_tokenizer ? data.source_tokenizer->serialized() : "");
  if (same) return;
  refuse(
      "has another vocabulary than this run: its tokenizer of {} tokens is not the run's of {}; give a "
      "model that was trained with the same tokenizer",
      description_.config.vocab, data.tokenizer->size());
}

void TrainedModel::require_logits() const {
  if (!description_.config.adaptive.enabled()) return;
  refuse("has adaptive softmax (model.adaptive.cutoffs), which cannot teach; give a model without it");
}

void TrainedModel::require_architecture(const ModelConfig& model) const {
  const auto found = architecture_difference(description_.config, model);
  if (!found) return;
  refuse(
      "is of another architecture: its {} is {}, this recipe's is {}; only mixers may differ: set {}={}, or "
      "give another model",
      found->option, found->theirs, found->ours, found->option, found->theirs);
}

std::unique_ptr<TaskModel> TrainedModel::frozen(at::Device device) const {
  auto model = make_task_model(description_.config);
  nn::load_tensors(model->module(), file_);
  for (at::Tensor& parameter : model->module().parameters()) parameter.requires_grad_(false);
  model->module().to(device);
  return model;
}

std::vector<std::string> described(const nn::TakenTensors& tensors, const std::string& model) {
  std::vector<std::string> lines = {
      fmt::format("taken from {}: {} of {} tensors", model, tensors.taken.size(), tensors.total())};
  describe_left(tensors.missing, "no such tensor", lines);
  describe_left(tensors.other_shape, "other shape", lines);
  return lines;
}

}  // namespace memsizer::train
