#include "train/device.h"

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace memsizer::train {
namespace {

at::Device device_named(const std::string& name) {
  if (name == "cpu") return at::kCPU;
  const bool cuda = name == "cuda" || (name.starts_with("cuda:") && name.size() > 5 && name.size() < 9 &&
                                       std::all_of(name.begin() + 5, name.end(),
                                                   [](unsigned char c) { return std::isdigit(c) != 0; }));
  if (!cuda) throw UserError("training.device is '{}'; it must be cpu or cuda:N", name);
  const auto index = name == "cuda" ? 0 : std::stoi(name.substr(5));
  const auto devices = static_cast<int>(torch::cuda::device_count());
  if (index >= devices) {
    throw UserError(
        "training.device is {}, but LibTorch sees {} CUDA devices here; use cpu or a lower number", name,
        devices);
  }
  return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

}  // namespace

at::Device training_device(const TrainingOptions& options) {
  const at::Device device = device_named(options.device);
  if (options.precision != Precision::Fp32 && device.is_cpu())
    throw UserError("training.precision is half, which needs a CUDA device; on the CPU use fp32");
  return device;
}

}  // namespace memsizer::train
