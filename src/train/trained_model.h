#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/safetensors.h"
#include "model/model_file.h"
#include "nn/tensor_io.h"
#include "train/recipe.h"
#include "train/task_model.h"
#include "train/training_data.h"

namespace memsizer::train {

// A finished model that a recipe names, to start from or to learn from. What does not fit the recipe is a
// UserError that opens with the option that names it.
class TrainedModel {
 public:
  // `path` is a model file, or the folder of a run or a checkpoint. The whole file is checked.
  TrainedModel(std::string option, const std::filesystem::path& path);

  std::string path() const { return file_.path().string(); }
  const SafetensorsFile& file() const { return file_; }
  const ModelDescription& description() const { return description_; }

  // The recipe must be for the same task and must not ask for another vocabulary. Known before any data are
  // read.
  void require_fit(const Recipe& recipe) const;
  // The run must have the model's tokenizers, to the byte.
  void require_vocabulary(const TrainingData& data) const;
  // It must have logits to learn from, which adaptive softmax does not have.
  void require_logits() const;
  // All but the mixers must have the same shape and place.
  void require_architecture(const ModelConfig& model) const;

  // The model itself; nothing in it is trained.
  std::unique_ptr<TaskModel> frozen(at::Device device) const;

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw UserError("{}: {} {}", option_, path(), fmt::format(format, std::forward<Args>(args)...));
  }
  void require_size(int64_t size, std::string_view option, int64_t asked) const;

  std::string option_;
  SafetensorsFile file_;
  ModelDescription description_;
};

// How many tensors were taken, and which were not, in a few lines: layers that lack the same tensors are told
// together.
std::vector<std::string> described(const nn::TakenTensors& tensors, const std::string& model);

}  // namespace memsizer::train
