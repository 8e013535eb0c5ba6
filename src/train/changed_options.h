#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/recipe.h"

namespace memsizer::train {

// How the options of a run that goes on differ from those in its folder, one line per option to be told. An
// option that cannot change on the way is a UserError that names it: what is restored from a checkpoint
// depends on it (`restored`), or the run's tokenizer, which is kept in any case. The model's own options are
// not looked at: a checkpoint says itself which model it is of.
std::vector<std::string> changed_options(Recipe begun, Recipe now, bool restored, const std::string& folder);

}  // namespace memsizer::train
