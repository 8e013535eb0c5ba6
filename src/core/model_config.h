#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/mechanisms.h"
#include "core/options.h"

namespace memsizer {

enum class Architecture { EncoderDecoder, LanguageModel };
enum class Activation { Relu, Gelu };
enum class PositionTable { Sinusoidal, Learned };
enum class Tying { All, Decoder, None };
enum class MemsizerKeys { Learned, Frozen, Input };
enum class RfaForm { Authors, T2r };
enum class RfaRule { Recurrent, Masked };
enum class PerformerForm { Favor, SoftmaxKernel, Prf };
enum class LinformerForm { Fairseq, Lucid };

// The names of each enum's values, as options and files spell them.
template <>
std::span<const std::pair<Mechanism, std::string_view>> enum_names<Mechanism>();
template <>
std::span<const std::pair<Architecture, std::string_view>> enum_names<Architecture>();
template <>
std::span<const std::pair<Activation, std::string_view>> enum_names<Activation>();
template <>
std::span<const std::pair<PositionTable, std::string_view>> enum_names<PositionTable>();
template <>
std::span<const std::pair<Tying, std::string_view>> enum_names<Tying>();
template <>
std::span<const std::pair<MemsizerKeys, std::string_view>> enum_names<MemsizerKeys>();
template <>
std::span<const std::pair<RfaForm, std::string_view>> enum_names<RfaForm>();
template <>
std::span<const std::pair<RfaRule, std::string_view>> enum_names<RfaRule>();
template <>
std::span<const std::pair<PerformerForm, std::string_view>> enum_names<PerformerForm>();
template <>
std::span<const std::pair<LinformerForm, std::string_view>> enum_names<LinformerForm>();

// A width for each of the three places a mixer can stand in.
struct Widths {
  int64_t causal = 4;
  int64_t cross = 32;
  int64_t encoder = 32;

  int64_t at(Position position) const;
};

struct MemsizerOptions {
  Widths slots;
  int64_t heads = 0;
  MemsizerKeys keys = MemsizerKeys::Learned;
  double key_scale = 8.0;
  double value_scale = 8.0;
  bool bias = true;
  bool affine_norms = true;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_slots", self.slots.causal, "memory slots k in causal self-attention");
    visit("cross_slots", self.slots.cross, "memory slots k in cross-attention");
    visit("encoder_slots", self.slots.encoder, "memory slots k in the encoder");
    visit("heads", self.heads, "heads r, each with keys of its own; 0 takes the layer's heads");
    visit("keys", self.keys, "learned, frozen at their initial value, or made from the input");
    visit("key_scale", self.key_scale, "keys start at Xavier's range divided by the root of this");
    visit("value_scale", self.value_scale,
          "value projections start at Xavier's range divided by the root of this");
    visit("bias", self.bias, "biases on the projections (the authors' code has them, the paper does not)");
    visit("affine_norms", self.affine_norms, "trained weight and bias in both layer norms");
  }
};

struct RfaOptions {
  RfaForm form = RfaForm::Authors;
  Widths features;
  double tau = 1.0;
  bool learned_tau = false;
  bool sigma = true;
  bool gate = false;
  RfaRule rule = RfaRule::Recurrent;
  bool redraw = true;
  double init_scale = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form, "the RFA authors' formulas, or those of the T2R repository");
    visit("causal_features", self.features.causal,
          "random projections in causal self-attention (features: twice)");
    visit("cross_features", self.features.cross, "random projections in cross-attention");
    visit("encoder_features", self.features.encoder, "random projections in the encoder");
    visit("tau", self.tau, "temperature of the kernel");
    visit("learned_tau", self.learned_tau, "a trained temperature for each head (form t2r)");
    visit("sigma", self.sigma, "a trained scale for each channel of the random projections");
    visit("gate", self.gate, "input gate on the keys of causal self-attention (form t2r)");
    visit("rule", self.rule, "denominator of the recurrence, or of the authors' masked training path");
    visit("redraw", self.redraw, "fresh random projections in every training pass");
    visit("init_scale", self.init_scale, "form t2r starts at Xavier's range divided by the root of this");
  }
};

