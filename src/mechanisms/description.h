#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/option_sections.h"
#include "core/state_field.h"
#include "core/tensor_spec.h"
#include "mechanisms/position.h"

// A mechanism ("mixer") mixes information along a sequence, in the place of attention. Each has a folder here
// with three parts: its description (this header; no LibTorch), its module for training (nn/mixer.h), and its
// step for generation (runtime/mixer.h). Everything else that speaks of mechanisms is derived from the
// descriptions: model files, parameter counts, state sizes, quantization, comparisons, tables, generic tests.

namespace memsizer {

struct MixerConfig;

// One row of the paper's appendix table, with the positions added.
struct MechanismTraits {
  std::string_view name;
  bool encoder_self = false;
  bool causal_self = false;
  bool cross = false;
  bool linear = false;           // time linear in the sequence lengths
  bool recurrent = false;        // generates with a state of constant size
  bool length_agnostic = false;  // no maximum length is built into the parameters
  bool splits_width = true;      // cuts the model's width into heads, which must divide it
  bool in_paper_tables = false;  // compared in the paper's main tables, and by default here
  bool preset = false;           // another mechanism with other defaults
  bool baseline = false;         // the one that the others are compared with, usable in every position
  std::string_view note = "";    // why a position or property is missing

  bool supports(Position position) const;
};

// The one source of what a mechanism is.
class MechanismDescription {
 public:
  virtual ~MechanismDescription() = default;

  virtual const MechanismTraits& traits() const = 0;

  // Its section of a model's options with their defaults; null if it has none.
  virtual std::unique_ptr<OptionSection> options() const { return nullptr; }

  // Throws UserError naming the first of its own options that does not fit, what was found and what is
  // allowed.
  virtual void validate(const MixerConfig& /*config*/) const {}

  // The longest sequence that its parameters allow; 0 is no bound.
  virtual int64_t longest_sequence(const MixerConfig& /*config*/) const { return 0; }

  // Every tensor it has, in a fixed order.
  virtual void list_tensors(const MixerConfig& config, TensorCollector& to) const = 0;

  // What it keeps of a sequence to generate from, in a fixed order; none for the encoder.
  virtual std::vector<StateField> state(const MixerConfig& config) const = 0;
};

// A mechanism that is registered: a name in files and options, its description in the program.
class Mechanism {
 public:
  explicit Mechanism(const MechanismDescription& description) : description_(&description) {}

  std::string_view name() const { return description_->traits().name; }
  const MechanismTraits& traits() const { return description_->traits(); }
  const MechanismDescription* operator->() const { return description_; }

  bool operator==(const Mechanism&) const = default;

 private:
  const MechanismDescription* description_;
};

// Every mechanism's options with their defaults (registry.cc).
OptionSections mechanism_options();

// What one mixer needs to know, cut out of a model's configuration.
struct MixerConfig {
  Mechanism mechanism;
  Position position = Position::CausalSelf;
  int64_t layer = 0;  // of its stack: options may differ from layer to layer
  int64_t dim = 0;
  int64_t heads = 0;
  double attention_dropout = 0.0;
  OptionSections mechanism_options = memsizer::mechanism_options();

  int64_t head_dim() const { return dim / heads; }

  template <typename Options>
  Options& options() {
    return mechanism_options.get<Options>();
  }
  template <typename Options>
  const Options& options() const {
    return mechanism_options.get<Options>();
  }
  // A width of this position and layer.
  int64_t width(const Widths& widths) const { return widths.at(position, layer); }

  // As ModelConfig::validate, for one mixer used on its own.
  void validate() const;

  std::vector<StateField> state() const { return mechanism->state(*this); }
};

// The tensors of one mixer alone, names without a prefix.
std::vector<TensorSpec> mixer_tensor_list(const MixerConfig& config);

}  // namespace memsizer
