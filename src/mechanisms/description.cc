#include "mechanisms/description.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/option_checks.h"
#include "mechanisms/registry.h"

namespace memsizer {

bool MechanismTraits::supports(Position position) const {
  switch (position) {
    case Position::EncoderSelf:
      return encoder_self;
    case Position::CausalSelf:
      return causal_self;
    case Position::Cross:
      return cross;
  }
  throw std::logic_error("unknown position");
}

void MixerConfig::validate() const {
  require_position(mechanism, position);
  require_range("model.dim", dim, 1, kMaxWidth);
  const std::string option =
      fmt::format("model.{}.heads", position == Position::EncoderSelf ? "encoder" : "decoder");
  require_range(option, heads, 1, kMaxWidth);
  if (mechanism.traits().splits_width && dim % heads != 0)
    throw UserError("{} is {}; it must divide model.dim ({})", option, heads, dim);
  require_probability("model.attention_dropout", attention_dropout);
  mechanism->validate(*this);
}

std::vector<TensorSpec> mixer_tensor_list(const MixerConfig& config) {
  config.validate();
  std::vector<TensorSpec> tensors;
  TensorCollector collector(tensors, "", std::string(config.mechanism.name()));
  config.mechanism->list_tensors(config, collector);
  return tensors;
}

}  // namespace memsizer
