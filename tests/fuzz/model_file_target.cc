// A model file from elsewhere: whatever its bytes, it is a model whose tensors fit, or a UserError of one
// line.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"
#include "fuzz/mutation.h"

namespace {

constexpr size_t kLengthBytes = 8;

size_t header_bytes(const uint8_t* data, size_t size) {
  uint64_t length = 0;
  if (size < kLengthBytes) return 0;
  std::memcpy(&length, data, kLengthBytes);
  return length <= size - kLengthBytes ? static_cast<size_t>(length) : 0;
}

// What a program does with weights after the check: every number the configuration implies is there.
void touch_weights(const memsizer::SafetensorsFile& file, const memsizer::ModelDescription& description) {
  for (const memsizer::TensorSpec& spec : memsizer::tensor_list(description.config)) {
    const memsizer::TensorView& view = file.tensor(spec.name);
    const size_t bytes = static_cast<size_t>(spec.elements()) * memsizer::dtype_bytes(view.dtype);
    if (view.data.size() != bytes) std::abort();
    std::vector<std::byte> copy(view.data.begin(), view.data.end());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto one_line = [](const memsizer::UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  };
  try {
    const auto file = memsizer::SafetensorsFile::parse({bytes.begin(), bytes.end()}, "model");
    // Nearly every mutation breaks the checksum; what comes after it must stand alone.
    try {
      memsizer::verify_checksum(file);
    } catch (const memsizer::UserError& error) {
      one_line(error);
    }
    const memsizer::ModelDescription description = memsizer::read_description(file);
    memsizer::model_metadata(description);
    memsizer::check_tensors(file, description);
    touch_weights(file, description);
  } catch (const memsizer::UserError& error) {
    one_line(error);
  }
  return 0;
}

// Half of the time the header alone is changed and its length put right: otherwise few inputs would get past
// the first 8 bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const size_t header = header_bytes(data, size);
  if (seed % 2 == 0 || header == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::vector<uint8_t> tail(data + kLengthBytes + header, data + size);
  const size_t room = max_size - kLengthBytes - std::min(tail.size(), max_size - kLengthBytes);
  if (room < header) return LLVMFuzzerMutate(data, size, max_size);
  const uint64_t length = LLVMFuzzerMutate(data + kLengthBytes, header, room);
  std::memcpy(data, &length, kLengthBytes);
  std::copy(tail.begin(), tail.end(), data + kLengthBytes + length);
  return kLengthBytes + length + tail.size();
}
