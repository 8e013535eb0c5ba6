#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/mapped_file.h"

namespace memsizer {

// One tensor of a safetensors file. `data` is little-endian and row-major, and is not aligned to the size of
// an element: the format does not promise it.
struct TensorView {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;  // empty for a scalar
  std::span<const std::byte> data;

  int64_t elements() const;
};

// What a safetensors file says it holds, with every offset, length, dtype and shape checked.
struct SafetensorsContent {
  std::map<std::string, std::string> metadata;
  std::vector<std::string> names;  // in the order of their data
  std::map<std::string, TensorView, std::less<>> tensors;
};

// Reads a whole safetensors file from memory; the tensors are views into `bytes`. Anything out of order is a
// UserError that starts with `source_name`.
SafetensorsContent parse_safetensors(std::span<const std::byte> bytes, std::string_view source_name);

// A safetensors file, memory-mapped if it was opened from disk. Views taken from it live as long as the
// object it was moved to.
class SafetensorsFile {
 public:
  static SafetensorsFile open(const std::filesystem::path& path);
  // A file that is in memory already; `path` names it in messages.
  static SafetensorsFile parse(std::vector<std::byte> bytes, const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const std::map<std::string, std::string>& metadata() const { return content_.metadata; }
  // In the order of their data in the file.
  const std::vector<std::string>& names() const { return content_.names; }
  bool contains(std::string_view name) const { return content_.tensors.contains(name); }
  // An unknown name is a UserError that proposes the nearest one.
  const TensorView& tensor(std::string_view name) const;

 private:
  // Both keep the address of their bytes when moved.
  using Storage = std::variant<MappedFile, std::vector<std::byte>>;

  SafetensorsFile(const std::filesystem::path& path, Storage storage);

  std::filesystem::path path_;
  Storage storage_;
  SafetensorsContent content_;
};

// A tensor to be written; `data` is little-endian and row-major.
struct NamedTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

// Writes the tensors in the given order, atomically (see AtomicFile); the same input gives the same bytes.
// The data section starts at a multiple of 8 bytes. Tensors that no reader would accept (data that does not
// fit the shape, a name twice, text that is not UTF-8) are a std::invalid_argument.
void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

// `name` fit for a message, since names in a file from elsewhere can be anything: control characters are
// escaped, and a name longer than about `max_bytes` is cut.
std::string printable_name(std::string_view name, size_t max_bytes = 120);

}  // namespace memsizer
