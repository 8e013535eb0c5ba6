#include "nn/mixers/elu.h"

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

}  // namespace memsizer::nn
