#include "train/linear_cross_entropy.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/special_tokens.h"
#include "nn/simd.h"

namespace memsizer::train {
namespace {

using at::Tensor;

// Logits of one block: 8 MB, which stays in the last-level cache between the three products that use it.
constexpr int64_t kBlockElements = 1 << 21;

struct RowLoss {
  double smoothed = 0.0;
  double nll = 0.0;
  double teacher = 0.0;
};

// Turns one row of logits into its gradient, softmax - epsilon/V - (1 - epsilon) at the target, in place.
template <typename T>
[[gnu::always_inline]] inline RowLoss row_of(T* row, int64_t vocab, int64_t target, double epsilon) {
  T highest = row[0];
  T total = 0;
#pragma omp simd reduction(max : highest) reduction(+ : total)
  for (int64_t v = 0; v < vocab; ++v) {
    highest = std::max(highest, row[v]);
    total += row[v];
  }
  const double target_logit = static_cast<double>(row[target]);
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t v = 0; v < vocab; ++v) {
    row[v] = nn::fast_exp(row[v] - highest);
    sum += row[v];
  }
  const T inverse = T(1) / sum;
  const T spread = static_cast<T>(epsilon / static_cast<double>(vocab));
#pragma omp simd
  for (int64_t v = 0; v < vocab; ++v) row[v] = row[v] * inverse - spread;
  row[target] -= static_cast<T>(1.0 - epsilon);
  const double log_sum = static_cast<double>(highest) + std::log(static_cast<double>(sum));
  const double nll = log_sum - target_logit;
  const double mean = log_sum - static_cast<double>(total) / static_cast<double>(vocab);
  return {(1.0 - epsilon) * nll + epsilon * mean, nll};
}

// The same with a teacher, whose logits are in `said`. With w its share and p, q the two distributions at
// temperature T, the gradient is (1 - w) times that of above + w T (p - q).
template <typename T>
[[gnu::always_inline]] inline RowLoss taught_row_of(T* row, T* said, int64_t vocab, int64_t target,
                                                    double epsilon, double share, double temperature) {
  const T cool = static_cast<T>(1.0 / temperature);
  T highest = row[0];
  T highest_said = said[0];
#pragma omp simd reduction(max : highest, highest_said)
  for (int64_t v = 0; v < vocab; ++v) {
    highest = std::max(highest, row[v]);
    highest_said = std::max(highest_said, said[v]);
  }
  T sum_said = 0;
  T sum_cool = 0;
  T expected = 0;  // of the model's logit, by the teacher
#pragma omp simd reduction(+ : sum_said, sum_cool, expected)
  for (int64_t v = 0; v < vocab; ++v) {
    const T logit = (row[v] - highest) * cool;
    said[v] = nn::fast_exp((said[v] - highest_said) * cool);
    sum_said += said[v];
    expected += said[v] * logit;
    sum_cool += nn::fast_exp(logit);
  }
  const T pull = static_cast<T>(share * temperature);
  const T pull_own = pull / sum_cool;
  const T pull_said = pull / sum_said;
#pragma omp simd
  for (int64_t v = 0; v < vocab; ++v)
    said[v] = pull_own * nn::fast_exp((row[v] - highest) * cool) - pull_said * said[v];
  RowLoss loss = row_of(row, vocab, target, epsilon);
  loss.teacher =
      std::log(static_cast<double>(sum_cool)) - static_cast<double>(expected) / static_cast<double>(sum_said);
  const T keep = static_cast<T>(1.0 - share);
#pragma omp simd
  for (int64_t v = 0; v < vocab; ++v) row[v] = keep * row[v] + said[v];
  return loss;
}

MEMSIZER_SIMD_CLONES RowLoss row_kernel(float* row, int64_t vocab, int64_t target, double epsilon) {
  return row_of(row, vocab, target, epsilon);
}

MEMSIZER_SIMD_CLONES RowLoss row_kernel(double* row, int64_t vocab, int64_t target, double epsilon) {
  return row_of(row, vocab, target, epsilon);
}

MEMSIZER_SIMD_CLONES RowLoss taught_row_kernel(float* row, float* said, int64_t vocab, int64_t target,
                                               double epsilon, double share, double temperature) {
  return taught_row_of(row, said, vocab, target, epsilon, share, temperature);
}

MEMSIZER_SIMD_CLONES RowLoss taught_row_kernel(double* row, double* said, int64_t vocab, int64_t target,
                                               double epsilon, double share, double temperature) {
  return taught_row_of(row, said, vocab, target, epsilon, share, temperature);
}

struct Gradients {
  Tensor features;
  Tensor weight;
};

// The rows of a lesson that are kept.
std::optional<Lesson> kept_rows(const Lesson* lesson, const Tensor& kept) {
  if (!lesson) return std::nullopt;
  Lesson some = *lesson;
  some.features = lesson->features.index_select(0, kept);
  return some;
}

// What is differentiated.
double value_of(const RowLoss& loss, const Lesson* lesson) {
  if (!lesson) return loss.smoothed;
  return (1.0 - lesson->share) * loss.smoothed +
         lesson->share * lesson->temperature * lesson->temperature * loss.teacher;
}

// x [rows, dim] and the lesson without padding. Gradients are of the sum; they are made only if asked for.
RowLoss compute(const Tensor& x, const Tensor& weight, const Tensor& targets, double epsilon,
                const std::optional<Lesson>& lesson, Gradients* gradients) {
  const int64_t rows = x.size(0);
  const int64_t vocab = weight.size(0);
  const int64_t block = std::clamp<int64_t>(kBlockElements / vocab, 32, 1024);
  const Tensor logits = at::empty({std::min(block, rows), vocab}, x.options());
  const Tensor taught = lesson ? at::empty_like(logits) : Tensor();
  std::vector<RowLoss> losses(static_cast<size_t>(rows));
  const int64_t* target = targets.data_ptr<int64_t>();
  for (int64_t begin = 0; begin < rows; begin += block) {
    const int64_t end = std::min(rows, begin + block);
    const Tensor x_block = x.slice(0, begin, end);
    Tensor scores = logits.slice(0, 0, end - begin);
    at::mm_out(scores, x_block, weight.t());
    Tensor said;
    if (lesson) {
      said = taught.slice(0, 0, end - begin);
      at::mm_out(said, lesson->features.slice(0, begin, end), lesson->weight.t());
    }
    AT_DISPATCH_FLOATING_TYPES(scores.scalar_type(), "linear_cross_entropy", [&] {
      auto* data = scores.data_ptr<scalar_t>();
      auto* words = lesson ? said.data_ptr<scalar_t>() : nullptr;
      at::parallel_for(0, end - begin, 4, [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; ++i) {
          losses[begin + i] =
              lesson ? taught_row_kernel(data + i * vocab, words + i * vocab, vocab, target[begin + i],
                                         epsilon, lesson->share, lesson->temperature)
                     : row_kernel(data + i * vocab, vocab, target[begin + i], epsilon);
        }
      });
    });
    if (!gradients) continue;
    Tensor d_block = gradients->features.slice(0, begin, end);
    at::mm_out(d_block, scores, weight);
    gradients->weight.addmm_(scores.t(), x_block);
  }
  // Row after row, so that the sum does not depend on the number of threads.
  RowLoss total;
  for (const RowLoss& loss : losses) {
    total.smoothed += loss.smoothed;
    total.nll += loss.nll;
    total.teacher += loss.teacher;
  }
  return total;
}

