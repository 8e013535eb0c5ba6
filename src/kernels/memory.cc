#include "kernels/memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/memory.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// What a pass over the memory does with a column's numbers, the slots in turn. Every pass multiplies and adds
// in this order, so that a write and a read come to the same as a step, whatever the ranges of columns.
struct MemoryPass {
  float decay = 1.0F;              // if it fades
  const float* left = nullptr;     // [slots], if it writes
  const float* right = nullptr;    // [width]
  const float* address = nullptr;  // [slots], if it reads
  int64_t slots = 0;
  float* memory = nullptr;
  int64_t stride = 0;
  float* out = nullptr;  // [width]
};

// The numbers that a pass has for one slot, in every lane.
struct SlotFactors {
  FloatVector decay;
  FloatVector left;
  FloatVector address;
};

enum class Does { Write, Read, Step, FadingStep };

constexpr bool writes(Does does) {
  return does != Does::Read;
}
constexpr bool reads(Does does) {
  return does != Does::Write;
}

// The new numbers of some columns of a slot.
template <Does kDoes>
HWY_INLINE FloatVector written(const SlotFactors& slot, FloatVector right, FloatVector before) {
  if constexpr (kDoes == Does::FadingStep) before = hn::Mul(slot.decay, before);
  return hn::MulAdd(slot.left, right, before);
}

// One slot's numbers of some neighbouring vectors of columns.
template <Does kDoes, int kSize>
HWY_INLINE void pass_slot(const SlotFactors& slot, float* memory, const float* right,
                          Pack<FloatVector, kSize>& sums) {
  FloatVector v = hn::LoadU(kFloats, memory);
  if constexpr (writes(kDoes)) {
    v = written<kDoes>(slot, hn::LoadU(kFloats, right), v);
    hn::StoreU(v, kFloats, memory);
  }
  if constexpr (reads(kDoes)) sums.first = hn::MulAdd(slot.address, v, sums.first);
  if constexpr (kSize > 1) {
    pass_slot<kDoes>(slot, memory + kLanes, writes(kDoes) ? right + kLanes : nullptr, sums.rest);
  }
}

template <Does kDoes>
HWY_INLINE SlotFactors factors_of(const MemoryPass& pass, int64_t j) {
  SlotFactors slot{hn::Set(kFloats, pass.decay), hn::Zero(kFloats), hn::Zero(kFloats)};
  if constexpr (writes(kDoes)) slot.left = hn::Set(kFloats, pass.left[j]);
  if constexpr (reads(kDoes)) slot.address = hn::Set(kFloats, pass.address[j]);
  return slot;
}

template <int kSize>
HWY_INLINE void store(const Pack<FloatVector, kSize>& sums, float* to) {
  hn::StoreU(sums.first, kFloats, to);
  if constexpr (kSize > 1) store(sums.rest, to + kLanes);
}

template <Does kDoes, int kSize>
HWY_INLINE void pass_columns(const MemoryPass& pass, int64_t column) {
  Pack<FloatVector, kSize> sums;
  set_zero(sums);
  float* memory = pass.memory + column;
  const float* right = writes(kDoes) ? pass.right + column : nullptr;
  for (int64_t j = 0; j < pass.slots; ++j) {
    pass_slot<kDoes>(factors_of<kDoes>(pass, j), memory, right, sums);
    memory += pass.stride;
  }
  if constexpr (reads(kDoes)) store(sums, pass.out + column);
}

template <Does kDoes>
HWY_INLINE void pass_all(const MemoryPass& pass, int64_t width) {
  // Vectors at a time: each visit of a slot then reads some whole cache lines, and the sums do not wait for
  // one another. The narrow memory of a group is half as wide.
  constexpr int kMany = 8;
  constexpr int kSome = 4;
  int64_t column = 0;
  for (; column + kMany * kLanes <= width; column += kMany * kLanes) pass_columns<kDoes, kMany>(pass, column);
  for (; column + kSome * kLanes <= width; column += kSome * kLanes) pass_columns<kDoes, kSome>(pass, column);
  for (; column + kLanes <= width; column += kLanes) pass_columns<kDoes, 1>(pass, column);
  if (column == width) return;
  const int64_t rest = width - column;
  const FloatVector right = writes(kDoes) ? load_some(pass.right + column, rest) : hn::Zero(kFloats);
  FloatVector sum = hn::Zero(kFloats);
  for (int64_t j = 0; j < pass.slots; ++j) {
    const SlotFactors slot = factors_of<kDoes>(pass, j);
    float* at = pass.memory + j * pass.stride + column;
    FloatVector v = load_some(at, rest);
    if constexpr (writes(kDoes)) {
      v = written<kDoes>(slot, right, v);
      store_some(v, at, rest);
    }
    if constexpr (reads(kDoes)) sum = hn::MulAdd(slot.address, v, sum);
  }
  if constexpr (reads(kDoes)) store_some(sum, pass.out + column, rest);
}

