#include "runtime/mixers/feature_map.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

// A matrix [features, head_dim] for each head, transposed so that a product is a pass over its rows.
class HeadMatrices {
 public:
  HeadMatrices(int64_t heads, int64_t features, int64_t head_dim)
      : features_(features), head_dim_(head_dim), numbers_(heads * features * head_dim) {}

  float& at(int64_t head, int64_t feature, int64_t channel) {
    return numbers_[(head * head_dim_ + channel) * features_ + feature];
  }

  int64_t features() const { return features_; }
  int64_t head_dim() const { return head_dim_; }

  // out[f] = sum over channels of matrix[f, c] * x[c]
  void apply(int64_t head, const float* x, float* out) const {
    kernels::memory_read(x, numbers_.data() + head * head_dim_ * features_, head_dim_, features_, features_,
                         out);
  }

 private:
  int64_t features_;
  int64_t head_dim_;
  std::vector<float> numbers_;
};

// From a tensor [heads, features, head_dim] (or one for all heads, [features, head_dim]), times `sigma`
// [heads, 1, head_dim] if that is there.
HeadMatrices head_matrices(const MixerConfig& config, int64_t features, const std::vector<float>& numbers,
                           const std::vector<float>& sigma, bool transposed = false) {
  const int64_t head_dim = config.head_dim();
  HeadMatrices matrices(config.heads, features, head_dim);
  const bool shared = static_cast<int64_t>(numbers.size()) == features * head_dim;
  for (int64_t h = 0; h < config.heads; ++h) {
    const float* from = numbers.data() + (shared ? 0 : h * features * head_dim);
    for (int64_t f = 0; f < features; ++f) {
      for (int64_t c = 0; c < head_dim; ++c) {
        const float number = transposed ? from[c * features + f] : from[f * head_dim + c];
        matrices.at(h, f, c) = sigma.empty() ? number : number * sigma[h * head_dim + c];
      }
    }
  }
  return matrices;
}

void copy_scaled(const float* x, int64_t width, float factor, float* out) {
  std::copy_n(x, width, out);
  kernels::scale(out, width, factor);
}

class EluMap : public FeatureMap {
 public:
  explicit EluMap(int64_t head_dim) : head_dim_(head_dim) {}

  int64_t features() const override { return head_dim_; }
  void apply(const float* x, int64_t /*head*/, Side /*side*/, float* /*scratch*/, float* out) const override {
    kernels::elu_plus_one(x, head_dim_, out);
  }
  float denominator(float norm) const override { return norm + 1e-6F; }

 private:
  int64_t head_dim_;
};

class RfaMap : public FeatureMap {
 public:
  RfaMap(const MixerConfig& config, const Weights& weights)
      : t2r_form_(config.rfa.form == RfaForm::T2r),
        causal_(config.position == Position::CausalSelf),
        masked_rule_(config.rfa.rule == RfaRule::Masked),
        matrices_(head_matrices(config, config.rfa.features.at(config.position),
                                weights.floats("random_matrices"), weights.floats_if_any("sigma"))),
        tau_(weights.floats("tau")) {
    tau_.resize(static_cast<size_t>(config.heads), tau_.front());
  }

  int64_t features() const override { return 2 * matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim() + matrices_.features(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    constexpr float kNormEpsilon = 1e-3F;
    const int64_t width = matrices_.head_dim();
    // The scale of the query matters only beside the epsilon, but it is there in the T2R repository.
    const float scale = t2r_form_ && side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    const float length = std::sqrt(kernels::dot(x, x, width)) * scale;
    const float tau = t2r_form_ ? tau_[head] * tau_[head] : tau_[head];
    copy_scaled(x, width, scale / ((length + kNormEpsilon) * tau), scratch);
    float* angles = scratch + width;
    matrices_.apply(head, scratch, angles);
    kernels::sin_cos(angles, matrices_.features(), t2r_form_ ? 0.01F : 0.1F, out);
  }

  float denominator(float norm) const override {
    if (t2r_form_) return std::max(causal_ ? norm : std::fabs(norm), 1e-2F);
    if (!causal_) return std::max(std::fabs(norm), 1.0F);
    return masked_rule_ ? std::max(std::fabs(norm), 1e-3F) : std::max(norm, 1.0F);
  }

 private:
  bool t2r_form_;
  bool causal_;
  bool masked_rule_;
  HeadMatrices matrices_;
  std::vector<float> tau_;
};

class T2rMap : public FeatureMap {
 public:
  T2rMap(const MixerConfig& config, const Weights& weights)
      : causal_(config.position == Position::CausalSelf),
        tau_(weights.floats("tau").front()),
        matrices_(head_matrices(config, config.t2r.features.at(config.position),
                                weights.floats("feat.weight"), weights.floats_if_any("sigma"))),
        bias_(weights.floats("feat.bias")) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const float scale = side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    copy_scaled(x, width, scale / tau_, scratch);
    matrices_.apply(head, scratch, out);
    kernels::add(out, bias_.data() + head * features(), features(), out);
    kernels::relu(out, features(), out);
  }

  float denominator(float norm) const override { return std::max(causal_ ? norm : std::fabs(norm), 1e-2F); }

 private:
  bool causal_;
  float tau_;
  HeadMatrices matrices_;
  std::vector<float> bias_;
};

// head_dim^-1/4 on both sides makes the kernel that of softmax attention.
float quarter_scale(int64_t head_dim) {
  return static_cast<float>(std::pow(static_cast<double>(head_dim), -0.25));
}