struct T2rOptions {
  Widths features;
  bool sigma = false;
  double init_scale = 1.0;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("causal_features", self.features.causal, "trained features in causal self-attention");
    visit("cross_features", self.features.cross, "trained features in cross-attention");
    visit("encoder_features", self.features.encoder, "trained features in the encoder");
    visit("sigma", self.sigma, "a trained scale for each channel of the feature map");
    visit("init_scale", self.init_scale, "projections start at Xavier's range divided by the root of this");
  }
};

struct PerformerOptions {
  PerformerForm form = PerformerForm::Favor;
  Widths features{.causal = 32, .cross = 32, .encoder = 32};
  bool bias = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form,
          "favor streams; softmax-kernel is the stabilised original; prf is the T2R repository's");
    visit("causal_features", self.features.causal, "random features in causal self-attention");
    visit("cross_features", self.features.cross, "random features in cross-attention");
    visit("encoder_features", self.features.encoder, "random features in the encoder");
    visit("bias", self.bias, "biases on q, k and v in form softmax-kernel; the other forms always have them");
  }
};

struct LinformerOptions {
  LinformerForm form = LinformerForm::Fairseq;
  int64_t slots = 32;
  int64_t max_length = 1024;
  bool shared = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form, "fairseq compresses before the projections, lucid after them");
    visit("slots", self.slots, "compressed length");
    visit("max_length", self.max_length, "longest sequence, built into the parameters");
    visit("shared", self.shared,
          "one compression for keys and values; lucid also drops the value projection");
  }
};

struct SynthesizerOptions {
  int64_t max_length = 256;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("max_length", self.max_length, "longest sequence, built into the parameters");
  }
};

struct EncoderConfig {
  int64_t layers = 6;
  int64_t heads = 8;
  int64_t ffn = 2048;
  Mechanism self = Mechanism::Softmax;
  bool pre_norm = false;
  double layer_drop = 0.0;

  template <typename Self, typename Visitor>
  static void fields(Self& config, Visitor&& visit) {
    visit("layers", config.layers, "layers");
    visit("heads", config.heads, "attention heads");
    visit("ffn", config.ffn, "width of the feed-forward layer");
    visit("self", config.self, "mechanism of self-attention");
    visit("pre_norm", config.pre_norm, "layer norm before each sub-layer instead of after it");
    visit("layer_drop", config.layer_drop, "probability of skipping a layer in a training pass");
  }
};

struct DecoderConfig {
  int64_t layers = 6;
  int64_t heads = 8;
  int64_t ffn = 2048;
  Mechanism self = Mechanism::Memsizer;
  Mechanism cross = Mechanism::Memsizer;
  bool pre_norm = false;
  bool final_norm = true;
  double layer_drop = 0.0;

  template <typename Self, typename Visitor>
  static void fields(Self& config, Visitor&& visit) {
    visit("layers", config.layers, "layers");
    visit("heads", config.heads, "attention heads");
    visit("ffn", config.ffn, "width of the feed-forward layer");
    visit("self", config.self, "mechanism of causal self-attention");
    visit("cross", config.cross, "mechanism of cross-attention (encoder-decoder only)");
    visit("pre_norm", config.pre_norm, "layer norm before each sub-layer instead of after it");
    visit("final_norm", config.final_norm, "layer norm after the last layer, where pre_norm is on");
    visit("layer_drop", config.layer_drop, "probability of skipping a layer in a training pass");
  }
};

struct EmbeddingConfig {
  bool scale = true;
  bool layer_norm = false;
  PositionTable positions = PositionTable::Sinusoidal;
  int64_t max_positions = 1024;
  Tying tie = Tying::All;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("scale", self.scale, "embeddings times the root of the model width");
    visit("layer_norm", self.layer_norm, "layer norm on the sum of embedding and position");
    visit("positions", self.positions, "sinusoidal (any length) or learned (up to max_positions)");
    visit("max_positions", self.max_positions, "longest sequence for learned positions");
    visit("tie", self.tie, "one matrix for all, for the decoder's input and output, or none shared");
  }
};

