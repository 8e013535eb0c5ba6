#include "model/model_config.h"

#include <array>

#include "core/option_checks.h"
#include "model/tensor_list.h"

namespace memsizer {
namespace {

constexpr int64_t kMaxLayers = 1 << 12;
constexpr int64_t kMaxVocab = int64_t{1} << 31;
constexpr size_t kMaxCutoffs = 64;
// 4 TB in fp32. Counts and bytes of what is below it fit 64 bits with room to spare.
constexpr double kMaxNumbers = 0x1p40;

void validate_embedding(const ModelConfig& config) {
  require_range("model.embedding.max_positions", config.embedding.max_positions, 1, kMaxVocab);
  if (config.has_encoder() && config.embedding.tie == Tying::All &&
      config.source_vocab_size() != config.vocab) {
    throw UserError(
        "model.embedding.tie=all needs one joint vocabulary, but model.source_vocab is {} and model.vocab {}",
        config.source_vocab, config.vocab);
  }
  if (config.embedding.positions == PositionTable::Sinusoidal && config.dim < 4) {
    throw UserError("model.dim is {}; sinusoidal positions need at least 4", config.dim);
  }
}

void validate_adaptive(const ModelConfig& config) {
  const AdaptiveConfig& adaptive = config.adaptive;
  if (!adaptive.enabled()) return;
  if (config.has_encoder()) throw UserError("model.adaptive.cutoffs needs model.architecture=language-model");
  require_range("model.adaptive.factor", adaptive.factor, 1, kMaxWidth);
  require_probability("model.adaptive.dropout", adaptive.dropout);
  if (adaptive.cutoffs.size() > kMaxCutoffs) {
    throw UserError("model.adaptive.cutoffs holds {} numbers; it must hold at most {}",
                    adaptive.cutoffs.size(), kMaxCutoffs);
  }
  int64_t previous = kUnk;
  int64_t width = config.dim;
  for (const int64_t cutoff : adaptive.cutoffs) {
    if (cutoff <= previous || cutoff >= config.vocab) {
      throw UserError(
          "model.adaptive.cutoffs holds {}; cutoffs must rise, from above {} to below model.vocab ({})",
          cutoff, kUnk, config.vocab);
    }
    previous = cutoff;
    width /= adaptive.factor;
  }
  if (width < 1) {
    throw UserError(
        "model.adaptive: {} cutoffs with factor {} leave no width of model.dim {}; use fewer or a smaller "
        "factor",
        adaptive.cutoffs.size(), adaptive.factor, config.dim);
  }
  if (adaptive.tie_projections && !adaptive.tie_weights) {
    throw UserError("model.adaptive.tie_projections needs model.adaptive.tie_weights");
  }
}

}  // namespace

#define MEMSIZER_ENUM_NAMES(Enum, ...)                                                           \
  template <>                                                                                    \
  std::span<const std::pair<Enum, std::string_view>> enum_names<Enum>() {                        \
    static constexpr auto names = std::to_array<std::pair<Enum, std::string_view>>(__VA_ARGS__); \
    return names;                                                                                \
  }
MEMSIZER_ENUM_NAMES(Architecture, {{Architecture::EncoderDecoder, "encoder-decoder"},
                                   {Architecture::LanguageModel, "language-model"}})
MEMSIZER_ENUM_NAMES(Activation, {{Activation::Relu, "relu"}, {Activation::Gelu, "gelu"}})
MEMSIZER_ENUM_NAMES(PositionTable,
                    {{PositionTable::Sinusoidal, "sinusoidal"}, {PositionTable::Learned, "learned"}})
MEMSIZER_ENUM_NAMES(Tying, {{Tying::All, "all"}, {Tying::Decoder, "decoder"}, {Tying::None, "none"}})
#undef MEMSIZER_ENUM_NAMES

void ModelConfig::validate_mixers(Position position, int64_t layers) const {
  // A list repeats, so that its own length would do; several lists repeat together.
  for (int64_t layer = 0; layer < layers; ++layer) mixer_config(*this, position, layer).validate();
}

void ModelConfig::validate() const {
  require_range("model.dim", dim, 1, kMaxWidth);
  require_range("model.vocab", vocab, kUnk + 1, kMaxVocab);
  require_range("model.source_vocab", source_vocab, 0, kMaxVocab);
  if (has_encoder()) {
    require_range("model.source_vocab", source_vocab_size(), kUnk + 1, kMaxVocab);
    require_range("model.encoder.layers", encoder.layers, 1, kMaxLayers);
    require_range("model.encoder.ffn", encoder.ffn, 1, kMaxWidth);
    require_probability("model.encoder.layer_drop", encoder.layer_drop);
  }
  require_range("model.decoder.layers", decoder.layers, 1, kMaxLayers);
  require_range("model.decoder.ffn", decoder.ffn, 1, kMaxWidth);
  require_probability("model.decoder.layer_drop", decoder.layer_drop);
  if (has_encoder()) {
    validate_mixers(Position::EncoderSelf, encoder.layers);
    validate_mixers(Position::Cross, decoder.layers);
  }
  validate_mixers(Position::CausalSelf, decoder.layers);
  require_probability("model.dropout", dropout);
  require_probability("model.activation_dropout", activation_dropout);
  validate_embedding(*this);
  validate_adaptive(*this);
  const double numbers = count_numbers(*this);
  if (numbers > kMaxNumbers) {
    throw UserError(
        "the model would have {:.2g} weights; at most {:.2g} are possible: make model.dim ({}), model.vocab "
        "({}), layers, heads or slots smaller",
        numbers, kMaxNumbers, dim, vocab);
  }
}

MixerConfig mixer_config(const ModelConfig& model, Position position, int64_t layer) {
  const PerLayer<Mechanism>& mechanism = position == Position::EncoderSelf  ? model.encoder.self
                                         : position == Position::CausalSelf ? model.decoder.self
                                                                            : model.decoder.cross;
  return {.mechanism = mechanism.at(layer),
          .position = position,
          .layer = layer,
          .dim = model.dim,
          .heads = position == Position::EncoderSelf ? model.encoder.heads : model.decoder.heads,
          .attention_dropout = model.attention_dropout,
          .mechanism_options = model.mechanism_options};
}

}  // namespace memsizer
