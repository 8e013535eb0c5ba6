#include "nn/adaptive_input.h"

#include <cmath>
#include <utility>

#include "nn/init.h"

namespace memsizer::nn {

using at::Tensor;

AdaptiveInputImpl::AdaptiveInputImpl(std::vector<AdaptiveBand> bands, int64_t dim)
    : bands_(std::move(bands)), dim_(dim) {
  const auto list = register_module("embeddings", std::make_shared<torch::nn::Module>());
  for (size_t i = 0; i < bands_.size(); ++i) {
    const auto band = list->register_module(std::to_string(i), std::make_shared<torch::nn::Module>());
    embeddings_.push_back(
        band->register_module("0", Linear(bands_[i].width, bands_[i].size(), /*with_bias=*/false)));
    projections_.push_back(band->register_module("1", Linear(bands_[i].width, dim, /*with_bias=*/false)));
  }
}

void AdaptiveInputImpl::initialise(at::Generator& generator) {
  for (size_t i = 0; i < bands_.size(); ++i) {
    const Tensor& table = embeddings_[i]->weight;
    normal(table, 1.0 / std::sqrt(static_cast<double>(bands_[i].width)), generator);
    // The reference zeroes this row in every band, although only the first holds the padding token.
    if (table.size(0) > kPad) fill(table[kPad], 0.0);
    xavier_uniform(projections_[i]->weight, 1.0, generator);
  }
}

Tensor AdaptiveInputImpl::forward(const Tensor& tokens) const {
  const Tensor flat = tokens.reshape({-1});
  Tensor result = at::zeros({flat.size(0), dim_}, embeddings_[0]->weight.options().requires_grad(false));
  for (size_t i = 0; i < bands_.size(); ++i) {
    const Tensor rows = flat.ge(bands_[i].begin).logical_and(flat.lt(bands_[i].end)).nonzero().squeeze(1);
    if (rows.numel() == 0) continue;
    const Tensor ids = flat.index_select(0, rows) - bands_[i].begin;
    const int64_t padding_row = i == 0 ? kPad : -1;
    const Tensor narrow = at::embedding(embeddings_[i]->weight, ids, padding_row);
    result = result.index_copy(0, rows, projections_[i]->forward(narrow));
  }
  auto shape = tokens.sizes().vec();
  shape.push_back(dim_);
  return result.view(shape);
}

}  // namespace memsizer::nn
