#include "kernels/rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// The whole vectors of a row of `width` numbers.
HWY_INLINE int64_t whole_part(int64_t width) {
  return width / kLanes * kLanes;
}

// out[i] = function(x[i]).
template <typename Function>
HWY_INLINE void map(const float* x, int64_t width, float* out, const Function& function) {
  const int64_t whole = whole_part(width);
  for (int64_t i = 0; i < whole; i += kLanes) {
    hn::StoreU(function(hn::LoadU(kFloats, x + i)), kFloats, out + i);
  }
  if (whole < width) store_some(function(load_some(x + whole, width - whole)), out + whole, width - whole);
}

// out[i] = function(x[i], y[i]).
template <typename Function>
HWY_INLINE void map(const float* x, const float* y, int64_t width, float* out, const Function& function) {
  const int64_t whole = whole_part(width);
  for (int64_t i = 0; i < whole; i += kLanes) {
    hn::StoreU(function(hn::LoadU(kFloats, x + i), hn::LoadU(kFloats, y + i)), kFloats, out + i);
  }
  if (whole < width) {
    const int64_t rest = width - whole;
    store_some(function(load_some(x + whole, rest), load_some(y + whole, rest)), out + whole, rest);
  }
}

HWY_INLINE float sum_of_lanes(FloatVector x) {
  return hn::GetLane(hn::SumOfLanes(kFloats, x));
}

// The first `count` lanes, and zeros.
HWY_INLINE FloatVector only_first(FloatVector x, int64_t count) {
  return hn::IfThenElseZero(hn::FirstN(kFloats, static_cast<size_t>(count)), x);
}

void layer_norm(const float* x, const float* weight, const float* bias, int64_t width, float* out) {
  const int64_t whole = whole_part(width);
  const int64_t rest = width - whole;
  FloatVector sums = hn::Zero(kFloats);
  for (int64_t i = 0; i < whole; i += kLanes) sums = hn::Add(sums, hn::LoadU(kFloats, x + i));
  if (rest > 0) sums = hn::Add(sums, load_some(x + whole, rest));
  const float numbers = static_cast<float>(width);
  const FloatVector mean = hn::Set(kFloats, sum_of_lanes(sums) / numbers);

  FloatVector squares = hn::Zero(kFloats);
  for (int64_t i = 0; i < whole; i += kLanes) {
    const FloatVector difference = hn::Sub(hn::LoadU(kFloats, x + i), mean);
    squares = hn::MulAdd(difference, difference, squares);
  }
  if (rest > 0) {
    const FloatVector difference = only_first(hn::Sub(load_some(x + whole, rest), mean), rest);
    squares = hn::MulAdd(difference, difference, squares);
  }
  const float variance = sum_of_lanes(squares) / numbers;
  const FloatVector inverse = hn::Set(kFloats, 1.0F / std::sqrt(variance + kLayerNormEpsilon));

  const FloatVector one = hn::Set(kFloats, 1.0F);
  const FloatVector zero = hn::Zero(kFloats);
  const auto scaled = [&](FloatVector v, FloatVector w, FloatVector b)
                          HWY_ATTR { return hn::MulAdd(hn::Mul(hn::Sub(v, mean), inverse), w, b); };
  for (int64_t i = 0; i < whole; i += kLanes) {
    const FloatVector w = weight ? hn::LoadU(kFloats, weight + i) : one;
    const FloatVector b = bias ? hn::LoadU(kFloats, bias + i) : zero;
    hn::StoreU(scaled(hn::LoadU(kFloats, x + i), w, b), kFloats, out + i);
  }
  if (rest > 0) {
    const FloatVector w = weight ? load_some(weight + whole, rest) : one;
    const FloatVector b = bias ? load_some(bias + whole, rest) : zero;
    store_some(scaled(load_some(x + whole, rest), w, b), out + whole, rest);
  }
}

void add(const float* x, const float* y, int64_t width, float* out) {
  map(x, y, width, out, [](FloatVector a, FloatVector b) HWY_ATTR { return hn::Add(a, b); });
}

void add_layer_norm(const float* x, const float* y, const float* weight, const float* bias, int64_t width,
                    float* out) {
  add(x, y, width, out);
  layer_norm(out, weight, bias, width, out);
}

void scale(float* x, int64_t width, float factor) {
  const FloatVector by = hn::Set(kFloats, factor);
  map(x, width, x, [by](FloatVector v) HWY_ATTR { return hn::Mul(v, by); });
}

void softmax(float* x, int64_t width) {
  scale(x, width, 1.0F / exponentials_of_differences(x, width));
}

// One vector of columns; load and store take a place, and only some of its numbers at a row's end.
template <typename Load, typename Store>
HWY_INLINE void column_softmax_of(int64_t rows, int64_t stride, const Load& load, const Store& store) {
  FloatVector most = load(0);
  for (int64_t i = 1; i < rows; ++i) most = hn::Max(most, load(i * stride));
  FloatVector sum = hn::Zero(kFloats);
  for (int64_t i = 0; i < rows; ++i) {
    const FloatVector power = exponential_of(hn::Sub(load(i * stride), most));
    store(power, i * stride);
    sum = hn::Add(sum, power);
  }
  const FloatVector inverse = hn::Div(hn::Set(kFloats, 1.0F), sum);
  for (int64_t i = 0; i < rows; ++i) store(hn::Mul(load(i * stride), inverse), i * stride);
}

