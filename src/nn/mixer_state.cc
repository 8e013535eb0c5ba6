#include "nn/mixer_state.h"

#include <stdexcept>

namespace memsizer::nn {

using at::Tensor;

MixerState::MixerState(const std::vector<StateField>& fields, int64_t batch,
                       const at::TensorOptions& options) {
  for (const StateField& field : fields) {
    std::vector<int64_t> shape = {batch};
    shape.insert(shape.end(), field.shape.begin(), field.shape.end());
    if (field.growth != Growth::Fixed) shape.insert(shape.end() - 1, 0);
    (*this)[field.name] = at::zeros(shape, field.type == DType::I64 ? options.dtype(at::kLong) : options);
  }
}

Tensor& MixerState::operator[](std::string_view field) {
  for (auto& [name, tensor] : fields_) {
    if (name == field) return tensor;
  }
  return fields_.emplace_back(std::string(field), Tensor()).second;
}

Tensor MixerState::operator[](std::string_view field) const {
  for (const auto& [name, tensor] : fields_) {
    if (name == field) return tensor;
  }
  return {};
}

MixerState MixerState::fork() const {
  MixerState copy = *this;
  for (auto& [name, tensor] : copy.fields_) {
    if (tensor.defined()) tensor = tensor.clone();
  }
  if (padding.defined()) copy.padding = padding.clone();
  return copy;
}

void MixerState::reorder(const Tensor& order) {
  for (auto& [name, tensor] : fields_) {
    if (tensor.defined()) tensor = tensor.index_select(0, order);
  }
  if (padding.defined()) padding = padding.index_select(0, order);
}

int64_t MixerState::batch() const {
  for (const auto& [name, tensor] : fields_) {
    if (tensor.defined()) return tensor.size(0);
  }
  throw std::logic_error("an empty mixer state has no batch size");
}

int64_t MixerState::bytes() const {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : fields_) {
    if (tensor.defined()) bytes += static_cast<int64_t>(tensor.nbytes());
  }
  return bytes;
}

}  // namespace memsizer::nn
