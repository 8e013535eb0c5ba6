#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/special_tokens.h"
#include "mechanisms/registry.h"

namespace memsizer {

enum class Architecture { EncoderDecoder, LanguageModel };
enum class Activation { Relu, Gelu };
enum class PositionTable { Sinusoidal, Learned };
enum class Tying { All, Decoder, None };
// The names of each enum's values, as options and files spell them.
template <>
std::span<const std::pair<Architecture, std::string_view>> enum_names<Architecture>();
template <>
std::span<const std::pair<Activation, std::string_view>> enum_names<Activation>();
template <>
std::span<const std::pair<PositionTable, std::string_view>> enum_names<PositionTable>();
template <>
std::span<const std::pair<Tying, std::string_view>> enum_names<Tying>();

struct EncoderConfig {
  int64_t layers = 6;
  int64_t heads = 8;
  int64_t ffn = 2048;
  PerLayer<Mechanism> self = mechanism_named("softmax");
  bool pre_norm = false;
  double layer_drop = 0.0;

  template <typename Self, typename Visitor>
  static void fields(Self& config, Visitor&& visit) {
    visit("layers", config.layers, "layers");
    visit("heads", config.heads, "attention heads");
    visit("ffn", config.ffn, "width of the feed-forward layer");
    visit("self", config.self, "mechanism of self-attention, or a list that repeats over the layers");
    visit("pre_norm", config.pre_norm, "layer norm before each sub-layer instead of after it");
    visit("layer_drop", config.layer_drop, "probability of skipping a layer in a training pass");
  }
};

struct DecoderConfig {
  int64_t layers = 6;
  int64_t heads = 8;
  int64_t ffn = 2048;
  PerLayer<Mechanism> self = mechanism_named("memsizer");
  PerLayer<Mechanism> cross = mechanism_named("memsizer");
  bool pre_norm = false;
  bool final_norm = true;
  double layer_drop = 0.0;

  template <typename Self, typename Visitor>
  static void fields(Self& config, Visitor&& visit) {
    visit("layers", config.layers, "layers");
    visit("heads", config.heads, "attention heads");
    visit("ffn", config.ffn, "width of the feed-forward layer");
    visit("self", config.self,
          "mechanism of causal self-attention, or a list that repeats over the layers");
    visit("cross", config.cross, "the same of cross-attention (encoder-decoder only)");
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
  OptionSections mechanism_options = memsizer::mechanism_options();

  // The options of a mechanism.
  template <typename Options>
  Options& options() {
    return mechanism_options.get<Options>();
  }
  template <typename Options>
  const Options& options() const {
    return mechanism_options.get<Options>();
  }

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
    visit("", self.mechanism_options, "");
  }

  // Throws UserError naming the first field that does not fit, what was found and what is allowed.
  void validate() const;

 private:
  void validate_mixers(Position position, int64_t layers) const;
};

// The mixer of one layer: what it needs to know of the model.
MixerConfig mixer_config(const ModelConfig& model, Position position, int64_t layer = 0);

}  // namespace memsizer
