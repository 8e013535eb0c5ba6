#include "runtime/tensor_source.h"

#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>

#include "core/random.h"
#include "core/weight_rounding.h"
#include "model/finite_weights.h"
#include "model/tensor_list.h"

namespace memsizer::runtime {
namespace {

using kernels::PackedMatrix;

class FileSource : public TensorSource {
 public:
  FileSource(const SafetensorsFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  bool contains(const std::string& name) const override { return file_.contains(prefix_ + name); }
  std::vector<int64_t> shape(const std::string& name) const override { return view(name).shape; }

  WeightType type(const std::string& name) const override {
    switch (view(name).dtype) {
      case DType::F32:
        return WeightType::F32;
      case DType::BF16:
        return WeightType::BF16;
      case DType::I8:
        return WeightType::I8;
      default:
        throw UserError("{}: tensor {} is of type {}; weights are F32, BF16 or I8", file_.path().string(),
                        printable_name(name), dtype_name(view(name).dtype));
    }
  }

  std::vector<float> floats(const std::string& name) const override {
    const TensorView& stored = view(name);
    std::vector<float> numbers(static_cast<size_t>(stored.elements()));
    switch (type(name)) {
      case WeightType::F32:
        std::memcpy(numbers.data(), stored.data.data(), stored.data.size());
        break;
      case WeightType::BF16:
        for (size_t i = 0; i < numbers.size(); ++i) {
          uint16_t narrow = 0;
          std::memcpy(&narrow, stored.data.data() + 2 * i, sizeof narrow);
          numbers[i] = from_bf16(narrow);
        }
        break;
      case WeightType::I8: {
        const std::vector<float> scales = floats(scale_name(name));
        const size_t columns = numbers.size() / scales.size();
        for (size_t i = 0; i < numbers.size(); ++i)
          numbers[i] = static_cast<float>(static_cast<int8_t>(stored.data[i])) * scales[i / columns];
        break;
      }
    }
    require_finite(file_.path(), prefix_ + name, DType::F32, std::as_bytes(std::span(numbers)));
    return numbers;
  }

  void pack(const std::string& name, PackedMatrix& matrix, int64_t first) const override {
    const TensorView& stored = view(name);
    if (type(name) == WeightType::I8 && matrix.type() == WeightType::I8) {
      const std::vector<float> scales = floats(scale_name(name));
      matrix.set_rows(first, {reinterpret_cast<const int8_t*>(stored.data.data()), stored.data.size()},
                      scales);
      return;
    }
    matrix.set_rows(first, floats(name));
  }

 private:
  const TensorView& view(const std::string& name) const { return file_.tensor(prefix_ + name); }

  const SafetensorsFile& file_;
  std::string prefix_;
};

class RandomSource : public TensorSource {
 public:
  RandomSource(const ModelConfig& config, WeightType type, uint64_t seed) : type_(type), seed_(seed) {
    for (const TensorSpec& tensor : tensor_list(config)) shapes_.emplace(tensor.name, tensor.shape);
  }

  bool contains(const std::string& name) const override { return shapes_.contains(name); }
  std::vector<int64_t> shape(const std::string& name) const override { return shapes_.at(name); }
  WeightType type(const std::string& /*name*/) const override { return type_; }

  std::vector<float> floats(const std::string& name) const override {
    const std::vector<int64_t>& shape = shapes_.at(name);
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    // Layer norms and temperatures are 1, matrices of the size that keeps activations in range.
    const bool ones = name.ends_with("norm.weight") || name.ends_with("layernorm_embedding.weight") ||
                      name.ends_with("tau") || name.ends_with("sigma");
    std::vector<float> numbers(static_cast<size_t>(count), 1.0F);
    if (ones) return numbers;
    const double range = shape.size() > 1 ? 1.0 / std::sqrt(static_cast<double>(shape.back())) : 0.02;
    Random random = Random::of(seed_, std::hash<std::string>{}(name));
    for (float& number : numbers) number = static_cast<float>((2.0 * random.uniform() - 1.0) * range);
    return numbers;
  }

  void pack(const std::string& name, PackedMatrix& matrix, int64_t first) const override {
    matrix.set_rows(first, floats(name));
  }

 private:
  WeightType type_;
  uint64_t seed_;
  std::map<std::string, std::vector<int64_t>> shapes_;
};

}  // namespace

std::unique_ptr<TensorSource> file_source(const SafetensorsFile& file, const std::string& prefix) {
  return std::make_unique<FileSource>(file, prefix);
}

std::unique_ptr<TensorSource> random_source(const ModelConfig& config, WeightType type, uint64_t seed) {
  return std::make_unique<RandomSource>(config, type, seed);
}

PackedMatrix Weights::matrix(std::span<const std::string> names) const {
  int64_t rows = 0;
  int64_t columns = 0;
  bool same_type = true;
  const WeightType type = source_.type(prefix_ + names.front());
  for (const std::string& name : names) {
    const std::vector<int64_t> size = shape(name);
    if (size.size() != 2 || (columns != 0 && size[1] != columns))
      throw std::logic_error("matrices that do not stack: " + prefix_ + name);
    rows += size[0];
    columns = size[1];
    same_type = same_type && source_.type(prefix_ + name) == type;
  }
  PackedMatrix packed(same_type ? type : WeightType::F32, rows, columns, source_.arena());
  int64_t first = 0;
  for (const std::string& name : names) {
    source_.pack(prefix_ + name, packed, first);
    first += shape(name)[0];
  }
  return packed;
}

}  // namespace memsizer::runtime
