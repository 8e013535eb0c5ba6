#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/model_file.h"
#include "runtime/decoder_state.h"
#include "runtime/embedding.h"
#include "runtime/layer.h"
#include "runtime/output.h"

namespace memsizer::runtime {

// A model ready to generate: its weights, which nothing changes any more, so that any number of workers can
// use it at once, each with a Work of its own.
class Model {
 public:
  // Throws UserError on a file that is no sound model.
  static std::unique_ptr<Model> load(const std::filesystem::path& path);
  // The same for an open file and its description; the file is not needed afterwards.
  static std::unique_ptr<Model> load(const SafetensorsFile& file, const ModelDescription& description);

  Model(const ModelDescription& description, const TensorSource& weights);

  const ModelDescription& description() const { return description_; }
  // Says which model it is: the checksum of its file or, for weights from elsewhere, of its description.
  const std::string& hash() const { return hash_; }
  const std::shared_ptr<const StateLayout>& layout() const { return layout_; }
  const ModelConfig& config() const { return description_.config; }
  int64_t vocab() const { return output_.vocab(); }
  // The longest sequences that the configuration allows; 0 is no bound.
  int64_t longest_source() const { return longest_source_; }
  int64_t longest_target() const { return longest_target_; }

  // The encoder's output for each token of the sources: [tokens, dim], in the frame's memory.
  float* encode(Work& work, Scratch::Frame& frame, const Ragged& sources,
                std::span<const int32_t> tokens) const;

  // Reads the sources; a row for each.
  DecoderState start(Work& work, const Ragged& sources, std::span<const int32_t> tokens) const;
  // A language model's rows, before their first token.
  DecoderState start(int64_t rows) const;
  // No row yet, of either kind of model: for rows to join (DecoderState::append).
  DecoderState empty_state() const { return {layout_, 0}; }

  // Reads the next tokens of each row, none, one or many, without asking what follows.
  void read(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state) const;

  // Reads the next tokens of each row, one or many.
  enum class Scores { LastToken, EveryToken };
  // Scores are logits (log-probabilities with adaptive softmax) of what follows: [rows, vocab], or [tokens,
  // vocab].
  void advance(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state,
               Scores which, float* scores) const;

  // The rows of the output matrix of some tokens; and the step that computes only their logits, of what
  // follows the last token: [rows, output.rows()]. Not with adaptive softmax.
  kernels::PackedMatrix output_rows(Work& work, std::span<const int32_t> tokens) const {
    return output_.rows_of(work, tokens);
  }
  void advance(Work& work, const Ragged& rows, std::span<const int32_t> tokens, DecoderState& state,
               const kernels::PackedMatrix& output, float* scores) const;

 private:
  void check_step(const Ragged& rows, std::span<const int32_t> tokens, const DecoderState& state) const;
  // One piece of `advance`; returns the features of every token, or of each row's last, in `frame`'s memory.
  float* features(Work& work, Scratch::Frame& frame, const Ragged& rows, std::span<const int32_t> tokens,
                  DecoderState& state) const;
  float* last_features(Work& work, Scratch::Frame& frame, const Ragged& rows, std::span<const int32_t> tokens,
                       DecoderState& state) const;

  ModelDescription description_;
  int64_t longest_source_;
  int64_t longest_target_;
  std::string hash_;
  std::unique_ptr<Embedding> encoder_embedding_;  // none in a language model
  std::vector<Layer> encoder_layers_;
  bool encoder_has_norm_ = false;
  Norm encoder_norm_;
  Embedding decoder_embedding_;
  std::vector<Layer> decoder_layers_;
  bool decoder_has_norm_ = false;
  Norm decoder_norm_;
  Output output_;
  std::shared_ptr<const StateLayout> layout_;
};

}  // namespace memsizer::runtime
