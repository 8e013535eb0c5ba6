#pragma once

#include "mechanisms/description.h"

// A mechanism for tests alone: a causal running mean with a learnt gate, over inputs that a short convolution
// mixed with the ones before them. It has what no mechanism of the project has together: a field of several
// shapes, options of its own, a matrix that stays in float, and state of the inputs themselves.
//
//   y_t = x_t + sum over i < width of c_i o x_{t-i}          c: [width, dim], a depthwise convolution
//   g_t = sigmoid(W_g y_t + b),   m_t = m_{t-1} + g_t o W_v y_t,   out_t = m_t / t^power
namespace memsizer {

struct RunningMeanOptions {
  static constexpr std::string_view kSection = "running-mean";

  PerLayer<int64_t> width = 2;
  bool bias = true;
  double power = 0.5;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("width", self.width, "inputs that the convolution sees");
    visit("bias", self.bias, "a bias on the gate");
    visit("power", self.power, "the sum is divided by the number of tokens to this power");
  }
};

}  // namespace memsizer
