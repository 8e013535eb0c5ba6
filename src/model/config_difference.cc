#include "model/config_difference.h"

namespace memsizer {

std::optional<ConfigDifference> first_difference(ModelConfig theirs, ModelConfig ours) {
  const std::vector<OptionRef> stored = collect_options(theirs, "model");
  for (const OptionRef& option : collect_options(ours, "model")) {
    const nlohmann::json found = find_option(stored, option.path)->get();
    if (found != option.get()) return ConfigDifference{option.path, found.dump(), option.get().dump()};
  }
  return std::nullopt;
}

std::optional<ConfigDifference> architecture_difference(ModelConfig theirs, const ModelConfig& ours) {
  theirs.dropout = ours.dropout;
  theirs.attention_dropout = ours.attention_dropout;
  theirs.activation_dropout = ours.activation_dropout;
  theirs.encoder.heads = ours.encoder.heads;
  theirs.encoder.self = ours.encoder.self;
  theirs.encoder.layer_drop = ours.encoder.layer_drop;
  theirs.decoder.heads = ours.decoder.heads;
  theirs.decoder.self = ours.decoder.self;
  theirs.decoder.cross = ours.decoder.cross;
  theirs.decoder.layer_drop = ours.decoder.layer_drop;
  theirs.adaptive.reference_loss = ours.adaptive.reference_loss;
  theirs.adaptive.dropout = ours.adaptive.dropout;
  theirs.mechanism_options = ours.mechanism_options;
  // A language model has no encoder, and computed positions have no longest one.
  if (!ours.has_encoder()) theirs.encoder = ours.encoder;
  if (ours.embedding.positions == PositionTable::Sinusoidal)
    theirs.embedding.max_positions = ours.embedding.max_positions;
  return first_difference(std::move(theirs), ours);
}

}  // namespace memsizer
