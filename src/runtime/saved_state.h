#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/model.h"

namespace memsizer::runtime {

// A row of a state as bytes: a safetensors document of the fields that the mechanisms of the model list
// (core/state_field.h), `layers.N.self.FIELD` of what was generated and `layers.N.cross.FIELD` of the source,
// with the hash of the model and the number of tokens read. Fields of tokens have the tokens as their first
// dimension. Going on from a loaded state gives the very scores that the saved one would have given.
// `next` is a token that is to be read before anything else: a text's last one, so that what follows the text
// can be asked for.
std::vector<std::byte> save_state(const Model& model, const DecoderState& state, int64_t row,
                                  std::optional<int32_t> next = std::nullopt);

struct SavedRow {
  DecoderState state;  // of one row
  std::optional<int32_t> next;
};

// Anything but a state of this model, unharmed, is a UserError; `name` says in it which state is meant.
SavedRow load_row(const Model& model, std::span<const std::byte> bytes, const std::string& name);

// The same of a state that was saved without a token to read next.
DecoderState load_state(const Model& model, std::span<const std::byte> bytes, const std::string& name);

}  // namespace memsizer::runtime
