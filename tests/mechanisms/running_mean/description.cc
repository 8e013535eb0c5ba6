#include "mechanisms/running_mean/description.h"

#include "core/option_checks.h"

namespace memsizer {
namespace {

class RunningMeanDescription : public MechanismDescription {
 public:
  const MechanismTraits& traits() const override {
    static constexpr MechanismTraits traits{.name = "running-mean",
                                            .causal_self = true,
                                            .linear = true,
                                            .recurrent = true,
                                            .length_agnostic = true,
                                            .splits_width = false,
                                            .note = "it is a test of causal mechanisms"};
    return traits;
  }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<RunningMeanOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    require_range("model.running-mean.width", config.options<RunningMeanOptions>().width.at(config.layer), 2,
                  8);
    require_positive("model.running-mean.power", config.options<RunningMeanOptions>().power);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const auto& options = config.options<RunningMeanOptions>();
    to.add("convolution", {options.width.at(config.layer), config.dim});
    to.linear("gate_proj", config.dim, config.dim, {.bias = options.bias});
    to.linear("value_proj", config.dim, config.dim, {.bias = false});
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    return {{.name = "sum", .shape = {config.dim}},
            {.name = "inputs",
             .shape = {config.options<RunningMeanOptions>().width.at(config.layer) - 1, config.dim}},
            {.name = "count", .shape = {}, .type = DType::I64}};
  }
};

}  // namespace

const MechanismDescription& running_mean_description() {
  static const RunningMeanDescription description;
  return description;
}

}  // namespace memsizer
