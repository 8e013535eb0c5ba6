#pragma once

#include <cstdint>
#include <vector>

#include "kernels/aligned_buffer.h"
#include "runtime/mixers/mixer.h"

namespace memsizer::runtime {

// What cross-attention keeps of a batch of sources: read once, then only looked at, by however many rows and
// states share it.
struct SourceMemory {
  std::vector<int64_t> offsets{0};                    // of the sources' tokens
  std::vector<kernels::AlignedBuffer<float>> layers;  // each layer's numbers

  int64_t sources() const { return static_cast<int64_t>(offsets.size()) - 1; }

  SourceStates layer(size_t i) { return {layers[i].data(), Ragged{offsets}}; }

  size_t bytes() const {
    size_t bytes = 0;
    for (const auto& layer : layers) bytes += layer.bytes();
    return bytes;
  }
};

}  // namespace memsizer::runtime
