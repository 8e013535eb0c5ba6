#include "runtime/output.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/rows.h"
#include "runtime/mixer.h"

namespace memsizer::runtime {
namespace {

using kernels::PackedMatrix;

PackedMatrix read_matrix(const Weights& weights, const std::string& name) {
  const std::string names[] = {name};
  return weights.matrix(names);
}

PackedMatrix transposed(const PackedMatrix& matrix) {
  std::vector<float> row(static_cast<size_t>(matrix.columns()));
  std::vector<float> numbers(static_cast<size_t>(matrix.rows() * matrix.columns()));
  for (int64_t r = 0; r < matrix.rows(); ++r) {
    matrix.copy_row(r, row.data());
    for (int64_t c = 0; c < matrix.columns(); ++c) numbers[c * matrix.rows() + r] = row[c];
  }
  // Not quantised again, which would round twice; it is small.
  PackedMatrix result(WeightType::F32, matrix.columns(), matrix.rows());
  result.set_rows(0, numbers);
  return result;
}

}  // namespace

Output::Output(const ModelConfig& config, const Weights& weights, const Embedding& embedding)
    : dim_(config.dim), vocab_(config.vocab) {
  if (!config.adaptive.enabled()) {
    table_ = config.embedding.tie == Tying::None
                 ? std::make_shared<const PackedMatrix>(read_matrix(weights, "output_projection.weight"))
                 : embedding.table();
    return;
  }
  const Weights own = weights.in("adaptive_softmax");
  const std::vector<Embedding::Band>& bands = embedding.bands();
  head_is_tied_ = config.adaptive.tie_weights;
  if (head_is_tied_) {
    table_ = bands.front().table;
    clusters_ = read_matrix(own, "head.class_proj.weight");
  } else {
    clusters_ = read_matrix(own, "head.weight");
  }
  for (size_t i = 1; i < bands.size(); ++i) {
    const std::string name = fmt::format("tail.{}.", i - 1);
    tails_.push_back({bands[i].range,
                      config.adaptive.tie_projections ? transposed(*bands[i].projection)
                                                      : read_matrix(own, name + "0.weight"),
                      config.adaptive.tie_weights
                          ? bands[i].table
                          : std::make_shared<const PackedMatrix>(read_matrix(own, name + "2.weight"))});
  }
}

PackedMatrix Output::rows_of(Work& work, std::span<const int32_t> tokens) const {
  if (!tails_.empty()) throw std::logic_error("adaptive softmax has no single matrix to select rows of");
  return table_->selected(work.team, tokens);
}

void Output::apply(Work& work, ConstRows x, int64_t count, float* out) const {
  if (!tails_.empty()) return apply_adaptive(work, x, count, out);
  kernels::matmul(work.team, *table_, x, count, {out, vocab_});
}

void Output::apply_adaptive(Work& work, ConstRows x, int64_t count, float* out) const {
  Scratch::Frame frame(work.scratch);
  const auto tails = static_cast<int64_t>(tails_.size());
  const int64_t words = tails_.front().range.begin;
  const int64_t width = words + tails;
  float* head = frame.floats(count * width);
  if (head_is_tied_) {
    kernels::matmul(work.team, *table_, x, count, {head, width});
    kernels::matmul(work.team, clusters_, x, count, {head + words, width});
  } else {
    kernels::matmul(work.team, clusters_, x, count, {head, width});
  }
  float* narrow = frame.floats(count * dim_);
  for (const Tail& tail : tails_) {
    kernels::matmul(work.team, tail.projection, x, count, {narrow, tail.range.width});
    kernels::matmul(work.team, *tail.words, {narrow, tail.range.width}, count,
                    {out + tail.range.begin, vocab_});
  }
  split_rows(work, count, vocab_, [&](int64_t row) {
    kernels::log_softmax(head + row * width, width, 0.0F);
    std::copy_n(head + row * width, words, out + row * vocab_);
    for (int64_t i = 0; i < tails; ++i) {
      const AdaptiveBand& range = tails_[i].range;
      kernels::log_softmax(out + row * vocab_ + range.begin, range.size(), head[row * width + words + i]);
    }
  });
}

}  // namespace memsizer::runtime
