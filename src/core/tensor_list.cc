#include "core/tensor_list.h"

#include <stdexcept>

namespace memsizer {
namespace {

using Shape = std::vector<int64_t>;

// Collects tensors under a common name prefix and part.
class Collector {
 public:
  Collector(std::vector<TensorSpec>& into, std::string prefix, std::string part)
      : into_(into), prefix_(std::move(prefix)), part_(std::move(part)) {}

  void add(std::string_view name, Shape shape, TensorRole role = TensorRole::Trained) {
    into_.push_back({prefix_ + std::string(name), std::move(shape), role, part_});
  }

  void linear(const std::string& name, int64_t out, int64_t in, bool bias = true,
              TensorRole role = TensorRole::Trained) {
    add(name + ".weight", {out, in}, role);
    if (bias) add(name + ".bias", {out}, role);
  }

  void layer_norm(const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

 private:
  std::vector<TensorSpec>& into_;
  std::string prefix_;
  std::string part_;
};

void add_attention_projections(Collector& to, int64_t dim, bool input_biases = true) {
  to.linear("q_proj", dim, dim, input_biases);
  to.linear("k_proj", dim, dim, input_biases);
  to.linear("v_proj", dim, dim, input_biases);
  to.linear("out_proj", dim, dim);
}

void add_memsizer(Collector& to, const MixerConfig& config) {
  const MemsizerOptions& options = config.memsizer;
  const int64_t slots = options.slots.at(config.position);
  const int64_t keys = config.memsizer_heads() * slots;
  const auto factors = [&](const std::string& prefix, int64_t left) {
    to.linear(prefix + "k_proj", left, config.dim, options.bias);
    to.linear(prefix + "v_proj", config.dim, config.dim, options.bias);
    if (!options.affine_norms) return;
    to.layer_norm(prefix + "k_layer_norm", slots);
    to.layer_norm(prefix + "v_layer_norm", config.dim);
  };
  if (options.keys == MemsizerKeys::Input) {
    factors("key_", keys);
  } else {
    const auto role = options.keys == MemsizerKeys::Frozen ? TensorRole::Frozen : TensorRole::Trained;
    to.linear("q_proj", keys, config.dim, options.bias, role);
  }
  factors("", slots);
}

void add_rfa(Collector& to, const MixerConfig& config) {
  const RfaOptions& options = config.rfa;
  add_attention_projections(to, config.dim);
  if (options.sigma) to.add("sigma", {config.heads, 1, config.head_dim()});
  if (options.learned_tau) {
    to.add("tau", {config.heads, 1, 1});
  } else {
    to.add("tau", {1}, TensorRole::Frozen);
  }
  if (options.gate && config.position == Position::CausalSelf) to.linear("g_proj", config.heads, config.dim);
  to.add("random_matrices", {config.heads, options.features.at(config.position), config.head_dim()},
         TensorRole::Buffer);
}

void add_t2r(Collector& to, const MixerConfig& config) {
  add_attention_projections(to, config.dim);
  to.linear("feat", config.heads * config.t2r.features.at(config.position), config.head_dim());
  to.add("tau", {1}, TensorRole::Frozen);
  if (config.t2r.sigma) to.add("sigma", {config.heads, 1, config.head_dim()});
}

void add_performer(Collector& to, const MixerConfig& config) {
  const int64_t features = config.performer.features.at(config.position);
  add_attention_projections(to, config.dim,
                            config.performer.form != PerformerForm::SoftmaxKernel || config.performer.bias);
  switch (config.performer.form) {
    case PerformerForm::Favor:
      return to.add("omega", {config.head_dim(), features / 2}, TensorRole::Buffer);
    case PerformerForm::SoftmaxKernel:
      return to.add("projection_matrix", {features, config.head_dim()}, TensorRole::Buffer);
    case PerformerForm::Prf:
      to.add("tau", {1}, TensorRole::Frozen);
      return to.add("random_matrices", {config.heads, features, config.head_dim()}, TensorRole::Buffer);
  }
}

void add_linformer(Collector& to, const MixerConfig& config) {
  const LinformerOptions& options = config.linformer;
  if (options.form == LinformerForm::Fairseq) {
    add_attention_projections(to, config.dim);
    to.add("compress_k.weight", {options.slots, options.max_length});
    if (!options.shared) to.add("compress_v.weight", {options.slots, options.max_length});
    return;
  }
  to.linear("q_proj", config.dim, config.dim, /*bias=*/false);
  to.linear("k_proj", config.dim, config.dim, /*bias=*/false);
  to.add("proj_k", {options.max_length, options.slots});
  if (!options.shared) {
    to.linear("v_proj", config.dim, config.dim, /*bias=*/false);
    to.add("proj_v", {options.max_length, options.slots});
  }
  to.linear("out_proj", config.dim, config.dim);
}

void add_synthesizer(Collector& to, const MixerConfig& config) {
  const int64_t length = config.synthesizer.max_length;
  if (config.mechanism == Mechanism::SynthesizerRandom) {
    to.add("attention_weight", {config.heads * length, length});
  } else {
    to.linear("linear1", config.dim, config.dim);
    to.linear("linear2", config.heads * length, config.dim);
  }
  to.linear("linear_v", config.dim, config.dim);
  to.linear("linear_out", config.dim, config.dim);
}

void add_mixer(Collector& to, const MixerConfig& config) {
  switch (config.mechanism) {
    case Mechanism::Memsizer:
      return add_memsizer(to, config);
    case Mechanism::Softmax:
    case Mechanism::Elu:
      return add_attention_projections(to, config.dim);
    case Mechanism::Rfa:
      return add_rfa(to, config);
    case Mechanism::T2r:
      return add_t2r(to, config);
    case Mechanism::Performer:
      return add_performer(to, config);
    case Mechanism::Linformer:
      return add_linformer(to, config);
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return add_synthesizer(to, config);
    case Mechanism::Ssru:
      to.linear("forget_proj", config.dim, config.dim);
      return to.linear("input_proj", config.dim, config.dim, /*bias=*/false);
  }
  throw std::logic_error("mechanism without tensors");
}

void add_positions_and_norm(std::vector<TensorSpec>& into, const ModelConfig& config,
                            const std::string& side) {
  Collector embedding(into, side + ".", "embeddings");
  if (config.embedding.positions == PositionTable::Learned) {
    // Ids start after pad (spec: the first token has position 2).
    embedding.add("embed_positions.weight", {config.embedding.max_positions + kPad + 1, config.dim});
  }
  if (config.embedding.layer_norm) embedding.layer_norm("layernorm_embedding", config.dim);
}

void add_ffn(std::vector<TensorSpec>& into, const std::string& prefix, const std::string& side, int64_t dim,
             int64_t ffn) {
  Collector layer(into, prefix, side + " feed-forward");
  layer.linear("fc1", ffn, dim);
  layer.linear("fc2", dim, ffn);
  Collector(into, prefix, side + " norms").layer_norm("final_layer_norm", dim);
}

void add_attention(std::vector<TensorSpec>& into, const std::string& prefix, const std::string& name,
                   const std::string& side, const std::string& part, const MixerConfig& mixer) {
  Collector attention(into, prefix + name + ".", side + " " + part);
  add_mixer(attention, mixer);
  Collector(into, prefix, side + " norms").layer_norm(name + "_layer_norm", mixer.dim);
}

void add_encoder(std::vector<TensorSpec>& into, const ModelConfig& config) {
  Collector(into, "encoder.", "embeddings")
      .add("embed_tokens.weight", {config.source_vocab_size(), config.dim});
  add_positions_and_norm(into, config, "encoder");
  const MixerConfig self = mixer_config(config, Position::EncoderSelf);
  for (int64_t i = 0; i < config.encoder.layers; ++i) {
    const std::string prefix = fmt::format("encoder.layers.{}.", i);
    add_attention(into, prefix, "self_attn", "encoder", "self-attention", self);
    add_ffn(into, prefix, "encoder", config.dim, config.encoder.ffn);
  }
  if (config.encoder.pre_norm)
    Collector(into, "encoder.", "encoder norms").layer_norm("layer_norm", config.dim);
}

void add_adaptive_input(std::vector<TensorSpec>& into, const ModelConfig& config) {
  Collector input(into, "decoder.embed_tokens.embeddings.", "embeddings");
  const std::vector<AdaptiveBand> bands = adaptive_bands(config);
  for (size_t i = 0; i < bands.size(); ++i) {
    input.add(fmt::format("{}.0.weight", i), {bands[i].size(), bands[i].width});
    input.add(fmt::format("{}.1.weight", i), {config.dim, bands[i].width});
  }
}

void add_adaptive_softmax(std::vector<TensorSpec>& into, const ModelConfig& config) {
  Collector output(into, "decoder.adaptive_softmax.", "output");
  const std::vector<AdaptiveBand> bands = adaptive_bands(config);
  const auto tails = static_cast<int64_t>(bands.size()) - 1;
  if (config.adaptive.tie_weights) {
    output.add("head.class_proj.weight", {tails, config.dim});
  } else {
    output.add("head.weight", {bands[0].size() + tails, config.dim});
  }
  for (int64_t i = 0; i < tails; ++i) {
    const AdaptiveBand& band = bands[i + 1];
    if (!config.adaptive.tie_projections)
      output.add(fmt::format("tail.{}.0.weight", i), {band.width, config.dim});
    if (!config.adaptive.tie_weights)
      output.add(fmt::format("tail.{}.2.weight", i), {band.size(), band.width});
  }
}

void add_decoder(std::vector<TensorSpec>& into, const ModelConfig& config) {
  Collector embedding(into, "decoder.", "embeddings");
  if (config.adaptive.enabled()) {
    add_adaptive_input(into, config);
  } else if (!config.has_encoder() || config.embedding.tie != Tying::All) {
    embedding.add("embed_tokens.weight", {config.vocab, config.dim});
  }
  add_positions_and_norm(into, config, "decoder");
  const MixerConfig self = mixer_config(config, Position::CausalSelf);
  const MixerConfig cross = mixer_config(config, Position::Cross);
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    const std::string prefix = fmt::format("decoder.layers.{}.", i);
    add_attention(into, prefix, "self_attn", "decoder", "self-attention", self);
    if (config.has_encoder())
      add_attention(into, prefix, "encoder_attn", "decoder", "cross-attention", cross);
    add_ffn(into, prefix, "decoder", config.dim, config.decoder.ffn);
  }
  if (config.decoder.pre_norm && config.decoder.final_norm) {
    Collector(into, "decoder.", "decoder norms").layer_norm("layer_norm", config.dim);
  }
  if (config.adaptive.enabled()) {
    add_adaptive_softmax(into, config);
  } else if (config.embedding.tie == Tying::None) {
    Collector(into, "decoder.", "output").add("output_projection.weight", {config.vocab, config.dim});
  }
}

std::vector<TensorSpec> unchecked_tensor_list(const ModelConfig& config) {
  std::vector<TensorSpec> tensors;
  if (config.has_encoder()) add_encoder(tensors, config);
  add_decoder(tensors, config);
  return tensors;
}

}  // namespace

int64_t TensorSpec::elements() const {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

std::vector<TensorSpec> tensor_list(const ModelConfig& config) {
  config.validate();
  return unchecked_tensor_list(config);
}

double count_numbers(const ModelConfig& config) {
  ModelConfig one_layer = config;
  one_layer.encoder.layers = one_layer.decoder.layers = 1;
  double count = 0.0;
  for (const TensorSpec& tensor : unchecked_tensor_list(one_layer)) {
    double numbers = 1.0;
    for (const int64_t size : tensor.shape) numbers *= static_cast<double>(size);
    if (tensor.name.starts_with("encoder.layers.")) numbers *= static_cast<double>(config.encoder.layers);
    if (tensor.name.starts_with("decoder.layers.")) numbers *= static_cast<double>(config.decoder.layers);
    count += numbers;
  }
  return count;
}

std::vector<TensorSpec> mixer_tensor_list(const MixerConfig& config) {
  config.validate();
  std::vector<TensorSpec> tensors;
  Collector collector(tensors, "", std::string(mechanism_name(config.mechanism)));
  add_mixer(collector, config);
  return tensors;
}

int64_t count_parameters(const std::vector<TensorSpec>& tensors) {
  int64_t count = 0;
  for (const TensorSpec& tensor : tensors) {
    if (tensor.role != TensorRole::Buffer) count += tensor.elements();
  }
  return count;
}

std::vector<AdaptiveBand> adaptive_bands(const ModelConfig& config) {
  std::vector<AdaptiveBand> bands;
  int64_t begin = 0;
  int64_t width = config.dim;
  const auto add = [&](int64_t end) {
    bands.push_back({begin, end, width});
    begin = end;
    width /= config.adaptive.factor;
  };
  for (const int64_t cutoff : config.adaptive.cutoffs) add(cutoff);
  add(config.vocab);
  return bands;
}

}  // namespace memsizer
