#include "runtime/mixer.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/registry.h"

namespace memsizer::runtime {

#define MEMSIZER_MECHANISM(name) \
  std::unique_ptr<Mixer> make_##name##_step(const MixerConfig& config, const Weights& weights);
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM

namespace {

struct Step {
  std::string name;
  MakeStep make;
};

// In the order of mechanisms().
std::vector<Step>& steps() {
  static std::vector<Step> all = [] {
    constexpr MakeStep listed[] = {
#define MEMSIZER_MECHANISM(name) make_##name##_step,
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM
    };
    std::vector<Step> built_in;
    for (size_t i = 0; i < std::size(listed); ++i)
      built_in.push_back({std::string(mechanisms()[i].name()), listed[i]});
    return built_in;
  }();
  return all;
}

// Their traits keep configurations from getting here.
[[noreturn]] void refuse(const char* form) {
  throw std::logic_error(std::string("this mechanism has no form for ") + form);
}

}  // namespace

void Mixer::encode(Work& /*work*/, const Ragged& /*sequences*/, ConstRows /*x*/, Rows /*out*/) const {
  refuse("encoder self-attention");
}

void Mixer::advance(Work& /*work*/, const Ragged& /*rows*/, ConstRows /*x*/, const RowStates& /*states*/,
                    Rows /*out*/) const {
  refuse("causal self-attention");
}

void Mixer::read(Work& /*work*/, const Ragged& /*sources*/, ConstRows /*x*/,
                 std::span<const SourceState> /*states*/) const {
  refuse("cross-attention");
}

void Mixer::attend(Work& /*work*/, const Ragged& /*rows*/, ConstRows /*x*/,
                   std::span<const ConstSourceState> /*source_of_row*/, Rows /*out*/) const {
  refuse("cross-attention");
}

std::unique_ptr<Mixer> make_mixer(const MixerConfig& config, const Weights& weights) {
  for (const Step& step : steps()) {
    if (step.name == config.mechanism.name()) return step.make(config, weights);
  }
  throw std::logic_error("mechanism without a step: " + std::string(config.mechanism.name()));
}

void add_step(std::string_view mechanism, MakeStep make) {
  steps().push_back({std::string(mechanism), make});
}

}  // namespace memsizer::runtime
