#include "model/tensor_check.h"

#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <map>

#include "core/error.h"
#include "core/weight_rounding.h"
#include "model/shortlist.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

struct Expected {
  DType dtype;
  std::vector<int64_t> shape;
};

template <typename... Args>
[[noreturn]] void fail(const SafetensorsFile& file, fmt::format_string<Args...> format, Args&&... args) {
  throw UserError("'{}' does not fit its configuration: {}; export or copy the model again",
                  file.path().string(), fmt::format(format, std::forward<Args>(args)...));
}

std::map<std::string, Expected> expected_tensors(const ModelDescription& description) {
  std::map<std::string, Expected> expected;
  for (TensorSpec& spec : tensor_list(description.config)) {
    const DType dtype = stored_type(spec, description.weights);
    if (dtype == DType::I8) expected[scale_name(spec.name)] = {DType::F32, {spec.shape.at(0)}};
    expected[spec.name] = {dtype, std::move(spec.shape)};
  }
  return expected;
}

void check_tensor(const SafetensorsFile& file, const std::string& name, const Expected& expected) {
  if (!file.contains(name)) {
    fail(file, "found no tensor {}, expected {} [{}]", name, dtype_name(expected.dtype),
         fmt::join(expected.shape, ", "));
  }
  const TensorView& view = file.tensor(name);
  if (view.dtype == expected.dtype && view.shape == expected.shape) return;
  fail(file, "tensor {} is {} [{}], expected {} [{}]", name, dtype_name(view.dtype),
       fmt::join(view.shape, ", "), dtype_name(expected.dtype), fmt::join(expected.shape, ", "));
}

void check_scales(const SafetensorsFile& file, const std::string& name) {
  const std::span<const std::byte> data = file.tensor(name).data;
  for (size_t row = 0; row < data.size() / sizeof(float); ++row) {
    float scale = 0.0F;
    std::memcpy(&scale, data.data() + row * sizeof(scale), sizeof(scale));
    if (std::isfinite(scale) && scale >= 0.0F) continue;
    fail(file, "tensor {} holds {} for row {}, expected a finite number of at least 0", name, scale, row);
  }
}

void check_tokenizer(const SafetensorsFile& file, const std::string& name) {
  const TensorView& view = file.tensor(name);
  if (view.dtype == DType::U8 && view.shape.size() == 1) return;
  fail(file, "tensor {} is {} [{}], expected U8 of one dimension", name, dtype_name(view.dtype),
       fmt::join(view.shape, ", "));
}

}  // namespace

void check_tensors(const SafetensorsFile& file, const ModelDescription& description) {
  const ModelConfig& config = description.config;
  // Before listing them: a few bytes of configuration can ask for more layers than there is memory.
  const int64_t layers = config.decoder.layers + (config.has_encoder() ? config.encoder.layers : 0);
  if (layers > static_cast<int64_t>(file.names().size())) {
    fail(file, "found {} tensors, expected those of {} layers", file.names().size(), layers);
  }
  const std::map<std::string, Expected> expected = expected_tensors(description);
  for (const auto& [name, tensor] : expected) check_tensor(file, name, tensor);
  for (const std::string& name : file.names()) {
    if (is_tokenizer_tensor(name)) {
      check_tokenizer(file, name);
    } else if (description.shortlist && is_shortlist_tensor(name)) {
      // Its contents were checked when the description was read.
    } else if (!expected.contains(name)) {
      fail(file, "found the tensor '{}', which is none of its {}", printable_name(name), expected.size());
    } else if (file.tensor(name).dtype == DType::I8) {
      check_scales(file, scale_name(name));
    }
  }
}

}  // namespace memsizer