void column_softmax(float* x, int64_t rows, int64_t stride, int64_t width) {
  const int64_t whole = whole_part(width);
  for (int64_t j = 0; j < whole; j += kLanes) {
    column_softmax_of(
        rows, stride, [&](int64_t at) HWY_ATTR { return hn::LoadU(kFloats, x + j + at); },
        [&](FloatVector v, int64_t at) HWY_ATTR { hn::StoreU(v, kFloats, x + j + at); });
  }
  if (whole < width) {
    const int64_t rest = width - whole;
    column_softmax_of(
        rows, stride, [&](int64_t at) HWY_ATTR { return load_some(x + whole + at, rest); },
        [&](FloatVector v, int64_t at) HWY_ATTR { store_some(v, x + whole + at, rest); });
  }
}

void log_softmax(float* x, int64_t width, float shift) {
  // A vocabulary's numbers are added up in parts, which keep their last digits.
  constexpr int64_t kPart = 1024;
  const FloatVector most = hn::Set(kFloats, largest_of(x, width));
  const auto power = [most](FloatVector v) HWY_ATTR { return exponential_of(hn::Sub(v, most)); };
  const int64_t whole = whole_part(width);
  double sum = 0.0;
  for (int64_t begin = 0; begin < whole; begin += kPart) {
    FloatVector part = hn::Zero(kFloats);
    for (int64_t i = begin; i < std::min(begin + kPart, whole); i += kLanes)
      part = hn::Add(part, power(hn::LoadU(kFloats, x + i)));
    sum += static_cast<double>(sum_of_lanes(part));
  }
  if (whole < width) {
    float rest[kLanes];
    hn::StoreU(power(load_some(x + whole, width - whole)), kFloats, rest);
    for (int64_t i = 0; i < width - whole; ++i) sum += static_cast<double>(rest[i]);
  }
  const FloatVector minus = hn::Set(kFloats, static_cast<float>(std::log(sum) - static_cast<double>(shift)));
  map(x, width, x, [=](FloatVector v) HWY_ATTR { return hn::Sub(hn::Sub(v, most), minus); });
}

void mean_softmax(float* logits, int64_t heads, int64_t slots, float scale, float* out) {
  const int64_t whole = whole_part(slots);
  for (int64_t head = 0; head < heads; ++head) {
    float* row = logits + head * slots;
    const float sum = exponentials_of_differences(row, slots);
    const FloatVector share = hn::Set(kFloats, scale / (static_cast<float>(heads) * sum));
    const auto add_share = [&](FloatVector before, FloatVector v)
                               HWY_ATTR { return hn::MulAdd(v, share, before); };
    if (head == 0) {
      map(row, slots, out, [share](FloatVector v) HWY_ATTR { return hn::Mul(v, share); });
      continue;
    }
    for (int64_t i = 0; i < whole; i += kLanes) {
      hn::StoreU(add_share(hn::LoadU(kFloats, out + i), hn::LoadU(kFloats, row + i)), kFloats, out + i);
    }
    if (whole < slots) {
      const int64_t rest = slots - whole;
      store_some(add_share(load_some(out + whole, rest), load_some(row + whole, rest)), out + whole, rest);
    }
  }
}

int64_t argmax(const float* x, int64_t width) {
  // The largest number first, which vectors find fast, then its place.
  const int64_t whole = whole_part(width);
  FloatVector a = hn::Set(kFloats, x[0]);
  FloatVector b = a;
  int64_t i = 0;
  for (; i + 2 * kLanes <= whole; i += 2 * kLanes) {
    a = hn::Max(hn::LoadU(kFloats, x + i), a);
    b = hn::Max(hn::LoadU(kFloats, x + i + kLanes), b);
  }
  for (; i < whole; i += kLanes) a = hn::Max(hn::LoadU(kFloats, x + i), a);
  float most = hn::GetLane(hn::MaxOfLanes(kFloats, hn::Max(a, b)));
  for (; i < width; ++i) most = x[i] > most ? x[i] : most;
  const FloatVector wanted = hn::Set(kFloats, most);
  for (i = 0; i < whole; i += kLanes) {
    if (!hn::AllFalse(kFloats, hn::Eq(hn::LoadU(kFloats, x + i), wanted))) break;
  }
  while (i < width && !(x[i] == most)) ++i;
  return i < width ? i : 0;
}

