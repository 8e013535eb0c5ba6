#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_config.h"

namespace memsizer {

// Slots or features k, in causal self-attention and in cross-attention.
struct SlotChoice {
  int64_t causal = 0;
  int64_t cross = 0;

  // "8" is both, "4/32" is causal and cross. Anything else is a UserError.
  static SlotChoice parse(std::string_view text);
  // As parse takes it.
  std::string text() const;
};

// One way to fill a decoder's attention, as comparisons and sweeps vary it: a mechanism and, where it has
// such a thing and one was asked for, its size, heads and keys.
struct Variant {
  std::string mechanism;
  std::optional<SlotChoice> slots;
  std::optional<int64_t> heads;
  std::string keys;   // where a mechanism has such an option; empty: the model's own
  bool own = false;   // the mechanism is the model's own, and all its places are left as they are
  std::string stack;  // "memsizer+softmax": what the layers of the model's own stack have, if they differ

  // Fit for a folder and a legend: "memsizer", "memsizer-k4-32-heads8-frozen".
  std::string name() const;
  // What makes a model of it, as options with values: "model.decoder.self=memsizer". A mechanism that cannot
  // cross leaves the baseline there.
  std::vector<std::string> settings(const ModelConfig& base) const;
  // The base with these settings, validated.
  ModelConfig applied_to(ModelConfig base) const;
};

// What is to be varied; an empty list leaves the model's own.
struct VariantLists {
  std::vector<std::string> mechanisms;
  std::vector<std::string> slots;
  std::vector<int64_t> heads;
  std::vector<std::string> keys;
};

// Each mechanism with each setting that it has. A name that is not known, or a mechanism that cannot stand in
// a decoder, is a UserError.
std::vector<Variant> variants_of(const VariantLists& lists);
// The same, without a mechanism for that of the model itself.
std::vector<Variant> variants_of(const VariantLists& lists, const ModelConfig& base);

// What the mechanism calls its k, "slots" or "features"; empty if it has none to choose. Its option at a
// position is "causal_slots".
std::string_view size_name(Mechanism mechanism);

// The k of a model's decoder as the paper's tables give it, "4/32" (causal and cross) or "32"; "" for
// mechanisms without one. Of a mixed stack: that of its first layer's mechanism.
std::string size_text(const ModelConfig& config);

// The heads of a model's decoder: the mechanism's own, or the layer's.
int64_t heads_of(const ModelConfig& config);

}  // namespace memsizer