void memory_write(const float* left, const float* right, int64_t slots, int64_t width, float* memory,
                  int64_t stride) {
  pass_all<Does::Write>({.left = left, .right = right, .slots = slots, .memory = memory, .stride = stride},
                        width);
}

void memory_read(const float* address, const float* memory, int64_t slots, int64_t width, int64_t stride,
                 float* out) {
  // It writes nothing; the pass has one type of memory for all its uses.
  pass_all<Does::Read>({.address = address,
                        .slots = slots,
                        .memory = const_cast<float*>(memory),
                        .stride = stride,
                        .out = out},
                       width);
}

void memory_step(const float* left, const float* right, const float* address, int64_t slots, int64_t width,
                 float* memory, int64_t stride, float* out) {
  pass_all<Does::Step>({.left = left,
                        .right = right,
                        .address = address,
                        .slots = slots,
                        .memory = memory,
                        .stride = stride,
                        .out = out},
                       width);
}

void memory_fading_step(float decay, const float* left, const float* right, const float* address,
                        int64_t slots, int64_t width, float* memory, int64_t stride, float* out) {
  pass_all<Does::FadingStep>({.decay = decay,
                              .left = left,
                              .right = right,
                              .address = address,
                              .slots = slots,
                              .memory = memory,
                              .stride = stride,
                              .out = out},
                             width);
}

void convolution_step(const float* x, const float* weight, int64_t taps, int64_t seen, int64_t width,
                      float* ring, int64_t stride, float* out) {
  const int64_t rows = taps - 1;
  const int64_t oldest = rows > 0 ? seen % rows : 0;
  for (int64_t column = 0; column < width; column += kLanes) {
    const int64_t there = width - column;
    const FloatVector now = load_part(x + column, there);
    FloatVector sum = hn::MulAdd(load_part(weight + column, there), now, now);
    // From the newest, which is before the oldest in the ring, to the oldest.
    int64_t row = oldest;
    for (int64_t i = 1; i < taps; ++i) {
      row = row == 0 ? rows - 1 : row - 1;
      sum = hn::MulAdd(load_part(weight + i * stride + column, there),
                       load_part(ring + row * stride + column, there), sum);
    }
    store_part(sum, out + column, there);
    if (rows > 0) store_part(now, ring + oldest * stride + column, there);
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {

HWY_EXPORT(memory_write);
HWY_EXPORT(memory_read);
HWY_EXPORT(memory_step);
HWY_EXPORT(memory_fading_step);
HWY_EXPORT(convolution_step);

void memory_write(const float* left, const float* right, int64_t slots, int64_t width, float* memory,
                  int64_t stride) {
  HWY_DYNAMIC_DISPATCH(memory_write)(left, right, slots, width, memory, stride);
}

void memory_read(const float* address, const float* memory, int64_t slots, int64_t width, int64_t stride,
                 float* out) {
  HWY_DYNAMIC_DISPATCH(memory_read)(address, memory, slots, width, stride, out);
}

void memory_step(const float* left, const float* right, const float* address, int64_t slots, int64_t width,
                 float* memory, int64_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(memory_step)(left, right, address, slots, width, memory, stride, out);
}

void memory_fading_step(float decay, const float* left, const float* right, const float* address,
                        int64_t slots, int64_t width, float* memory, int64_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(memory_fading_step)(decay, left, right, address, slots, width, memory, stride, out);
}

void convolution_step(const float* x, const float* weight, int64_t taps, int64_t seen, int64_t width,
                      float* ring, int64_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(convolution_step)(x, weight, taps, seen, width, ring, stride, out);
}

}  // namespace memsizer::kernels
#endif
