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
std::string model_checksum(const SafetensorsContent& content);
std::string model_checksum(const SafetensorsFile& file);

// The checksum of what the file says. Throws UserError if the one it states is another, or if it must state
// one and does not (files of version 1 do not). Reads the whole file, at the speed of memory
// (content_hash.h).
std::string verify_checksum(const SafetensorsFile& file);

}  // namespace memsizer
