#pragma once

#include <map>
#include <span>
#include <string>

#include "core/safetensors.h"

namespace memsizer {

// The key of a model's checksum in its metadata.
inline constexpr auto kChecksumKey = "checksum";

// 16 hexadecimal digits over all that a model file says: every tensor's name, type, shape and data, and the
// metadata without the checksum itself. The order of the tensors in the file does not count. It finds damage;
// it is no signature.
std::string model_checksum(std::span<const NamedTensor> tensors,
                           const std::map<std::string, std::string>& metadata);
std::string model_checksum(const SafetensorsFile& file);

// Throws UserError if the file's checksum is not that of its content, or if it must have one and has none
// (files of version 1 have none). Reads the whole file, at the speed of memory (content_hash.h).
void verify_checksum(const SafetensorsFile& file);

}  // namespace memsizer
