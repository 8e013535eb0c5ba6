#include "model/tensor_list.h"

namespace memsizer {
namespace {

void add_positions_and_norm(std::vector<TensorSpec>& into, const ModelConfig& config,
                            const std::string& side) {
  TensorCollector embedding(into, side + ".", "embeddings");
  if (config.embedding.positions == PositionTable::Learned) {
    // Ids start after pad (spec: the first token has position 2).
    embedding.add("embed_positions.weight", {config.embedding.max_positions + kPad + 1, config.dim});
  }
  if (config.embedding.layer_norm) embedding.layer_norm("layernorm_embedding", config.dim);
}

void add_ffn(std::vector<TensorSpec>& into, const std::string& prefix, const std::string& side, int64_t dim,
             int64_t ffn) {
  TensorCollector layer(into, prefix, side + " feed-forward");
  layer.linear("fc1", ffn, dim);
  layer.linear("fc2", dim, ffn);
  TensorCollector(into, prefix, side + " norms").layer_norm("final_layer_norm", dim);
}

void add_attention(std::vector<TensorSpec>& into, const std::string& prefix, const std::string& name,
                   const std::string& side, const std::string& part, const MixerConfig& mixer) {
  TensorCollector attention(into, prefix + name + ".", side + " " + part);
  mixer.mechanism->list_tensors(mixer, attention);
  TensorCollector(into, prefix, side + " norms").layer_norm(name + "_layer_norm", mixer.dim);
}

void add_encoder(std::vector<TensorSpec>& into, const ModelConfig& config) {
  TensorCollector(into, "encoder.", "embeddings")
      .matrix("embed_tokens.weight", config.source_vocab_size(), config.dim);
  add_positions_and_norm(into, config, "encoder");
  for (int64_t i = 0; i < config.encoder.layers; ++i) {
    const std::string prefix = fmt::format("encoder.layers.{}.", i);
    add_attention(into, prefix, "self_attn", "encoder", "self-attention",
                  mixer_config(config, Position::EncoderSelf, i));
    add_ffn(into, prefix, "encoder", config.dim, config.encoder.ffn);
  }
  if (config.encoder.pre_norm)
    TensorCollector(into, "encoder.", "encoder norms").layer_norm("layer_norm", config.dim);
}

void add_adaptive_input(std::vector<TensorSpec>& into, const ModelConfig& config) {
  TensorCollector input(into, "decoder.embed_tokens.embeddings.", "embeddings");
  const std::vector<AdaptiveBand> bands = adaptive_bands(config);
  for (size_t i = 0; i < bands.size(); ++i) {
    input.matrix(fmt::format("{}.0.weight", i), bands[i].size(), bands[i].width);
    input.matrix(fmt::format("{}.1.weight", i), config.dim, bands[i].width);
  }
}

void add_adaptive_softmax(std::vector<TensorSpec>& into, const ModelConfig& config) {
  TensorCollector output(into, "decoder.adaptive_softmax.", "output");
  const std::vector<AdaptiveBand> bands = adaptive_bands(config);
  const auto tails = static_cast<int64_t>(bands.size()) - 1;
  if (config.adaptive.tie_weights) {
    output.matrix("head.class_proj.weight", tails, config.dim);
  } else {
    output.matrix("head.weight", bands[0].size() + tails, config.dim);
  }
  for (int64_t i = 0; i < tails; ++i) {
    const AdaptiveBand& band = bands[i + 1];
    if (!config.adaptive.tie_projections)
      output.matrix(fmt::format("tail.{}.0.weight", i), band.width, config.dim);
    if (!config.adaptive.tie_weights)
      output.matrix(fmt::format("tail.{}.2.weight", i), band.size(), band.width);
  }
}

void add_decoder(std::vector<TensorSpec>& into, const ModelConfig& config) {
  TensorCollector embedding(into, "decoder.", "embeddings");
  if (config.adaptive.enabled()) {
    add_adaptive_input(into, config);
  } else if (!config.has_encoder() || config.embedding.tie != Tying::All) {
    embedding.matrix("embed_tokens.weight", config.vocab, config.dim);
  }
  add_positions_and_norm(into, config, "decoder");
  for (int64_t i = 0; i < config.decoder.layers; ++i) {
    const std::string prefix = fmt::format("decoder.layers.{}.", i);
    add_attention(into, prefix, "self_attn", "decoder", "self-attention",
                  mixer_config(config, Position::CausalSelf, i));
    if (config.has_encoder()) {
      add_attention(into, prefix, "encoder_attn", "decoder", "cross-attention",
                    mixer_config(config, Position::Cross, i));
    }
    add_ffn(into, prefix, "decoder", config.dim, config.decoder.ffn);
  }
  if (config.decoder.pre_norm && config.decoder.final_norm) {
    TensorCollector(into, "decoder.", "decoder norms").layer_norm("layer_norm", config.dim);
  }
  if (config.adaptive.enabled()) {
    add_adaptive_softmax(into, config);
  } else if (config.embedding.tie == Tying::None) {
    TensorCollector(into, "decoder.", "output").matrix("output_projection.weight", config.vocab, config.dim);
  }
}

std::vector<TensorSpec> unchecked_tensor_list(const ModelConfig& config) {
  std::vector<TensorSpec> tensors;
  if (config.has_encoder()) add_encoder(tensors, config);
  add_decoder(tensors, config);
  return tensors;
}

}  // namespace

std::vector<TensorSpec> tensor_list(const ModelConfig& config) {
  config.validate();
  return unchecked_tensor_list(config);
}

double count_numbers(const ModelConfig& config) {
  const auto numbers_of = [](const std::vector<TensorSpec>& tensors) {
    double count = 0.0;
    for (const TensorSpec& tensor : tensors) {
      double numbers = 1.0;
      for (const int64_t size : tensor.shape) numbers *= static_cast<double>(size);
      count += numbers;
    }
    return count;
  };
  ModelConfig no_layers = config;
  no_layers.encoder.layers = no_layers.decoder.layers = 0;
  double count = numbers_of(unchecked_tensor_list(no_layers));
  const auto add_layers = [&](int64_t layers, int64_t ffn, std::initializer_list<Position> positions) {
    std::vector<TensorSpec> tensors;
    add_ffn(tensors, "", "", config.dim, ffn);
    count += static_cast<double>(layers) * numbers_of(tensors);
    for (int64_t i = 0; i < layers; ++i) {
      for (const Position position : positions) {
        tensors.clear();
        add_attention(tensors, "", "", "", "", mixer_config(config, position, i));
        count += numbers_of(tensors);
      }
    }
  };
  if (!config.has_encoder()) {
    add_layers(config.decoder.layers, config.decoder.ffn, {Position::CausalSelf});
    return count;
  }
  add_layers(config.encoder.layers, config.encoder.ffn, {Position::EncoderSelf});
  add_layers(config.decoder.layers, config.decoder.ffn, {Position::CausalSelf, Position::Cross});
  return count;
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
