#pragma once

#include <memory>
#include <vector>

#include "mechanisms/description.h"
#include "runtime/tensor_source.h"

namespace memsizer::runtime {

// The feature map phi of a linear-attention mechanism (its module has the same formulas), and the guard of
// its denominator. All calls are for one head and one token.
class FeatureMap {
 public:
  enum class Side { Query, Key };

  virtual ~FeatureMap() = default;

  virtual int64_t features() const = 0;

  // x [head_dim] -> out [features]. `scratch` has room for scratch_floats().
  virtual void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const = 0;
  virtual int64_t scratch_floats() const { return 0; }

  // What phi(q) . z is divided by.
  virtual float denominator(float norm) const = 0;

  // Some maps shift the features of all keys of a sequence by their largest exponent. This gives a key's own;
  // `apply_shifted` takes the largest of all.
  virtual bool shifts_keys() const { return false; }
  virtual float key_shift(const float* /*x*/, int64_t /*head*/, float* /*scratch*/) const { return 0.0F; }
  virtual void apply_shifted(const float* /*x*/, int64_t /*head*/, float /*shift*/, float* /*scratch*/,
                             float* /*out*/) const {}
};

// A matrix [features, head_dim] for each head, transposed so that a product is a pass over its rows.
class HeadMatrices {
 public:
  // From a tensor [heads, features, head_dim] (or one for all heads, [features, head_dim]), times `sigma`
  // [heads, 1, head_dim] unless that is empty.
  HeadMatrices(const MixerConfig& config, int64_t features, const std::vector<float>& numbers,
               const std::vector<float>& sigma, bool transposed = false);

  int64_t features() const { return features_; }
  int64_t head_dim() const { return head_dim_; }

  // out[f] = sum over channels of matrix[f, c] * x[c]
  void apply(int64_t head, const float* x, float* out) const;

 private:
  int64_t features_;
  int64_t head_dim_;
  std::vector<float> numbers_;  // [heads, head_dim, features]
};

// out = x * factor
void copy_scaled(const float* x, int64_t width, float factor, float* out);

}  // namespace memsizer::runtime
