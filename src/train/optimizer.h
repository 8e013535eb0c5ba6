#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "train/recipe.h"

namespace memsizer::train {

using NamedParameters = std::vector<std::pair<std::string, at::Tensor>>;

// Trained parameters of a module, in a fixed order.
NamedParameters trained_parameters(const torch::nn::Module& module);

// Adam and Nesterov's accelerated gradient exactly as the reference trains with them (docs/mathematics.md,
// Optimizers). Parameters without a gradient are left alone.
class Optimizer {
 public:
  Optimizer(NamedParameters parameters, const OptimizerOptions& options);

  // L2 norm of all gradients times `scale`.
  double gradient_norm(double scale) const;

  // One update with gradients times `scale`, clipped to options.clip_norm; `norm` is gradient_norm(scale).
  void step(double learning_rate, double scale, double norm);

  // Drops all gradients.
  void zero_gradients();

  // What has to be stored to go on later, by name; load() puts it back and is a UserError if it is of
  // another model.
  std::map<std::string, at::Tensor> state() const;
  void load(const std::map<std::string, at::Tensor>& state);

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    at::Tensor first;   // adam: mean of the gradient; nag: momentum
    at::Tensor second;  // adam only: mean of its square
    int64_t updates = 0;
  };

  void step_adam(Slot& slot, double learning_rate, double scale);
  void step_nag(Slot& slot, double learning_rate, double scale);

  OptimizerOptions options_;
  std::vector<Slot> slots_;
  double previous_rate_ = -1.0;
};

}  // namespace memsizer::train
