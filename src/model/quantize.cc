#include "model/quantize.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>

#include "core/error.h"
#include "core/weight_rounding.h"
#include "model/finite_weights.h"
#include "model/model_checksum.h"
#include "model/model_file.h"
#include "model/tensor_check.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

// Copied, since a file does not promise alignment.
std::vector<float> floats_of(const TensorView& view) {
  std::vector<float> numbers(view.data.size() / sizeof(float));
  if (!numbers.empty()) std::memcpy(numbers.data(), view.data.data(), view.data.size());
  return numbers;
}

ModelDescription checked_description(const SafetensorsFile& file) {
  ModelDescription description = read_description(file);
  verify_checksum(file);
  check_tensors(file, description);
  require_finite(file);  // rounding has no numbers for what is not
  return description;
}

// What the file says of itself, but for what the description changes. How it generates stays as it was
// written: a conversion adds nothing to it.
std::map<std::string, std::string> converted_metadata(const SafetensorsFile& file,
                                                      const ModelDescription& description) {
  std::map<std::string, std::string> metadata = model_metadata(description);
  const auto generation = file.metadata().find("generation");
  if (generation != file.metadata().end()) metadata["generation"] = generation->second;
  return metadata;
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
    if (weights == WeightType::BF16) {
      std::vector<uint16_t> halves(numbers.size());
      std::ranges::transform(numbers, halves.begin(), round_to_bf16);
      tensors_.push_back({name, DType::BF16, view.shape, store(halves)});
      return;
    }
    std::vector<int8_t> rounded(numbers.size());
    std::vector<float> scales(static_cast<size_t>(view.shape.at(0)));
    const size_t columns = scales.empty() ? 0 : numbers.size() / scales.size();
    for (size_t row = 0; row < scales.size(); ++row) {
      scales[row] = round_to_int8(std::span(numbers).subspan(row * columns, columns),
                                  std::span(rounded).subspan(row * columns, columns));
    }
    tensors_.push_back({name, DType::I8, view.shape, store(rounded)});
    tensors_.push_back({scale_name(name), DType::F32, {view.shape.at(0)}, store(scales)});
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
  write_model(out, converter.tensors(), converted_metadata(file, description));
}

void export_model(const std::filesystem::path& in, const std::filesystem::path& out) {
  const SafetensorsFile file = SafetensorsFile::open(model_path(in));
  const ModelDescription description = checked_description(file);
  Converter converter(file);
  for (const std::string& name : file.names()) converter.keep(name);
  write_model(out, converter.tensors(), converted_metadata(file, description));
}

}  // namespace memsizer
