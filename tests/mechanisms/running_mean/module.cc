#include "mechanisms/running_mean/description.h"
#include "nn/init.h"
#include "nn/mixer.h"
#include "nn/modules.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

class RunningMeanMixer : public Mixer {
 public:
  explicit RunningMeanMixer(const MixerConfig& config)
      : Mixer(config), width_(config.options<RunningMeanOptions>().width.at(config.layer)) {
    const auto& options = config.options<RunningMeanOptions>();
    convolution_ = register_parameter("convolution", at::empty({width_, config.dim}));
    gate_ = register_module("gate_proj", Linear(config.dim, config.dim, options.bias));
    value_ = register_module("value_proj", Linear(config.dim, config.dim, /*with_bias=*/false));
  }

  void initialise(at::Generator& generator) override {
    normal(convolution_, 0.3, generator);
    initialise_xavier_zero_bias(gate_, 1.0, generator);
    initialise_xavier_zero_bias(value_, 1.0, generator);
  }

 protected:
  Tensor mix_causal(const Tensor& x, const Tensor& padding, const Pass& /*pass*/) override {
    MixerState state = start(x.size(1));
    return advance_state(x, padding, state);
  }

  Tensor advance_state(const Tensor& x, const Tensor& padding, MixerState& state) override {
    const int64_t time = x.size(0);
    // Padding before the first token is no input; after the last token it reaches no output that counts.
    Tensor real = at::ones({time, x.size(1), 1}, x.options());
    if (padding.defined()) {
      const Tensor leading =
          (padding.logical_not().cumsum(1) == 0).logical_and((state["count"] == 0).unsqueeze(1));
      real = real.masked_fill(time_major_mask(leading), 0.0);
    }
    const Tensor inputs =
        at::cat({state["inputs"].transpose(0, 1), x * real});  // [width - 1 + time, batch, dim]
    Tensor y = x;
    for (int64_t i = 0; i < width_; ++i)
      y = y + inputs.slice(0, width_ - 1 - i, width_ - 1 - i + time) * convolution_[i];
    const Tensor written = gate_->forward(y).sigmoid() * value_->forward(y) * real;
    const Tensor sums = written.cumsum(0) + state["sum"];
    const Tensor counts = real.squeeze(2).cumsum(0) + state["count"].to(x.scalar_type());  // [time, batch]
    state["sum"] = sums[time - 1];
    state["inputs"] = inputs.slice(0, time).transpose(0, 1);
    state["count"] = counts[time - 1].to(at::kLong);
    const double power = config().options<RunningMeanOptions>().power;
    return sums / counts.clamp_min(1.0).pow(power).unsqueeze(2);
  }

 private:
  int64_t width_;
  Tensor convolution_;
  Linear gate_{nullptr};
  Linear value_{nullptr};
};

}  // namespace

std::shared_ptr<Mixer> make_running_mean_module(const MixerConfig& config) {
  return std::make_shared<RunningMeanMixer>(config);
}

}  // namespace memsizer::nn
