#include "nn/tensor_io.h"

#include <fmt/ranges.h>

#include <cstring>
#include <stdexcept>

#include "core/error.h"
#include "model/model_file.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

struct TypePair {
  DType stored;
  at::ScalarType torch;
};

constexpr TypePair kTypes[] = {
    {DType::Bool, at::kBool}, {DType::U8, at::kByte},       {DType::I8, at::kChar}, {DType::I16, at::kShort},
    {DType::F16, at::kHalf},  {DType::BF16, at::kBFloat16}, {DType::I32, at::kInt}, {DType::F32, at::kFloat},
    {DType::I64, at::kLong},  {DType::F64, at::kDouble},
};

at::ScalarType torch_type(DType stored) {
  for (const TypePair& pair : kTypes) {
    if (pair.stored == stored) return pair.torch;
  }
  throw UserError("tensors of type {} cannot be loaded into a LibTorch model", dtype_name(stored));
}

DType stored_type(at::ScalarType type) {
  for (const TypePair& pair : kTypes) {
    if (pair.torch == type) return pair.stored;
  }
  throw std::logic_error(std::string("no stored type for ") + c10::toString(type));
}

}  // namespace

Tensor to_tensor(const TensorView& view) {
  Tensor tensor = at::empty(view.shape, at::TensorOptions(torch_type(view.dtype)));
  if (!view.data.empty()) std::memcpy(tensor.data_ptr(), view.data.data(), view.data.size());
  return tensor;
}

std::map<std::string, Tensor> named_tensors(const torch::nn::Module& module) {
  std::map<std::string, Tensor> tensors;
  for (const auto& item : module.named_parameters()) tensors.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) tensors.emplace(item.key(), item.value());
  return tensors;
}

void load_tensors(torch::nn::Module& module, const SafetensorsFile& file, const std::string& prefix) {
  torch::NoGradGuard no_grad;
  for (const auto& [name, target] : named_tensors(module)) {
    const TensorView& view = file.tensor(prefix + name);
    if (target.sizes() != at::IntArrayRef(view.shape)) {
      throw UserError("{}: tensor {} has shape [{}]; this model needs [{}]", file.path().string(), name,
                      fmt::join(view.shape, ", "), fmt::join(target.sizes().vec(), ", "));
    }
    target.copy_(to_tensor(view));
  }
}

TakenTensors take_tensors(torch::nn::Module& module, const SafetensorsFile& file) {
  torch::NoGradGuard no_grad;
  TakenTensors result;
  for (const auto& [name, target] : named_tensors(module)) {
    if (!file.contains(name)) {
      result.missing.push_back(name);
    } else if (const TensorView& view = file.tensor(name); target.sizes() != at::IntArrayRef(view.shape)) {
      result.other_shape.push_back(name);
    } else {
      target.copy_(to_tensor(view));
      result.taken.push_back(name);
    }
  }
  return result;
}

void save_tensors(const std::map<std::string, Tensor>& tensors, const std::filesystem::path& path,
                  const std::map<std::string, std::string>& metadata, std::span<const NamedTensor> more) {
  std::vector<Tensor> kept;
  std::vector<NamedTensor> list;
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().cpu().contiguous());
    const auto* bytes = static_cast<const std::byte*>(kept.back().data_ptr());
    list.push_back(
        {name, stored_type(tensor.scalar_type()), tensor.sizes().vec(), {bytes, kept.back().nbytes()}});
  }
  list.insert(list.end(), more.begin(), more.end());
  if (is_model(metadata)) return write_model(path, list, metadata);
  write_safetensors(path, list, metadata);
}

std::map<std::string, Tensor> read_tensors(const SafetensorsFile& file, const std::string& prefix) {
  std::map<std::string, Tensor> tensors;
  for (const std::string& name : file.names()) {
    if (name.starts_with(prefix)) tensors.emplace(name.substr(prefix.size()), to_tensor(file.tensor(name)));
  }
  return tensors;
}

void require_tensor_list(const torch::nn::Module& module, const std::vector<TensorSpec>& expected) {
  std::map<std::string, Tensor> have = named_tensors(module);
  for (const TensorSpec& spec : expected) {
    const auto found = have.find(spec.name);
    if (found == have.end()) throw std::logic_error("model lacks tensor " + spec.name);
    if (found->second.sizes() != at::IntArrayRef(spec.shape))
      throw std::logic_error("wrong shape of " + spec.name);
    if (found->second.requires_grad() != (spec.role == TensorRole::Trained)) {
      throw std::logic_error("wrong role of " + spec.name);
    }
    have.erase(found);
  }
  if (!have.empty())
    throw std::logic_error("model has a tensor its configuration does not list: " + have.begin()->first);
}

}  // namespace memsizer::nn