Tensor scalar(double value) {
  return at::full({}, value, at::kDouble);
}

class LinearCrossEntropy : public torch::autograd::Function<LinearCrossEntropy> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& features, const Tensor& weight,
                                                const Tensor& targets, double epsilon, const Lesson* lesson) {
    const Tensor kept = targets.ne(kPad).nonzero().squeeze(1);
    const Tensor x = features.index_select(0, kept);
    Gradients gradients{at::empty_like(x), at::zeros_like(weight)};
    const RowLoss loss =
        compute(x, weight, targets.index_select(0, kept), epsilon, kept_rows(lesson, kept), &gradients);
    context->saved_data["features"] =
        at::zeros(features.sizes(), x.options()).index_copy_(0, kept, gradients.features);
    context->saved_data["weight"] = gradients.weight;
    const torch::autograd::variable_list told = {scalar(loss.nll), scalar(loss.smoothed),
                                                 scalar(loss.teacher)};
    context->mark_non_differentiable(told);
    return {scalar(value_of(loss, lesson)), told[0], told[1], told[2]};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    Tensor d_features = context->saved_data["features"].toTensor();
    Tensor d_weight = context->saved_data["weight"].toTensor();
    context->saved_data.clear();
    const double factor = gradients[0].item<double>();
    if (factor != 1.0) {
      d_features.mul_(factor);
      d_weight.mul_(factor);
    }
    return {d_features, d_weight, {}, {}, {}};
  }
};

bool has_kernel(const Tensor& features, const Tensor& weight) {
  return features.device().is_cpu() && features.scalar_type() == weight.scalar_type() &&
         (features.scalar_type() == at::kFloat || features.scalar_type() == at::kDouble);
}

}  // namespace

Loss linear_cross_entropy(const Tensor& features, const Tensor& weight, const Tensor& targets, double epsilon,
                          const Lesson* lesson) {
  if (!has_kernel(features, weight)) {
    const Tensor logits = at::linear(features, weight);
    return lesson ? distillation_loss(logits, targets, epsilon, *lesson)
                  : label_smoothed_loss(logits, targets, epsilon);
  }
  const Tensor dense = features.contiguous();
  if (at::GradMode::is_enabled() && (features.requires_grad() || weight.requires_grad())) {
    const torch::autograd::variable_list losses =
        LinearCrossEntropy::apply(dense, weight, targets, epsilon, lesson);
    if (!lesson) return {losses[0], losses[1], {}, {}};
    return {losses[0], losses[1], losses[2], losses[3]};
  }
  const Tensor kept = targets.ne(kPad).nonzero().squeeze(1);
  const RowLoss loss = compute(dense.index_select(0, kept), weight, targets.index_select(0, kept), epsilon,
                               kept_rows(lesson, kept), nullptr);
  const Tensor value = scalar(value_of(loss, lesson));
  if (!lesson) return {value, scalar(loss.nll), {}, {}};
  return {value, scalar(loss.nll), scalar(loss.smoothed), scalar(loss.teacher)};
}

}  // namespace memsizer::train
