#pragma once

#include <torch/torch.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/state_field.h"

namespace memsizer::nn {

// What a mixer carries from token to token, a value: copy it to fork a sequence, reorder it for beams. It
// holds the fields that the mechanism's description lists, each with the batch first. A field that grows has
// its tokens before its last dimension: [batch, heads, tokens, head_dim].
class MixerState {
 public:
  MixerState() = default;
  // Zeros, and no tokens yet.
  MixerState(const std::vector<StateField>& fields, int64_t batch, const at::TensorOptions& options);

  // An undefined tensor if the state has no such field yet.
  at::Tensor& operator[](std::string_view field);
  at::Tensor operator[](std::string_view field) const;

  std::span<const std::pair<std::string, at::Tensor>> fields() const { return fields_; }

  // [batch, tokens] of a field that grows, if any token so far was padding; batches here are padded, so this
  // is no part of what a sequence keeps.
  at::Tensor padding;

  // A state that shares no memory with this one.
  MixerState fork() const;

  // Row i of the new state is row order[i] of this one (beam search).
  void reorder(const at::Tensor& order);

  int64_t batch() const;
  // Of the fields.
  int64_t bytes() const;

 private:
  std::vector<std::pair<std::string, at::Tensor>> fields_;
};

}  // namespace memsizer::nn
