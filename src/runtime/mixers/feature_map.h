#pragma once

#include <memory>

#include "core/error.h"
#include "model/model_config.h"
#include "runtime/tensor_source.h"

namespace memsizer::runtime {

// The feature map phi of a linear-attention mechanism (nn/mixers has the same formulas), and the guard of its
// denominator. All calls are for one head and one token.
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

// Of elu, rfa, t2r and performer.
std::unique_ptr<FeatureMap> make_feature_map(const MixerConfig& config, const Weights& weights);

}  // namespace memsizer::runtime
