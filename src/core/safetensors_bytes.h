#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/safetensors.h"

namespace memsizer {

// What write_safetensors writes before the data: the length of the JSON text, the text, and the spaces after
// it that align the data.
std::string safetensors_header(std::span<const NamedTensor> tensors,
                               const std::map<std::string, std::string>& metadata);

// The file that write_safetensors would write, in memory.
std::vector<std::byte> safetensors_bytes(std::span<const NamedTensor> tensors,
                                         const std::map<std::string, std::string>& metadata);

// The tensors of a document as they are written, in the order of their data.
std::vector<NamedTensor> named_tensors(const SafetensorsContent& content);

}  // namespace memsizer
