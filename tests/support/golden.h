#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/safetensors.h"

namespace memsizer::testing {

// The fixture directory: $MEMSIZER_GOLDEN, or tests/golden.
std::filesystem::path golden_directory();

// One fixture: numbers that a reference implementation produced (tests/golden/README.md).
class Fixture {
 public:
  explicit Fixture(const std::filesystem::path& path) : file_(SafetensorsFile::open(path)) {}

  const SafetensorsFile& file() const { return file_; }
  std::string name() const { return file_.path().stem().string(); }
  std::string variant() const { return meta("variant"); }

  bool has_meta(const std::string& key) const { return file_.metadata().contains(key); }
  std::string meta(const std::string& key) const;
  int64_t integer(const std::string& key) const { return std::stoll(meta(key)); }
  std::vector<int64_t> integers(const std::string& key) const;  // "20,60"

  bool has(const std::string& name) const { return file_.contains(name); }
  at::Tensor tensor(const std::string& name) const;

  // Names after `prefix` of all tensors that start with it.
  std::vector<std::string> names_under(const std::string& prefix) const;

 private:
  SafetensorsFile file_;
};

// All fixtures in the directory, sorted by name.
std::vector<std::filesystem::path> golden_files();

// The file name, for gtest's parameter names.
std::string fixture_test_name(const std::filesystem::path& path);

// The largest |actual - expected| as a fraction of `scale`; infinity where shapes differ or a number is NaN.
double relative_error(const at::Tensor& actual, const at::Tensor& expected, double scale);

inline double largest(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0.0 : tensor.abs().max().item<double>();
}

// Expects the outputs to agree to `tolerance` of the largest expected number.
void expect_output(const at::Tensor& actual, const at::Tensor& expected, double tolerance,
                   const std::string& what);

// Expects every "expect.grad.<name>" to agree, to 5e-5 of the largest gradient in the file. Every stored
// gradient is checked; `gradient_of` returns the gradient for a name.
void expect_gradients(const Fixture& fixture,
                      const std::function<at::Tensor(const std::string&)>& gradient_of);

}  // namespace memsizer::testing