struct AdaptiveConfig {
  std::vector<int64_t> cutoffs;
  int64_t factor = 4;
  bool tie_weights = true;
  bool tie_projections = true;
  bool reference_loss = false;
  double dropout = 0.0;

  bool enabled() const { return !cutoffs.empty(); }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("cutoffs", self.cutoffs, "vocabulary bands of adaptive input and softmax; empty for none");
    visit("factor", self.factor, "each band is narrower than the one before by this factor");
    visit("tie_weights", self.tie_weights, "adaptive softmax shares the embeddings");
    visit("tie_projections", self.tie_projections, "adaptive softmax shares the projections too");
    visit("reference_loss", self.reference_loss,
          "train as the reference does: the second token of each tail gets no tail loss");
    visit("dropout", self.dropout, "dropout inside adaptive softmax");
  }
};

// Everything that shapes a model. `validate` is the contract: what passes it can be built.
struct ModelConfig {
  Architecture architecture = Architecture::EncoderDecoder;
  int64_t dim = 512;
  int64_t vocab = 32768;
  int64_t source_vocab = 0;
  Activation activation = Activation::Relu;
  double dropout = 0.1;
  double attention_dropout = 0.0;
  double activation_dropout = 0.0;
  EncoderConfig encoder;
  DecoderConfig decoder;
  EmbeddingConfig embedding;
  AdaptiveConfig adaptive;
  MemsizerOptions memsizer;
  RfaOptions rfa;
  T2rOptions t2r;
  PerformerOptions performer;
  LinformerOptions linformer;
  SynthesizerOptions synthesizer;

  bool has_encoder() const { return architecture == Architecture::EncoderDecoder; }
  int64_t source_vocab_size() const { return source_vocab > 0 ? source_vocab : vocab; }

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("architecture", self.architecture, "encoder-decoder or language-model");
    visit("dim", self.dim, "model width d");
    visit("vocab", self.vocab, "tokens in the (target) vocabulary");
    visit("source_vocab", self.source_vocab, "tokens in the source vocabulary; 0: one joint vocabulary");
    visit("activation", self.activation, "activation of the feed-forward layers");
    visit("dropout", self.dropout, "dropout on embeddings and on each sub-layer's output");
    visit("attention_dropout", self.attention_dropout,
          "dropout on attention weights, where a mechanism has them");
    visit("activation_dropout", self.activation_dropout, "dropout inside the feed-forward layers");
    visit("encoder", self.encoder, "");
    visit("decoder", self.decoder, "");
    visit("embedding", self.embedding, "");
    visit("adaptive", self.adaptive, "");
    visit("memsizer", self.memsizer, "");
    visit("rfa", self.rfa, "");
    visit("t2r", self.t2r, "");
    visit("performer", self.performer, "");
    visit("linformer", self.linformer, "");
    visit("synthesizer", self.synthesizer, "");
  }

  // Throws UserError naming the first field that does not fit, what was found and what is allowed.
  void validate() const;
};

// What one mixer needs to know, cut out of a model's configuration.
struct MixerConfig {
  Mechanism mechanism = Mechanism::Memsizer;
  Position position = Position::CausalSelf;
  int64_t dim = 0;
  int64_t heads = 0;
  double attention_dropout = 0.0;
  MemsizerOptions memsizer;
  RfaOptions rfa;
  T2rOptions t2r;
  PerformerOptions performer;
  LinformerOptions linformer;
  SynthesizerOptions synthesizer;

  int64_t memsizer_heads() const { return memsizer.heads > 0 ? memsizer.heads : heads; }
  int64_t head_dim() const { return dim / heads; }

  // As ModelConfig::validate, for one mixer used on its own.
  void validate() const;
};

MixerConfig mixer_config(const ModelConfig& model, Position position);

inline constexpr int64_t kBos = 0;
inline constexpr int64_t kPad = 1;
inline constexpr int64_t kEos = 2;
inline constexpr int64_t kUnk = 3;

}  // namespace memsizer
