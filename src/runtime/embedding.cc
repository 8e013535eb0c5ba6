#include "runtime/embedding.h"

#include <cmath>

#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

Table read_table(const Weights& weights, const std::string& name) {
  const std::string names[] = {name};
  return std::make_shared<const kernels::PackedMatrix>(weights.matrix(names));
}

}  // namespace

Embedding::Embedding(const ModelConfig& config, const Weights& weights, Table table)
    : dim_(config.dim),
      scale_(config.embedding.scale ? static_cast<float>(std::sqrt(static_cast<double>(config.dim))) : 1.0F),
      table_(std::move(table)),
      positions_(config, weights),
      normalised_(config.embedding.layer_norm),
      norm_(weights, "layernorm_embedding") {
  if (config.adaptive.enabled()) {
    const std::vector<AdaptiveBand> ranges = adaptive_bands(config);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const std::string name = fmt::format("embed_tokens.embeddings.{}.", i);
      bands_.push_back(
          {ranges[i], read_table(weights, name + "0.weight"), read_table(weights, name + "1.weight")});
    }
    vocab_ = config.vocab;
    return;
  }
  if (!table_) table_ = read_table(weights, "embed_tokens.weight");
  vocab_ = table_->rows();
}

void Embedding::look_up_bands(Work& work, std::span<const int32_t> tokens, float* out) const {
  Scratch::Frame frame(work.scratch);
  float* narrow = frame.floats(dim_);
  for (size_t i = 0; i < tokens.size(); ++i) {
    for (const Band& band : bands_) {
      if (tokens[i] < band.range.begin || tokens[i] >= band.range.end) continue;
      band.table->copy_row(tokens[i] - band.range.begin, narrow);
      kernels::matmul(work.team, *band.projection, {narrow, band.range.width}, 1,
                      {out + static_cast<int64_t>(i) * dim_, dim_});
    }
  }
}

void Embedding::look_up(Work& work, std::span<const int32_t> tokens, std::span<const int64_t> index,
                        float* out) const {
  if (!bands_.empty()) look_up_bands(work, tokens, out);
  for (size_t i = 0; i < tokens.size(); ++i) {
    float* row = out + static_cast<int64_t>(i) * dim_;
    if (table_) table_->copy_row(tokens[i], row);
    if (scale_ != 1.0F) kernels::scale(row, dim_, scale_);
    kernels::add(row, positions_.at(index[i], work.positions), dim_, row);
    if (normalised_) norm_.apply(row, row);
  }
}

}  // namespace memsizer::runtime
