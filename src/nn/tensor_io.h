#pragma once

#include <torch/torch.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/safetensors.h"
#include "model/tensor_list.h"

namespace memsizer::nn {

// A copy of a stored tensor. Throws UserError if LibTorch has no such type.
at::Tensor to_tensor(const TensorView& view);

// All parameters and buffers of a module by their full names.
std::map<std::string, at::Tensor> named_tensors(const torch::nn::Module& module);

// Fills every parameter and buffer of `module` from "<prefix><name>" in the file; a missing tensor or another
// shape is a UserError.
void load_tensors(torch::nn::Module& module, const SafetensorsFile& file, const std::string& prefix = "");

// What take_tensors did with each tensor of a module, by name.
struct TakenTensors {
  std::vector<std::string> taken;
  std::vector<std::string> missing;      // no such tensor in the file
  std::vector<std::string> other_shape;  // one of that name that does not fit

  size_t total() const { return taken.size() + missing.size() + other_shape.size(); }
};

// Fills every parameter and buffer of `module` that the file has under the same name and in the same shape,
// and leaves the others alone.
TakenTensors take_tensors(torch::nn::Module& module, const SafetensorsFile& file);

// Writes the tensors, and after them `more`, which are stored already. With the metadata of a model, it is
// one (write_model).
void save_tensors(const std::map<std::string, at::Tensor>& tensors, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata, std::span<const NamedTensor> more = {});

// All tensors of a file whose names start with `prefix`, by the rest of their names.
std::map<std::string, at::Tensor> read_tensors(const SafetensorsFile& file, const std::string& prefix = "");

// A module's tensors must be exactly those its configuration implies; anything else is our own bug.
void require_tensor_list(const torch::nn::Module& module, const std::vector<TensorSpec>& expected);

}  // namespace memsizer::nn
