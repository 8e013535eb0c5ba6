#include "mechanisms/elu/module.h"

namespace memsizer::nn {

void EluMixer::initialise(at::Generator& generator) {
  projections_.initialise(generator);
}

at::Tensor EluMixer::feature_map(const Pass& /*pass*/) const {
  return {};
}

at::Tensor EluMixer::features(const at::Tensor& x, Side /*side*/, const at::Tensor& /*map*/) const {
  return at::elu(x) + 1.0;
}

at::Tensor EluMixer::denominator(const at::Tensor& norm, const at::Tensor& /*query_features*/) const {
  return norm + 1e-6;
}

std::shared_ptr<Mixer> make_elu_module(const MixerConfig& config) {
  return std::make_shared<EluMixer>(config);
}

}  // namespace memsizer::nn
