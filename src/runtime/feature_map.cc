#include "runtime/feature_map.h"

#include <algorithm>

#include "kernels/memory.h"
#include "kernels/rows.h"

namespace memsizer::runtime {

HeadMatrices::HeadMatrices(const MixerConfig& config, int64_t features, const std::vector<float>& numbers,
                           const std::vector<float>& sigma, bool transposed)
    : features_(features),
      head_dim_(config.head_dim()),
      numbers_(static_cast<size_t>(config.heads * features * config.head_dim())) {
  const bool shared = static_cast<int64_t>(numbers.size()) == features_ * head_dim_;
  for (int64_t h = 0; h < config.heads; ++h) {
    const float* from = numbers.data() + (shared ? 0 : h * features_ * head_dim_);
    for (int64_t f = 0; f < features_; ++f) {
      for (int64_t c = 0; c < head_dim_; ++c) {
        const float number = transposed ? from[c * features_ + f] : from[f * head_dim_ + c];
        numbers_[(h * head_dim_ + c) * features_ + f] =
            sigma.empty() ? number : number * sigma[h * head_dim_ + c];
      }
    }
  }
}

void HeadMatrices::apply(int64_t head, const float* x, float* out) const {
  kernels::memory_read(x, numbers_.data() + head * head_dim_ * features_, head_dim_, features_, features_,
                       out);
}

void copy_scaled(const float* x, int64_t width, float factor, float* out) {
  std::copy_n(x, width, out);
  kernels::scale(out, width, factor);
}

}  // namespace memsizer::runtime
