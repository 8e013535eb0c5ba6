#include "mechanisms/parts.h"

#include <fmt/format.h>

#include "core/option_checks.h"

namespace memsizer {

void list_attention_projections(const MixerConfig& config, TensorCollector& to, bool input_biases) {
  const bool cross = config.position == Position::Cross;
  to.linear("q_proj", config.dim, config.dim, {.bias = input_biases});
  to.linear("k_proj", config.dim, config.dim, {.bias = input_biases, .reads_source = cross});
  to.linear("v_proj", config.dim, config.dim, {.bias = input_biases, .reads_source = cross});
  to.linear("out_proj", config.dim, config.dim);
}

std::vector<StateField> kernel_state(const MixerConfig& config, int64_t features) {
  if (config.position == Position::EncoderSelf) return {};
  return {{.name = "memory", .shape = {config.heads, features, config.head_dim()}},
          {.name = "normaliser", .shape = {config.heads, features}}};
}

StateField token_field(const MixerConfig& config, const std::string& name) {
  return {.name = name,
          .shape = {config.heads, config.head_dim()},
          .growth = config.position == Position::Cross ? Growth::PerSourceToken : Growth::PerTargetToken};
}

void require_convolution(std::string_view option, int64_t taps) {
  constexpr int64_t kMostTaps = 64;
  require_range(option, taps, 0, kMostTaps);
}

void list_convolution(const MixerConfig& config, int64_t taps, TensorCollector& to) {
  // Small, and what it mixes is used again in every later step, so it keeps its precision.
  if (taps > 0) to.add("convolution.weight", {config.dim, taps});
}

StateField convolution_field(const MixerConfig& config, int64_t taps) {
  return {.name = "inputs", .shape = {taps - 1, config.dim}};
}

StateField count_field() {
  return {.name = "count", .shape = {}, .type = DType::I64};
}

std::string width_option(const MixerConfig& config, std::string_view section, std::string_view width) {
  return fmt::format("model.{}.{}_{}", section, position_key(config.position), width);
}

}  // namespace memsizer
