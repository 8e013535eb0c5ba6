#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/text_model.h"

namespace memsizer::engine {

// The tokens of a prompt of any length: its lines with an end token between them, as a language model saw
// them in training. Tokenizers take memory by the length of what they encode, so a long line goes in parts,
// which are cut where there is a space and have the tokens that they have together.
std::vector<int32_t> prompt_tokens(const TextModel& model, std::string_view text);

}  // namespace memsizer::engine
