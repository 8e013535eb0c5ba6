#include "nn/modules.h"

namespace memsizer::nn {
namespace {

constexpr double kLayerNormEpsilon = 1e-5;

}  // namespace

LinearImpl::LinearImpl(int64_t in, int64_t out, bool with_bias) {
  weight = register_parameter("weight", at::empty({out, in}));
  if (with_bias) bias = register_parameter("bias", at::empty({out}));
}

LayerNormImpl::LayerNormImpl(int64_t width, bool affine) : width_(width) {
  if (!affine) return;
  weight = register_parameter("weight", at::empty({width}));
  bias = register_parameter("bias", at::empty({width}));
}

at::Tensor LayerNormImpl::forward(const at::Tensor& x) const {
  return at::layer_norm(x, {width_}, weight, bias, kLayerNormEpsilon, /*cudnn_enable=*/false);
}

}  // namespace memsizer::nn