class FavorMap : public FeatureMap {
 public:
  FavorMap(const MixerConfig& config, const Weights& weights)
      : matrices_(head_matrices(config, config.performer.features.at(config.position) / 2,
                                weights.floats("omega"), {}, /*transposed=*/true)) {}

  int64_t features() const override { return 2 * matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side /*side*/, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const int64_t half = matrices_.features();
    copy_scaled(x, width, quarter_scale(width), scratch);
    const float offset =
        kernels::dot(scratch, scratch, width) / 2.0F + std::log(static_cast<float>(features())) / 2.0F;
    matrices_.apply(head, scratch, out);
    for (int64_t f = 0; f < half; ++f) {
      out[half + f] = -out[f] - offset;
      out[f] -= offset;
    }
    kernels::exponential(out, features(), out);
  }

  float denominator(float norm) const override { return norm + 1e-6F; }

 private:
  HeadMatrices matrices_;
};

// The stabilised original: its keys are shifted by the largest exponent of the whole sequence.
class SoftmaxKernelMap : public FeatureMap {
 public:
  SoftmaxKernelMap(const MixerConfig& config, const Weights& weights)
      : matrices_(head_matrices(config, config.performer.features.at(config.position),
                                weights.floats("projection_matrix"), {})) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return matrices_.head_dim() + features(); }
  bool shifts_keys() const override { return true; }

  void apply(const float* x, int64_t head, Side /*side*/, float* scratch, float* out) const override {
    apply_shifted(x, head, key_shift(x, head, scratch), scratch, out);
  }

  float key_shift(const float* x, int64_t head, float* scratch) const override {
    float* exponents = scratch + matrices_.head_dim();
    copy_scaled(x, matrices_.head_dim(), quarter_scale(matrices_.head_dim()), scratch);
    matrices_.apply(head, scratch, exponents);
    return *std::max_element(exponents, exponents + features());
  }

  void apply_shifted(const float* x, int64_t head, float shift, float* scratch, float* out) const override {
    constexpr float kKernelEpsilon = 1e-4F;
    const int64_t width = matrices_.head_dim();
    copy_scaled(x, width, quarter_scale(width), scratch);
    const float offset = kernels::dot(scratch, scratch, width) / 2.0F + shift;
    matrices_.apply(head, scratch, out);
    for (int64_t f = 0; f < features(); ++f) out[f] -= offset;
    kernels::exponential(out, features(), out);
    const float root = 1.0F / std::sqrt(static_cast<float>(features()));
    for (int64_t f = 0; f < features(); ++f) out[f] = (out[f] + kKernelEpsilon) * root;
  }

  float denominator(float norm) const override { return norm; }

 private:
  HeadMatrices matrices_;
};

class PrfMap : public FeatureMap {
 public:
  PrfMap(const MixerConfig& config, const Weights& weights)
      : causal_(config.position == Position::CausalSelf),
        tau_(weights.floats("tau").front()),
        matrices_(head_matrices(config, config.performer.features.at(config.position),
                                weights.floats("random_matrices"), {})) {}

  int64_t features() const override { return matrices_.features(); }
  int64_t scratch_floats() const override { return 2 * matrices_.head_dim(); }

  void apply(const float* x, int64_t head, Side side, float* scratch, float* out) const override {
    const int64_t width = matrices_.head_dim();
    const float scale = side == Side::Query ? 1.0F / std::sqrt(static_cast<float>(width)) : 1.0F;
    copy_scaled(x, width, scale * quarter_scale(width), scratch);
    const float half_square = kernels::dot(scratch, scratch, width) / 2.0F;
    float* tempered = scratch + width;
    copy_scaled(scratch, width, 1.0F / tau_, tempered);
    matrices_.apply(head, tempered, out);
    const float offset = half_square + *std::max_element(out, out + features());
    for (int64_t f = 0; f < features(); ++f) out[f] -= offset;
    kernels::exponential(out, features(), out);
    kernels::scale(out, features(), 0.01F);
  }

  float denominator(float norm) const override { return std::max(causal_ ? norm : std::fabs(norm), 1e-2F); }

 private:
  bool causal_;
  float tau_;
  HeadMatrices matrices_;
};

std::unique_ptr<FeatureMap> make_performer_map(const MixerConfig& config, const Weights& weights) {
  switch (config.performer.form) {
    case PerformerForm::Favor:
      return std::make_unique<FavorMap>(config, weights);
    case PerformerForm::SoftmaxKernel:
      if (config.position == Position::CausalSelf) {
        throw UserError(
            "performer with form softmax-kernel cannot generate: its keys are shifted by a maximum over the "
            "whole sequence; train with model.performer.form=favor");
      }
      return std::make_unique<SoftmaxKernelMap>(config, weights);
    case PerformerForm::Prf:
      return std::make_unique<PrfMap>(config, weights);
  }
  throw std::logic_error("performer form without a feature map");
}

}  // namespace

std::unique_ptr<FeatureMap> make_feature_map(const MixerConfig& config, const Weights& weights) {
  switch (config.mechanism) {
    case Mechanism::Elu:
      return std::make_unique<EluMap>(config.head_dim());
    case Mechanism::Rfa:
      return std::make_unique<RfaMap>(config, weights);
    case Mechanism::T2r:
      return std::make_unique<T2rMap>(config, weights);
    case Mechanism::Performer:
      return make_performer_map(config, weights);
    default:
      throw std::logic_error("mechanism without a feature map");
  }
}

}  // namespace memsizer::runtime
