#include "nn/mixers/state.h"

#include <array>
#include <stdexcept>

namespace memsizer::nn {
namespace {

template <typename State>
auto tensors_of(State& state) {
  return std::array{&state.memory, &state.normaliser, &state.key_memory, &state.count,
                    &state.keys,   &state.values,     &state.padding};
}

}  // namespace

MixerState MixerState::fork() const {
  MixerState copy = *this;
  for (at::Tensor* tensor : tensors_of(copy)) {
    if (tensor->defined()) *tensor = tensor->clone();
  }
  return copy;
}

void MixerState::reorder(const at::Tensor& order) {
  for (at::Tensor* tensor : tensors_of(*this)) {
    if (tensor->defined()) *tensor = tensor->index_select(0, order);
  }
}

int64_t MixerState::batch() const {
  for (const at::Tensor* tensor : tensors_of(*this)) {
    if (tensor->defined()) return tensor->size(0);
  }
  throw std::logic_error("an empty mixer state has no batch size");
}

int64_t MixerState::bytes() const {
  int64_t bytes = 0;
  for (const at::Tensor* tensor : tensors_of(*this)) {
    if (tensor->defined()) bytes += static_cast<int64_t>(tensor->nbytes());
  }
  return bytes;
}

}  // namespace memsizer::nn
