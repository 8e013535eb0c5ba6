#pragma once

#include <string_view>

namespace memsizer::text {

// Whether a SentencePiece model, a serialized ModelProto, is complete and its normalisation tables can be
// walked without leaving them. The library itself follows their offsets unchecked, so that a damaged file
// would read foreign memory. Returns what is wrong, or "".
std::string_view sentencepiece_damage(std::string_view model);

}  // namespace memsizer::text
