#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz/mutation.h"

namespace memsizer::fuzz {

// Half of the time the header alone is changed and its length put right: otherwise few inputs would get past
// the first 8 bytes.
inline size_t mutate_safetensors(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  constexpr size_t kLengthBytes = 8;
  uint64_t header = 0;
  if (size >= kLengthBytes) std::memcpy(&header, data, kLengthBytes);
  if (seed % 2 == 0 || header == 0 || header > size - kLengthBytes)
    return LLVMFuzzerMutate(data, size, max_size);
  const std::vector<uint8_t> tail(data + kLengthBytes + header, data + size);
  const size_t room = max_size - kLengthBytes - std::min(tail.size(), max_size - kLengthBytes);
  if (room < header) return LLVMFuzzerMutate(data, size, max_size);
  const uint64_t length = LLVMFuzzerMutate(data + kLengthBytes, header, room);
  std::memcpy(data, &length, kLengthBytes);
  std::copy(tail.begin(), tail.end(), data + kLengthBytes + length);
  return kLengthBytes + length + tail.size();
}

}  // namespace memsizer::fuzz
