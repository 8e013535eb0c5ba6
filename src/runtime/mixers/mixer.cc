#include "runtime/mixers/mixer.h"

#include <stdexcept>

#include "runtime/mixers/kernel_mixer.h"
#include "runtime/mixers/linformer.h"
#include "runtime/mixers/memsizer.h"
#include "runtime/mixers/softmax.h"
#include "runtime/mixers/ssru.h"
#include "runtime/mixers/synthesizer.h"

namespace memsizer::runtime {
namespace {

// The table of mechanisms (core/mechanisms.h) keeps configurations from getting here.
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
  switch (config.mechanism) {
    case Mechanism::Memsizer:
      return std::make_unique<MemsizerMixer>(config, weights);
    case Mechanism::Softmax:
      return std::make_unique<SoftmaxMixer>(config, weights);
    case Mechanism::Elu:
    case Mechanism::Rfa:
    case Mechanism::T2r:
    case Mechanism::Performer:
      return std::make_unique<KernelMixer>(config, weights);
    case Mechanism::Linformer:
      return std::make_unique<LinformerMixer>(config, weights);
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return std::make_unique<SynthesizerMixer>(config, weights);
    case Mechanism::Ssru:
      return std::make_unique<SsruMixer>(config, weights);
  }
  throw std::logic_error("mechanism without a mixer");
}

}  // namespace memsizer::runtime
