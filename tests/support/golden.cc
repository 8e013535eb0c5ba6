#include "support/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "core/error.h"
#include "nn/tensor_io.h"

namespace memsizer::testing {

namespace fs = std::filesystem;
using at::Tensor;

fs::path golden_directory() {
  const char* chosen = std::getenv("MEMSIZER_GOLDEN");
  return chosen && *chosen ? fs::path(chosen) : fs::path("tests/golden");
}

std::string Fixture::meta(const std::string& key) const {
  const auto found = file_.metadata().find(key);
  if (found == file_.metadata().end()) throw UserError("{} has no metadata '{}'", name(), key);
  return found->second;
}

std::vector<int64_t> Fixture::integers(const std::string& key) const {
  std::vector<int64_t> numbers;
  std::istringstream text(meta(key));
  for (std::string number; std::getline(text, number, ',');) numbers.push_back(std::stoll(number));
  return numbers;
}

Tensor Fixture::tensor(const std::string& name) const {
  return nn::to_tensor(file_.tensor(name));
}

std::vector<std::string> Fixture::names_under(const std::string& prefix) const {
  std::vector<std::string> names;
  for (const std::string& name : file_.names()) {
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
  return names;
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(golden_directory(), error)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string fixture_test_name(const fs::path& path) {
  std::string name = path.stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

double relative_error(const Tensor& actual, const Tensor& expected, double scale) {
  if (!actual.defined() || actual.sizes() != expected.sizes()) return std::numeric_limits<double>::infinity();
  if (expected.numel() == 0) return 0.0;
  const double error =
      (actual.detach().to(at::kDouble) - expected.to(at::kDouble)).abs().max().item<double>();
  return std::isfinite(error) ? error / std::max(scale, 1e-30) : std::numeric_limits<double>::infinity();
}

void expect_output(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what) {
  EXPECT_LE(relative_error(actual, expected, largest(expected)), tolerance) << what;
}

void expect_gradients(const Fixture& fixture, const std::function<Tensor(const std::string&)>& gradient_of) {
  constexpr double kTolerance = 5e-5;
  const std::vector<std::string> names = fixture.names_under("expect.grad.");
  ASSERT_FALSE(names.empty()) << "no gradients stored";
  double scale = 0.0;
  for (const std::string& name : names)
    scale = std::max(scale, largest(fixture.tensor("expect.grad." + name)));
  for (const std::string& name : names) {
    const Tensor expected = fixture.tensor("expect.grad." + name);
    Tensor actual = gradient_of(name);
    // A parameter that nothing reached has no gradient; the reference stores zeros.
    if (!actual.defined()) actual = at::zeros_like(expected);
    EXPECT_LE(relative_error(actual, expected, scale), kTolerance) << "gradient of " << name;
  }
}

}  // namespace memsizer::testing
