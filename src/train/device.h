#pragma once

#include <torch/torch.h>

#include "train/recipe.h"

namespace memsizer::train {

// The device that a recipe trains on. One that is not known or not present here, and a precision that it does
// not have, are UserErrors.
at::Device training_device(const TrainingOptions& options);

}  // namespace memsizer::train
