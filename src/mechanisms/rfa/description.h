#pragma once

#include "mechanisms/description.h"

// Random feature attention: linear attention whose feature map is a fixed random projection W of each head's
// unit vector, scaled per channel by sigma and by a temperature tau:
//
//   phi(x) = c [sin(W' x'), cos(W' x')],   W' = sigma W / tau,   x' = x / (|x| + 1e-3)
//   out_t  = phi(q_t) . sum of phi(k_s) (x) v_s / guard(phi(q_t) . sum of phi(k_s))
//
// Two released versions differ in c, temperature and guard; `form` picks one. `features` counts the rows of
// W; the state holds twice as many, sines and cosines.
namespace memsizer {

enum class RfaForm { Authors, T2r };
enum class RfaRule { Recurrent, Masked };

template <>
std::span<const std::pair<RfaForm, std::string_view>> enum_names<RfaForm>();
template <>
std::span<const std::pair<RfaRule, std::string_view>> enum_names<RfaRule>();

struct RfaOptions {
  static constexpr std::string_view kSection = "rfa";

  RfaForm form = RfaForm::Authors;
  Widths features;
  double tau = 1.0;
  bool learned_tau = false;
  bool sigma = true;
  bool gate = false;
  RfaRule rule = RfaRule::Recurrent;
  bool redraw = true;
  double init_scale = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form, "the RFA authors' formulas, or those of the T2R repository");
    visit("causal_features", self.features.causal,
          "random projections in causal self-attention (features: twice)");
    visit("cross_features", self.features.cross, "random projections in cross-attention");
    visit("encoder_features", self.features.encoder, "random projections in the encoder");
    visit("tau", self.tau, "temperature of the kernel");
    visit("learned_tau", self.learned_tau, "a trained temperature for each head (form t2r)");
    visit("sigma", self.sigma, "a trained scale for each channel of the random projections");
    visit("gate", self.gate, "input gate on the keys of causal self-attention (form t2r)");
    visit("rule", self.rule, "denominator of the recurrence, or of the authors' masked training path");
    visit("redraw", self.redraw, "fresh random projections in every training pass");
    visit("init_scale", self.init_scale, "form t2r starts at Xavier's range divided by the root of this");
  }
};

}  // namespace memsizer
