#include "model/model_checksum.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/content_hash.h"
#include "core/error.h"
#include "core/safetensors_bytes.h"

namespace memsizer {
namespace {

std::vector<NamedTensor> tensors_of(const SafetensorsFile& file) {
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    const TensorView& view = file.tensor(name);
    tensors.push_back({name, view.dtype, view.shape, view.data});
  }
  return tensors;
}

}  // namespace

std::string model_checksum(std::span<const NamedTensor> tensors,
                           const std::map<std::string, std::string>& metadata) {
  // Four lanes of 64 bits, 32 bytes a block, so that multiplications overlap: several GB/s, which every load
  // of a model pays. Other libraries write tensors in another order; sorted, the checksum survives that.
  ContentHash hash;
  for (const auto& [key, value] : metadata) {
    if (key == kChecksumKey) continue;
    hash.field(key);
    hash.field(value);
  }
  std::vector<const NamedTensor*> sorted;
  for (const NamedTensor& tensor : tensors) sorted.push_back(&tensor);
  std::ranges::sort(sorted, {}, [](const NamedTensor* tensor) -> const std::string& { return tensor->name; });
  for (const NamedTensor* tensor : sorted) {
    hash.field(tensor->name);
    hash.field(dtype_name(tensor->dtype));
    hash.field(std::as_bytes(std::span(tensor->shape)));
    hash.field(tensor->data);
  }
  return fmt::format("{:016x}", hash.checksum());
}

std::string model_checksum(const SafetensorsContent& content) {
  return model_checksum(named_tensors(content), content.metadata);
}

std::string model_checksum(const SafetensorsFile& file) {
  return model_checksum(tensors_of(file), file.metadata());
}

std::string verify_checksum(const SafetensorsFile& file) {
  const auto stored = file.metadata().find(kChecksumKey);
  if (stored == file.metadata().end()) {
    const auto version = file.metadata().find("version");
    if (version != file.metadata().end() && version->second == "1") return model_checksum(file);
    throw UserError("'{}' is damaged: found no checksum, expected one; copy it again", file.path().string());
  }
  const std::string found = model_checksum(file);
  if (found == stored->second) return found;
  throw UserError("'{}' is damaged: its checksum is {}, expected {}; copy it again", file.path().string(),
                  found, printable_name(stored->second));
}

}  // namespace memsizer
