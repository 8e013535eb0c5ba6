#include "runtime/model.h"

#include <algorithm>
#include <future>

#include "core/error.h"
#include "kernels/rows.h"
#include "model/model_checksum.h"
#include "model/state_size.h"
#include "model/tensor_check.h"

namespace memsizer::runtime {
namespace {

// Of the sources that the encoder reads together.
constexpr int64_t kTokensAtOnce = 4096;

std::unique_ptr<Embedding> encoder_embedding(const ModelConfig& config, const TensorSource& weights) {
  if (!config.has_encoder()) return nullptr;
  ModelConfig source = config;
  source.adaptive = {};
  return std::make_unique<Embedding>(source, Weights(weights, "encoder."), nullptr);
}

Table shared_table(const ModelConfig& config, const Embedding* encoder) {
  return encoder && config.embedding.tie == Tying::All ? encoder->table() : nullptr;
}

void apply_norm(Work& work, const Norm& norm, int64_t tokens, float* x) {
  split_rows(work, tokens, norm.width,
             [&](int64_t t) { norm.apply(x + t * norm.width, x + t * norm.width); });
}

void check_tokens(std::span<const int32_t> tokens, int64_t vocab, const char* side) {
  for (const int32_t token : tokens) {
    if (token < 0 || token >= vocab) {
      throw UserError("{} token {} is outside of the vocabulary; tokens are 0 to {}", side, token, vocab - 1);
    }
  }
}

}  // namespace

std::unique_ptr<Model> Model::load(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  return load(file, read_description(file));
}

std::unique_ptr<Model> Model::load(const SafetensorsFile& file, const ModelDescription& description) {
  // Weights are copied meanwhile: that goes well with any numbers once their shapes are right.
  auto checked =
      std::async(std::launch::async | std::launch::deferred, [&] { return verify_checksum(file); });
  std::unique_ptr<Model> model;
  std::exception_ptr misfit;
  try {
    check_tensors(file, description);
    model = std::make_unique<Model>(description, *file_source(file));
  } catch (...) {
    misfit = std::current_exception();
  }
  // Damage first: it explains what does not fit.
  std::string hash = checked.get();
  if (misfit) std::rethrow_exception(misfit);
  model->hash_ = std::move(hash);
  return model;
}

Model::Model(const ModelDescription& description, const TensorSource& weights)
    : description_(description),
      longest_source_(memsizer::longest_source(description.config)),
      longest_target_(memsizer::longest_target(description.config)),
      hash_(model_checksum({}, model_metadata(description))),
      encoder_embedding_(encoder_embedding(description.config, weights)),
      decoder_embedding_(description.config, Weights(weights, "decoder."),
                         shared_table(description.config, encoder_embedding_.get())),
      output_(description.config, Weights(weights, "decoder."), decoder_embedding_) {
  const ModelConfig& config = description_.config;
  const Weights encoder(weights, "encoder.");
  const Weights decoder(weights, "decoder.");
  if (config.has_encoder()) {
    for (int64_t i = 0; i < config.encoder.layers; ++i)
      encoder_layers_.push_back(Layer::encoder(config, i, encoder.in("layers." + std::to_string(i))));
    encoder_has_norm_ = config.encoder.pre_norm;
    encoder_norm_ = Norm(encoder, "layer_norm");
  }
  for (int64_t i = 0; i < config.decoder.layers; ++i)
    decoder_layers_.push_back(Layer::decoder(config, i, decoder.in("layers." + std::to_string(i))));
  decoder_has_norm_ = config.decoder.pre_norm && config.decoder.final_norm;
  decoder_norm_ = Norm(decoder, "layer_norm");
  std::vector<KeptFloats> self;
  std::vector<KeptFloats> cross;
  for (const LayerFields& layer : decoder_fields(config)) {
    self.push_back(kept_floats(layer.self));
    if (config.has_encoder()) cross.push_back(kept_floats(layer.cross));
  }
  layout_ = std::make_shared<const StateLayout>(std::move(self), std::move(cross));
}

float* Model::encode(Work& work, Scratch::Frame& frame, const Ragged& sources,
                     std::span<const int32_t> tokens) const {
  check_tokens(tokens, encoder_embedding_->vocab(), "source");
  int64_t* index = frame.integers(sources.tokens());
  for (int64_t i = 0; i < sources.sequences(); ++i) {
    for (int64_t t = 0; t < sources.length(i); ++t) index[sources.begin(i) + t] = t;
  }
  float* x = frame.floats(sources.tokens() * config().dim);
  encoder_embedding_->look_up(work, tokens, {index, tokens.size()}, x);
  for (const Layer& layer : encoder_layers_) layer.encode(work, sources, x);
  if (encoder_has_norm_) apply_norm(work, encoder_norm_, sources.tokens(), x);
  return x;
}

DecoderState Model::start(Work& work, const Ragged& sources, std::span<const int32_t> tokens) const {
  if (!encoder_embedding_) throw UserError("this model is a language model: it has no source to read");
  const std::vector<std::shared_ptr<SourceMemory>> memories = SourceMemory::together(layout_, sources);
  // Some sources at a time: what the encoder holds of them stays in a cache, and small.
  for (int64_t first = 0; first < sources.sequences();) {
    int64_t last = first + 1;
    while (last < sources.sequences() && sources.end(last) - sources.begin(first) <= kTokensAtOnce) ++last;
    Scratch::Frame frame(work.scratch);
    int64_t* offsets = frame.integers(last - first + 1);
    for (int64_t i = first; i <= last; ++i) offsets[i - first] = sources.offsets[i] - sources.begin(first);
    const Ragged some{{offsets, static_cast<size_t>(last - first + 1)}};
    const float* encoded =
        encode(work, frame, some, tokens.subspan(sources.begin(first), static_cast<size_t>(some.tokens())));
    const std::span states(frame.array<SourceState>(last - first), static_cast<size_t>(last - first));
    for (size_t layer = 0; layer < decoder_layers_.size(); ++layer) {
      for (int64_t i = first; i < last; ++i) states[i - first] = memories[i]->layer(layer);
      decoder_layers_[layer].cross()->read(work, some, {encoded, config().dim}, states);
    }
    first = last;
  }
  return {layout_, DecoderState::Sources(memories.begin(), memories.end())};
}

DecoderState Model::start(int64_t rows) const {
  if (encoder_embedding_) throw UserError("this model translates: it needs a source to start from");
  return {layout_, rows};
}

float* Model::features(Work& work, Scratch::Frame& frame, const Ragged& rows, std::span<const int32_t> tokens,
                       DecoderState& state) const {
  int64_t* index = frame.integers(rows.tokens());
  for (int64_t r = 0; r < rows.sequences(); ++r) {
    for (int64_t t = 0; t < rows.length(r); ++t) index[rows.begin(r) + t] = state.seen()[r] + t;
  }
  float* x = frame.floats(rows.tokens() * config().dim);
  decoder_embedding_.look_up(work, tokens, {index, tokens.size()}, x);
  state.make_room(rows);
  const DecoderState::Sources& sources = state.sources();
  const std::span source_of_row(frame.array<ConstSourceState>(static_cast<int64_t>(sources.size())),
                                sources.size());
  for (size_t i = 0; i < decoder_layers_.size(); ++i) {
    for (size_t r = 0; r < sources.size(); ++r) source_of_row[r] = sources[r]->layer(i);
    decoder_layers_[i].advance(work, rows, state.layer(i), source_of_row, x);
  }
  state.count_tokens(rows);
  if (decoder_has_norm_) apply_norm(work, decoder_norm_, rows.tokens(), x);
  return x;
}

float* Model::last_features(Work& work, Scratch::Frame& frame, const Ragged& rows,
                            std::span<const int32_t> tokens, DecoderState& state) const {
  const int64_t dim = config().dim;
  float* x = features(work, frame, rows, tokens, state);
  if (rows.tokens() > rows.sequences()) {
    for (int64_t r = 0; r < rows.sequences(); ++r) std::copy_n(x + (rows.end(r) - 1) * dim, dim, x + r * dim);
  }
  return x;
}

void Model::check_step(const Ragged& rows, std::span<const int32_t> tokens, const DecoderState& state) const {
  check_tokens(tokens, vocab(), "target");
  if (rows.sequences() == state.rows() && rows.tokens() == static_cast<int64_t>(tokens.size())) return;
  throw std::logic_error("tokens for " + std::to_string(rows.sequences()) + " rows, but the state has " +
                         std::to_string(state.rows()));
}

void Model::read(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state) const {
  check_step(rows, tokens, state);
  Scratch::Frame frame(work.scratch);
  if (!tokens.empty()) features(work, frame, rows, tokens, state);
}

void Model::advance(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state,
                    Scores which, float* scores) const {
  check_step(rows, tokens, state);
  Scratch::Frame frame(work.scratch);
  const int64_t dim = config().dim;
  if (which == Scores::EveryToken) {
    output_.apply(work, {features(work, frame, rows, tokens, state), dim}, rows.tokens(), scores);
    return;
  }
  output_.apply(work, {last_features(work, frame, rows, tokens, state), dim}, rows.sequences(), scores);
}

void Model::advance(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state,
                    const kernels::PackedMatrix& output, float* scores) const {
  check_step(rows, tokens, state);
  Scratch::Frame frame(work.scratch);
  const float* x = last_features(work, frame, rows, tokens, state);
  kernels::matmul(work.team, output, {x, config().dim}, rows.sequences(), {scores, output.rows()});
}

}  // namespace memsizer::runtime
