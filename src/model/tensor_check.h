#pragma once

#include "core/safetensors.h"
#include "model/model_file.h"

namespace memsizer {

// Throws UserError, which names the tensor, unless the file holds exactly the tensors that the description's
// configuration implies (tensor_list), in their shapes and in the types of its weights (stored_type), and
// tokenizers and a shortlist. The scales of int8 weights are finite and not negative. What passes cannot
// surprise a program by its shapes.
void check_tensors(const SafetensorsFile& file, const ModelDescription& description);

}  // namespace memsizer
