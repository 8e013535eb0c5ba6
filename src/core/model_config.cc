#include "core/model_config.h"

#include <array>
#include <cmath>
#include <stdexcept>

#include "core/tensor_list.h"

namespace memsizer {
namespace {

// Sizes past these are typing mistakes, and would overflow counts or memory long before they could be
// trained.
constexpr int64_t kMaxWidth = 1 << 20;
constexpr int64_t kMaxLayers = 1 << 12;
constexpr int64_t kMaxVocab = int64_t{1} << 31;
constexpr size_t kMaxCutoffs = 64;
// 4 TB in fp32. Counts and bytes of what is below it fit 64 bits with room to spare.
constexpr double kMaxNumbers = 0x1p40;

void require_range(std::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return;
  throw UserError("model.{} is {}; it must be from {} to {}", field, value, low, high);
}

void require_probability(std::string_view field, double value) {
  if (value >= 0.0 && value < 1.0) return;
  throw UserError("model.{} is {}; it must be at least 0 and below 1", field, value);
}

void require_positive(std::string_view field, double value) {
  if (std::isfinite(value) && value > 0.0) return;
  throw UserError("model.{} is {}; it must be a number above 0", field, value);
}

std::string_view width_key(Position position) {
  switch (position) {
    case Position::EncoderSelf:
      return "encoder";
    case Position::CausalSelf:
      return "causal";
    case Position::Cross:
      return "cross";
  }
  throw std::logic_error("unknown position");
}

void validate_memsizer(const MixerConfig& config) {
  const std::string slots = fmt::format("memsizer.{}_slots", width_key(config.position));
  // One slot is no memory: the layer norm of a single number is constant.
  require_range(slots, config.memsizer.slots.at(config.position), 2, kMaxWidth);
  require_range("memsizer.heads", config.memsizer.heads, 0, kMaxWidth);
  require_positive("memsizer.key_scale", config.memsizer.key_scale);
  require_positive("memsizer.value_scale", config.memsizer.value_scale);
}

void validate_rfa(const MixerConfig& config) {
  require_range(fmt::format("rfa.{}_features", width_key(config.position)),
                config.rfa.features.at(config.position), 1, kMaxWidth);
  require_positive("rfa.tau", config.rfa.tau);
  require_positive("rfa.init_scale", config.rfa.init_scale);
  if (config.rfa.form == RfaForm::Authors) {
    if (config.rfa.learned_tau) throw UserError("model.rfa.learned_tau needs model.rfa.form=t2r");
    if (config.rfa.gate) throw UserError("model.rfa.gate needs model.rfa.form=t2r");
    if (!config.rfa.sigma) throw UserError("model.rfa.sigma=false needs model.rfa.form=t2r");
  } else {
    if (config.rfa.rule == RfaRule::Masked)
      throw UserError("model.rfa.rule=masked needs model.rfa.form=authors");
    if (config.rfa.learned_tau && config.rfa.sigma) {
      throw UserError("model.rfa.learned_tau and model.rfa.sigma exclude each other; turn one of them off");
    }
  }
}

void validate_performer(const MixerConfig& config) {
  const int64_t features = config.performer.features.at(config.position);
  const std::string field = fmt::format("performer.{}_features", width_key(config.position));
  require_range(field, features, 1, kMaxWidth);
  if (config.performer.form == PerformerForm::Favor && features % 2 != 0) {
    throw UserError("model.{} is {}; form favor pairs its features, so it must be even", field, features);
  }
}

void validate_embedding(const ModelConfig& config) {
  require_range("embedding.max_positions", config.embedding.max_positions, 1, kMaxVocab);
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
  require_range("adaptive.factor", adaptive.factor, 1, kMaxWidth);
  require_probability("adaptive.dropout", adaptive.dropout);
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

template <>
std::span<const std::pair<Mechanism, std::string_view>> enum_names<Mechanism>() {
  static const std::vector<std::pair<Mechanism, std::string_view>> names = [] {
    std::vector<std::pair<Mechanism, std::string_view>> list;
    for (const MechanismTraits& row : mechanism_table()) list.emplace_back(row.mechanism, row.name);
    return list;
  }();
  return names;
}

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
MEMSIZER_ENUM_NAMES(MemsizerKeys, {{MemsizerKeys::Learned, "learned"},
                                   {MemsizerKeys::Frozen, "frozen"},
                                   {MemsizerKeys::Input, "input"}})
MEMSIZER_ENUM_NAMES(RfaForm, {{RfaForm::Authors, "authors"}, {RfaForm::T2r, "t2r"}})
MEMSIZER_ENUM_NAMES(RfaRule, {{RfaRule::Recurrent, "recurrent"}, {RfaRule::Masked, "masked"}})
MEMSIZER_ENUM_NAMES(PerformerForm, {{PerformerForm::Favor, "favor"},
                                    {PerformerForm::SoftmaxKernel, "softmax-kernel"},
                                    {PerformerForm::Prf, "prf"}})
MEMSIZER_ENUM_NAMES(LinformerForm, {{LinformerForm::Fairseq, "fairseq"}, {LinformerForm::Lucid, "lucid"}})
#undef MEMSIZER_ENUM_NAMES

int64_t Widths::at(Position position) const {
  switch (position) {
    case Position::EncoderSelf:
      return encoder;
    case Position::CausalSelf:
      return causal;
    case Position::Cross:
      return cross;
  }
  throw std::logic_error("unknown position");
}

void MixerConfig::validate() const {
  require_position(mechanism, position);
  require_range("dim", dim, 1, kMaxWidth);
  const std::string_view part = position == Position::EncoderSelf ? "encoder" : "decoder";
  require_range(fmt::format("{}.heads", part), heads, 1, kMaxWidth);
  // MemSizer's heads are sets of keys and SSRU has none: neither cuts the width into heads.
  const bool splits_width = mechanism != Mechanism::Memsizer && mechanism != Mechanism::Ssru;
  if (splits_width && dim % heads != 0) {
    throw UserError("model.{}.heads is {}; it must divide model.dim ({})", part, heads, dim);
  }
  require_probability("attention_dropout", attention_dropout);
  switch (mechanism) {
    case Mechanism::Memsizer:
      return validate_memsizer(*this);
    case Mechanism::Rfa:
      return validate_rfa(*this);
    case Mechanism::T2r:
      require_positive("t2r.init_scale", t2r.init_scale);
      return require_range(fmt::format("t2r.{}_features", width_key(position)), t2r.features.at(position), 1,
                           kMaxWidth);
    case Mechanism::Performer:
      return validate_performer(*this);
    case Mechanism::Linformer:
      require_range("linformer.max_length", linformer.max_length, 1, kMaxWidth);
      return require_range("linformer.slots", linformer.slots, 1, linformer.max_length);
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return require_range("synthesizer.max_length", synthesizer.max_length, 1, kMaxWidth);
    case Mechanism::Softmax:
    case Mechanism::Elu:
    case Mechanism::Ssru:
      return;
  }
}

void ModelConfig::validate() const {
  require_range("dim", dim, 1, kMaxWidth);
  require_range("vocab", vocab, kUnk + 1, kMaxVocab);
  require_range("source_vocab", source_vocab, 0, kMaxVocab);
  if (has_encoder()) {
    require_range("source_vocab", source_vocab_size(), kUnk + 1, kMaxVocab);
    require_range("encoder.layers", encoder.layers, 1, kMaxLayers);
    require_range("encoder.ffn", encoder.ffn, 1, kMaxWidth);
    require_probability("encoder.layer_drop", encoder.layer_drop);
    mixer_config(*this, Position::EncoderSelf).validate();
    mixer_config(*this, Position::Cross).validate();
  }
  require_range("decoder.layers", decoder.layers, 1, kMaxLayers);
  require_range("decoder.ffn", decoder.ffn, 1, kMaxWidth);
  require_probability("decoder.layer_drop", decoder.layer_drop);
  mixer_config(*this, Position::CausalSelf).validate();
  require_probability("dropout", dropout);
  require_probability("activation_dropout", activation_dropout);
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

MixerConfig mixer_config(const ModelConfig& model, Position position) {
  MixerConfig config;
  config.position = position;
  config.mechanism = position == Position::EncoderSelf  ? model.encoder.self
                     : position == Position::CausalSelf ? model.decoder.self
                                                        : model.decoder.cross;
  config.dim = model.dim;
  config.heads = position == Position::EncoderSelf ? model.encoder.heads : model.decoder.heads;
  config.attention_dropout = model.attention_dropout;
  config.memsizer = model.memsizer;
  config.rfa = model.rfa;
  config.t2r = model.t2r;
  config.performer = model.performer;
  config.linformer = model.linformer;
  config.synthesizer = model.synthesizer;
  return config;
}

}  // namespace memsizer
