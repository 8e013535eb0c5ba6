#pragma once

#include <string>
#include <vector>

#include "mechanisms/description.h"

// What the descriptions of several mechanisms have in common.
namespace memsizer {

// The four projections of multi-head attention; those of keys and values read the source in cross-attention.
void list_attention_projections(const MixerConfig& config, TensorCollector& to, bool input_biases = true);

// Linear attention through a feature map keeps, for each head, the sum of outer products of features and
// values, and the sum of features that normalises them.
std::vector<StateField> kernel_state(const MixerConfig& config, int64_t features);

// [heads, head_dim] numbers per token of the target (causal) or of the source (cross).
StateField token_field(const MixerConfig& config, const std::string& name);

// A short convolution over the last `taps` inputs of a causal mixer (nn/causal_convolution.h); 0 is none.
void require_convolution(std::string_view option, int64_t taps);
void list_convolution(const MixerConfig& config, int64_t taps, TensorCollector& to);
// The ring of inputs that it keeps: token t is in row t modulo its length. It has one from two taps on.
StateField convolution_field(const MixerConfig& config, int64_t taps);

// How many tokens were read.
StateField count_field();

// "model.rfa.causal_features": the option of a width at the mixer's position.
std::string width_option(const MixerConfig& config, std::string_view section, std::string_view width);

}  // namespace memsizer
