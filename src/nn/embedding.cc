#include "nn/embedding.h"

#include <cmath>

#include "nn/init.h"

namespace memsizer::nn {

TokenEmbeddingImpl::TokenEmbeddingImpl(int64_t vocab, int64_t dim) {
  weight = register_parameter("weight", at::empty({vocab, dim}));
}

void TokenEmbeddingImpl::initialise(at::Generator& generator) {
  normal(weight, 1.0 / std::sqrt(static_cast<double>(weight.size(1))), generator);
  fill(weight[kPad], 0.0);
}

}  // namespace memsizer::nn
