#include "model/quantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <set>

#include "core/error.h"
#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

constexpr float kLargest = 127.0F;

// Copied, since a file does not promise alignment.
std::vector<float> floats_of(const TensorView& view) {
  std::vector<float> numbers(view.data.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), view.data.data(), view.data.size());
  return numbers;
}

void require_finite(std::span<const float> numbers, const std::string& name, const SafetensorsFile& file) {
  const auto bad = std::ranges::find_if_not(numbers, [](float number) { return std::isfinite(number); });
  if (bad == numbers.end()) return;
  throw UserError(
      "'{}': tensor {} holds {} at position {}; only finite weights can be quantized: train again",
      file.path().string(), name, *bad, bad - numbers.begin());
}

ModelDescription checked_description(const SafetensorsFile& file) {
  ModelDescription description = read_description(file);
  verify_checksum(file);
  check_tensors(file, description);
  return description;
}

// The tensors of the file to be, with the data that were made for it.
class Converter {
 public:
  explicit Converter(const SafetensorsFile& file) : file_(file) {}

  void keep(const std::string& name) {
    const TensorView& view = file_.tensor(name);
    tensors_.push_back({name, view.dtype, view.shape, view.data});
  }

  void convert(const std::string& name, WeightType weights) {
    const TensorView& view = file_.tensor(name);
    const std::vector<float> numbers = floats_of(view);
    require_finite(numbers, name, file_);
    if (weights == WeightType::Bf16) {
      tensors_.push_back({name, DType::BF16, view.shape, store(to_bf16(numbers))});
      return;
    }
    const Int8Matrix matrix = to_int8(numbers, view.shape.at(0));
    tensors_.push_back({name, DType::I8, view.shape, store(matrix.values)});
    tensors_.push_back({scale_name(name), DType::F32, {view.shape.at(0)}, store(matrix.scales)});
  }

  std::span<const NamedTensor> tensors() const { return tensors_; }

 private:
  template <typename T>
  std::span<const std::byte> store(const std::vector<T>& numbers) {
    const auto bytes = std::as_bytes(std::span(numbers));
    return data_.emplace_back(bytes.begin(), bytes.end());
  }

  const SafetensorsFile& file_;
  std::deque<std::vector<std::byte>> data_;  // which does not move its elements
  std::vector<NamedTensor> tensors_;
};

}  // namespace

Int8Matrix to_int8(std::span<const float> matrix, int64_t rows) {
  const size_t columns = rows > 0 ? matrix.size() / static_cast<size_t>(rows) : 0;
  Int8Matrix result;
  result.values.reserve(matrix.size());
  for (int64_t i = 0; i < rows; ++i) {
    const std::span<const float> row = matrix.subspan(static_cast<size_t>(i) * columns, columns);
    float largest = 0.0F;
    for (const float number : row) largest = std::max(largest, std::abs(number));
    const float scale = largest / kLargest;
    result.scales.push_back(scale);
    for (const float number : row) {
      // A scale too small for a float keeps no digits, or none at all.
      const float value = scale > 0.0F ? std::nearbyint(number / scale) : 0.0F;
      result.values.push_back(static_cast<int8_t>(std::clamp(value, -kLargest, kLargest)));
    }
  }
  return result;
}

std::vector<uint16_t> to_bf16(std::span<const float> numbers) {
  std::vector<uint16_t> halves;
  halves.reserve(numbers.size());
  for (const float number : numbers) {
    const auto bits = std::bit_cast<uint32_t>(number);
    const uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    const bool overflows = std::isfinite(number) && (rounded & 0x7f800000) == 0x7f800000;
    halves.push_back(static_cast<uint16_t>((overflows ? bits : rounded) >> 16));
  }
  return halves;
}

void quantize_model(const std::filesystem::path& in, WeightType weights, const std::filesystem::path& out) {
  if (weights == WeightType::F32) throw UserError("models are quantized to int8 or bf16, found f32");
  const SafetensorsFile file = SafetensorsFile::open(model_path(in));
  ModelDescription description = checked_description(file);
  if (description.weights != WeightType::F32) {
    throw UserError(
        "'{}' is quantized already: found weights of {}, expected f32; quantize the original model",
        file.path().string(), weight_type_name(description.weights));
  }
  Converter converter(file);
  std::set<std::string> quantized;
  for (const TensorSpec& tensor : tensor_list(description.config)) {
    if (tensor.quantized) quantized.insert(tensor.name);
  }
  for (const std::string& name : file.names()) {
    if (quantized.contains(name)) {
      converter.convert(name, weights);
    } else {
      converter.keep(name);
    }
  }
  description.weights = weights;
  write_model(out, converter.tensors(), model_metadata(description));
}

void export_model(const std::filesystem::path& in, const std::filesystem::path& out) {
  const SafetensorsFile file = SafetensorsFile::open(model_path(in));
  const ModelDescription description = checked_description(file);
  Converter converter(file);
  for (const std::string& name : file.names()) converter.keep(name);
  write_model(out, converter.tensors(), model_metadata(description));
}

}  // namespace memsizer