float dot(const float* x, const float* y, int64_t width) {
  // Four sums, as one would wait for itself.
  const int64_t whole = whole_part(width);
  FloatVector a = hn::Zero(kFloats);
  FloatVector b = a;
  FloatVector c = a;
  FloatVector d = a;
  const auto product = [&](int64_t at, FloatVector sum) HWY_ATTR {
    return hn::MulAdd(hn::LoadU(kFloats, x + at), hn::LoadU(kFloats, y + at), sum);
  };
  int64_t i = 0;
  for (; i + 4 * kLanes <= whole; i += 4 * kLanes) {
    a = product(i, a);
    b = product(i + kLanes, b);
    c = product(i + 2 * kLanes, c);
    d = product(i + 3 * kLanes, d);
  }
  for (; i < whole; i += kLanes) a = product(i, a);
  if (whole < width)
    b = hn::MulAdd(load_some(x + whole, width - whole), load_some(y + whole, width - whole), b);
  return sum_of_lanes(hn::Add(hn::Add(a, b), hn::Add(c, d)));
}

void elu_plus_one(const float* x, int64_t width, float* out) {
  map(x, width, out, [](FloatVector v) HWY_ATTR {
    const FloatVector zero = hn::Zero(kFloats);
    return hn::IfThenElse(hn::Gt(v, zero), hn::Add(v, hn::Set(kFloats, 1.0F)),
                          exponential_of(hn::Min(zero, v)));
  });
}

void exponential(const float* x, int64_t width, float* out) {
  map(x, width, out, [](FloatVector v) HWY_ATTR { return exponential_of(v); });
}

void sin_cos(const float* angles, int64_t width, float factor, float* out) {
  const FloatVector by = hn::Set(kFloats, factor);
  map(angles, width, out, [by](FloatVector v) HWY_ATTR { return hn::Mul(hn::Sin(kFloats, v), by); });
  map(angles, width, out + width, [by](FloatVector v) HWY_ATTR { return hn::Mul(hn::Cos(kFloats, v), by); });
}

void sigmoid(const float* x, int64_t width, float* out) {
  map(x, width, out, [](FloatVector v) HWY_ATTR { return sigmoid_of(v); });
}

void relu(const float* x, int64_t width, float* out) {
  map(x, width, out, [](FloatVector v) HWY_ATTR { return relu_of(v); });
}

void silu_gate(const float* x, const float* gate, int64_t width, float* out) {
  map(x, gate, width, out,
      [](FloatVector v, FloatVector g) HWY_ATTR { return hn::Mul(v, hn::Mul(g, sigmoid_of(g))); });
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(layer_norm);
HWY_EXPORT(add_layer_norm);
HWY_EXPORT(add);
HWY_EXPORT(mean_softmax);
HWY_EXPORT(softmax);
HWY_EXPORT(column_softmax);
HWY_EXPORT(log_softmax);
HWY_EXPORT(argmax);
HWY_EXPORT(dot);
HWY_EXPORT(scale);
HWY_EXPORT(elu_plus_one);
HWY_EXPORT(exponential);
HWY_EXPORT(sin_cos);
HWY_EXPORT(sigmoid);
HWY_EXPORT(relu);
HWY_EXPORT(silu_gate);

void layer_norm(const float* x, const float* weight, const float* bias, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(layer_norm)(x, weight, bias, width, out);
}

void add_layer_norm(const float* x, const float* y, const float* weight, const float* bias, int64_t width,
                    float* out) {
  HWY_DYNAMIC_DISPATCH(add_layer_norm)(x, y, weight, bias, width, out);
}

void add(const float* x, const float* y, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(add)(x, y, width, out);
}

void mean_softmax(float* logits, int64_t heads, int64_t slots, float scale, float* out) {
  HWY_DYNAMIC_DISPATCH(mean_softmax)(logits, heads, slots, scale, out);
}

void softmax(float* x, int64_t width) {
  HWY_DYNAMIC_DISPATCH(softmax)(x, width);
}

void column_softmax(float* x, int64_t rows, int64_t stride, int64_t width) {
  HWY_DYNAMIC_DISPATCH(column_softmax)(x, rows, stride, width);
}

void log_softmax(float* x, int64_t width, float shift) {
  HWY_DYNAMIC_DISPATCH(log_softmax)(x, width, shift);
}

int64_t argmax(const float* x, int64_t width) {
  return HWY_DYNAMIC_DISPATCH(argmax)(x, width);
}

float dot(const float* x, const float* y, int64_t width) {
  return HWY_DYNAMIC_DISPATCH(dot)(x, y, width);
}

void scale(float* x, int64_t width, float factor) {
  HWY_DYNAMIC_DISPATCH(scale)(x, width, factor);
}

void elu_plus_one(const float* x, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(elu_plus_one)(x, width, out);
}

void exponential(const float* x, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(exponential)(x, width, out);
}

void sin_cos(const float* angles, int64_t width, float factor, float* out) {
  HWY_DYNAMIC_DISPATCH(sin_cos)(angles, width, factor, out);
}

void sigmoid(const float* x, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(sigmoid)(x, width, out);
}

void relu(const float* x, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(relu)(x, width, out);
}

void silu_gate(const float* x, const float* gate, int64_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(silu_gate)(x, gate, width, out);
}

}  // namespace memsizer::kernels
#endif
