#include "core/safetensors_bytes.h"

namespace memsizer {

std::vector<std::byte> safetensors_bytes(std::span<const NamedTensor> tensors,
                                         const std::map<std::string, std::string>& metadata) {
  const std::string header = safetensors_header(tensors, metadata);
  const auto header_bytes = std::as_bytes(std::span(header));
  size_t size = header.size();
  for (const NamedTensor& tensor : tensors) size += tensor.data.size();
  std::vector<std::byte> bytes;
  bytes.reserve(size);
  bytes.insert(bytes.end(), header_bytes.begin(), header_bytes.end());
  for (const NamedTensor& tensor : tensors) bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
  return bytes;
}

std::vector<NamedTensor> named_tensors(const SafetensorsContent& content) {
  std::vector<NamedTensor> tensors;
  for (const std::string& name : content.names) {
    const TensorView& view = content.tensors.find(name)->second;
    tensors.push_back({name, view.dtype, view.shape, view.data});
  }
  return tensors;
}

}  // namespace memsizer
