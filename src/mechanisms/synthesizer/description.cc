#include "mechanisms/synthesizer/description.h"

#include "core/option_checks.h"
#include "mechanisms/parts.h"

namespace memsizer {
namespace {

class SynthesizerDescription : public MechanismDescription {
 public:
  SynthesizerDescription(std::string_view name, bool random)
      : traits_{.name = name,
                .encoder_self = true,
                .causal_self = true,
                .note = "its weights are made for one sequence of a preset length"},
        random_(random) {}

  const MechanismTraits& traits() const override { return traits_; }

  std::unique_ptr<OptionSection> options() const override {
    return std::make_unique<TypedOptionSection<SynthesizerOptions>>();
  }

  void validate(const MixerConfig& config) const override {
    require_range("model.synthesizer.max_length", config.options<SynthesizerOptions>().max_length, 1,
                  kMaxWidth);
  }

  void list_tensors(const MixerConfig& config, TensorCollector& to) const override {
    const int64_t length = config.options<SynthesizerOptions>().max_length;
    if (random_) {
      to.add("attention_weight", {config.heads * length, length});
    } else {
      to.linear("linear1", config.dim, config.dim);
      to.linear("linear2", config.heads * length, config.dim);
    }
    to.linear("linear_v", config.dim, config.dim);
    to.linear("linear_out", config.dim, config.dim);
  }

  std::vector<StateField> state(const MixerConfig& config) const override {
    if (config.position == Position::EncoderSelf) return {};
    return {token_field(config, "values")};
  }

 private:
  MechanismTraits traits_;
  bool random_;
};

}  // namespace

const MechanismDescription& synthesizer_random_description() {
  static const SynthesizerDescription description("synthesizer-random", /*random=*/true);
  return description;
}

const MechanismDescription& synthesizer_dense_description() {
  static const SynthesizerDescription description("synthesizer-dense", /*random=*/false);
  return description;
}

}  // namespace memsizer
