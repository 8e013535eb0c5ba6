#pragma once

#include "mechanisms/description.h"

// Performer (FAVOR+): linear attention with positive random features of softmax's kernel, x' = x / h^(1/4)
// for a head of h channels, omega the random projections:
//
//   favor            phi(x) = exp(+-omega x' - |x'|^2 / 2) / sqrt(features)       streams; the default
//   softmax-kernel   phi(x) = (exp(omega x' - |x'|^2 / 2 - max) + 1e-4) / sqrt(features)
//   prf              phi(x) = 0.01 exp(omega x' - |x'|^2 / 2 - max)               the T2R repository's
//
// The maximum of the keys' softmax-kernel runs over the whole sequence, so that form cannot stream.
namespace memsizer {

enum class PerformerForm { Favor, SoftmaxKernel, Prf };

template <>
std::span<const std::pair<PerformerForm, std::string_view>> enum_names<PerformerForm>();

struct PerformerOptions {
  static constexpr std::string_view kSection = "performer";

  PerformerForm form = PerformerForm::Favor;
  Widths features{.causal = 32, .cross = 32, .encoder = 32};
  bool bias = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form,
          "favor streams; softmax-kernel is the stabilised original; prf is the T2R repository's");
    visit("causal_features", self.features.causal, "random features in causal self-attention");
    visit("cross_features", self.features.cross, "random features in cross-attention");
    visit("encoder_features", self.features.encoder, "random features in the encoder");
    visit("bias", self.bias, "biases on q, k and v in form softmax-kernel; the other forms always have them");
  }
};

}  // namespace memsizer
