#pragma once

#include "mechanisms/description.h"

// T2R: linear attention whose feature map is trained, for each head:
//
//   phi(x) = relu(sigma W x / tau + b)
//   out_t  = phi(q_t) . sum of phi(k_s) (x) v_s / max(phi(q_t) . sum of phi(k_s), 0.01)
namespace memsizer {

struct T2rOptions {
  static constexpr std::string_view kSection = "t2r";

  Widths features;
  bool sigma = false;
  double init_scale = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_features", self.features.causal, "trained features in causal self-attention");
    visit("cross_features", self.features.cross, "trained features in cross-attention");
    visit("encoder_features", self.features.encoder, "trained features in the encoder");
    visit("sigma", self.sigma, "a trained scale for each channel of the feature map");
    visit("init_scale", self.init_scale, "projections start at Xavier's range divided by the root of this");
  }
};

}  // namespace memsizer
