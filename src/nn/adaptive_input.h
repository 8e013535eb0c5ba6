#pragma once

#include <torch/torch.h>

#include <vector>

#include "model/tensor_list.h"
#include "nn/modules.h"

namespace memsizer::nn {

// Embeddings in bands of falling width (Baevski and Auli; docs/mathematics.md, Adaptive input): frequent
// tokens get the full width, rarer ones a narrower row and a projection to the full one.
class AdaptiveInputImpl : public torch::nn::Module {
 public:
  AdaptiveInputImpl(std::vector<AdaptiveBand> bands, int64_t dim);

  // tokens [...] -> [..., dim]
  at::Tensor forward(const at::Tensor& tokens) const;

  void initialise(at::Generator& generator);

  const std::vector<AdaptiveBand>& bands() const { return bands_; }
  const at::Tensor& embedding(size_t band) const { return embeddings_[band]->weight; }    // [size, width]
  const at::Tensor& projection(size_t band) const { return projections_[band]->weight; }  // [dim, width]

 private:
  std::vector<AdaptiveBand> bands_;
  int64_t dim_;
  std::vector<Linear> embeddings_;
  std::vector<Linear> projections_;
};
TORCH_MODULE(AdaptiveInput);

}  // namespace memsizer::nn
