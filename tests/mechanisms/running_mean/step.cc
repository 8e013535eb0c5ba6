#include <algorithm>
#include <cmath>

#include "mechanisms/running_mean/description.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {
namespace {

class RunningMeanMixer : public Mixer {
 public:
  RunningMeanMixer(const MixerConfig& config, const Weights& weights)
      : dim_(config.dim),
        width_(config.options<RunningMeanOptions>().width.at(config.layer)),
        power_(config.options<RunningMeanOptions>().power),
        convolution_(weights.floats("convolution")),
        gate_(weights, {"gate_proj"}),
        value_(weights, {"value_proj"}) {}

  void advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
               Rows out) const override {
    Scratch::Frame frame(work.scratch);
    const int64_t tokens = rows.tokens();
    float* mixed = frame.floats(tokens * dim_);
    float* gates = frame.floats(tokens * dim_);
    float* values = frame.floats(tokens * dim_);
    for (int64_t r = 0; r < rows.sequences(); ++r) {
      for (int64_t token = rows.begin(r); token < rows.end(r); ++token)
        mix_inputs(x.data + token * x.stride, states.row(r) + dim_, mixed + token * dim_);
    }
    gate_.apply(work, {mixed, dim_}, tokens, {gates, dim_}, Unary::Sigmoid);
    value_.apply(work, {mixed, dim_}, tokens, {values, dim_});
    for (int64_t r = 0; r < rows.sequences(); ++r) {
      float* sum = states.row(r);
      for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
        const auto count = static_cast<double>(states.seen[r] + token - rows.begin(r) + 1);
        const auto scale = static_cast<float>(std::pow(count, -power_));
        for (int64_t c = 0; c < dim_; ++c) {
          sum[c] += gates[token * dim_ + c] * values[token * dim_ + c];
          out.data[token * out.stride + c] = sum[c] * scale;
        }
      }
    }
  }

 private:
  // The convolution at one token; `inputs` [width - 1, dim] are the ones before it, oldest first.
  void mix_inputs(const float* x, float* inputs, float* out) const {
    const int64_t kept = width_ - 1;
    for (int64_t c = 0; c < dim_; ++c) {
      out[c] = x[c] + convolution_[c] * x[c];
      for (int64_t i = 1; i < width_; ++i)
        out[c] += convolution_[i * dim_ + c] * inputs[(kept - i) * dim_ + c];
    }
    std::copy(inputs + dim_, inputs + kept * dim_, inputs);
    std::copy_n(x, dim_, inputs + (kept - 1) * dim_);
  }

  int64_t dim_;
  int64_t width_;
  double power_;
  std::vector<float> convolution_;
  Linear gate_;
  Linear value_;
};

}  // namespace

std::unique_ptr<Mixer> make_running_mean_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<RunningMeanMixer>(config, weights);
}

}  // namespace memsizer::runtime
