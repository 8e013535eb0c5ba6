#include "kernels/attention.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cc"
#include <hwy/foreach_target.h>
// After foreach_target.h, which includes this file once more for each instruction set.
#include <hwy/highway.h>

#include "kernels/vectors-inl.h"

// Two orders of the same work. One query alone, over a cache that may be larger than any of the processor's:
// token by token, the keys (then the values) of several heads in one stream. Many queries: head by head, in
// groups that pass over the tokens a block at a time, so that the block stays in the nearest cache, and in
// pairs, so that each key and value loaded serves both. Either way a score is one sum of vectors in the order
// of the head's numbers, added up across lanes by a fixed tree, and an output one chain over the tokens in
// their order: a query's result is the same, bit for bit, in any company.
#ifndef MEMSIZER_KERNELS_ATTENTION_ONCE
#define MEMSIZER_KERNELS_ATTENTION_ONCE
namespace memsizer::kernels {

// The heads of one query that share a pass over the tokens: keys of 8 heads of 64 are half a page.
inline constexpr int64_t kHeadsOfPass = 8;

// Tokens whose scores are computed together.
inline constexpr int64_t kTokensOfStep = 4;

// Keys of a block of tokens, 16 KB with heads of 64, serve all queries of a group before the next block.
inline constexpr int64_t kTokensOfBlock = 64;
inline constexpr int64_t kQueriesOfGroup = 32;
static_assert(kTokensOfBlock % kTokensOfStep == 0 && kQueriesOfGroup % 2 == 0);

// From so many queries on, a head's keys and values are first copied to lie one after the other: in the cache
// of a model they are some KB apart, where a few of them push each other out of the nearest cache.
inline constexpr int64_t kWorthCopying = 8;

}  // namespace memsizer::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace memsizer::kernels::HWY_NAMESPACE {

// The sums of four vectors' lanes, in one vector of four. Each is (lanes 0 + 2) + (lanes 1 + 3) of a block of
// 128 bits, then the blocks from the first to the last.
HWY_INLINE void store_sums(const Pack<FloatVector, 4>& sums, float* to) {
  const FloatVector a = sums.first;
  const FloatVector b = sums.rest.first;
  const FloatVector c = sums.rest.rest.first;
  const FloatVector d = sums.rest.rest.rest.first;
#if HWY_TARGET == HWY_SCALAR
  to[0] = hn::GetLane(a);
  to[1] = hn::GetLane(b);
  to[2] = hn::GetLane(c);
  to[3] = hn::GetLane(d);
#else
  const hn::Repartition<double, Floats> pairs;
  const FloatVector ab = hn::Add(hn::InterleaveLower(kFloats, a, b), hn::InterleaveUpper(kFloats, a, b));
  const FloatVector cd = hn::Add(hn::InterleaveLower(kFloats, c, d), hn::InterleaveUpper(kFloats, c, d));
  const auto ab_pairs = hn::BitCast(pairs, ab);
  const auto cd_pairs = hn::BitCast(pairs, cd);
  const FloatVector blocks = hn::Add(hn::BitCast(kFloats, hn::InterleaveLower(pairs, ab_pairs, cd_pairs)),
                                     hn::BitCast(kFloats, hn::InterleaveUpper(pairs, ab_pairs, cd_pairs)));
  if constexpr (kLanes == 4) {
    hn::StoreU(blocks, kFloats, to);
  } else {
    const hn::Half<Floats> half;
    const auto folded = hn::Add(hn::LowerHalf(half, blocks), hn::UpperHalf(half, blocks));
    if constexpr (kLanes == 8) {
      hn::StoreU(folded, half, to);
    } else {
      const hn::Half<decltype(half)> quarter;
      hn::StoreU(hn::Add(hn::LowerHalf(quarter, folded), hn::UpperHalf(quarter, folded)), quarter, to);
    }
  }
#endif
}

// The keys and values of some tokens, from the first head of interest on.
struct Tokens {
  const float* keys = nullptr;
  const float* values = nullptr;
  int64_t stride = 0;
  const int32_t* list = nullptr;

  Tokens(const AttentionTask& task, int64_t first_head)
      : keys(task.keys + first_head * task.head_dim),
        values(task.values + first_head * task.head_dim),
        stride(task.stride),
        list(task.tokens) {}

  const float* key(int64_t i) const { return keys + (list ? list[i] : i) * stride; }
  const float* value(int64_t i) const { return values + (list ? list[i] : i) * stride; }

  // From here on copies of one head's, in `room` for 2 * count * head_dim numbers.
  void copy(int64_t count, int64_t head_dim, float* room) {
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(key(i), head_dim, room + i * head_dim);
      std::copy_n(value(i), head_dim, room + (count + i) * head_dim);
    }
    keys = room;
    values = room + count * head_dim;
    stride = head_dim;
    list = nullptr;
  }
};

// The scores of kQueries queries, `scores_stride` apart, for four tokens; `offset` is the head's among the
// keys.
template <int kQueries>
HWY_INLINE void score_four(const AttentionTask& task, const float* query0, const float* const keys[4],
                           int64_t offset, float* scores, int64_t scores_stride) {
  static_assert(kQueries == 1 || kQueries == 2);
  Pack<FloatVector, 4> first;
  Pack<FloatVector, 4> second;
  set_zero(first);
  set_zero(second);
  const float* key0 = keys[0] + offset;
  const float* key1 = keys[1] + offset;
  const float* key2 = keys[2] + offset;
  const float* key3 = keys[3] + offset;
  const float* query1 = query0 + task.queries.stride;
  const auto add = [&](FloatVector q, FloatVector k0, FloatVector k1, FloatVector k2, FloatVector k3,
                       Pack<FloatVector, 4>& sums) HWY_ATTR {
    sums.first = hn::MulAdd(q, k0, sums.first);
    sums.rest.first = hn::MulAdd(q, k1, sums.rest.first);
    sums.rest.rest.first = hn::MulAdd(q, k2, sums.rest.rest.first);
    sums.rest.rest.rest.first = hn::MulAdd(q, k3, sums.rest.rest.rest.first);
  };
  const int64_t whole = task.head_dim / kLanes * kLanes;
  for (int64_t i = 0; i < whole; i += kLanes) {
    const FloatVector k0 = hn::LoadU(kFloats, key0 + i);
    const FloatVector k1 = hn::LoadU(kFloats, key1 + i);
    const FloatVector k2 = hn::LoadU(kFloats, key2 + i);
    const FloatVector k3 = hn::LoadU(kFloats, key3 + i);
    add(hn::LoadU(kFloats, query0 + i), k0, k1, k2, k3, first);
    if constexpr (kQueries == 2) add(hn::LoadU(kFloats, query1 + i), k0, k1, k2, k3, second);
  }
  if (const int64_t rest = task.head_dim - whole; rest > 0) {
    const FloatVector k0 = load_some(key0 + whole, rest);
    const FloatVector k1 = load_some(key1 + whole, rest);
    const FloatVector k2 = load_some(key2 + whole, rest);
    const FloatVector k3 = load_some(key3 + whole, rest);
    add(load_some(query0 + whole, rest), k0, k1, k2, k3, first);
    if constexpr (kQueries == 2) add(load_some(query1 + whole, rest), k0, k1, k2, k3, second);
  }
  store_sums(first, scores);
  if constexpr (kQueries == 2) store_sums(second, scores + scores_stride);
}

// The scores of kQueries queries for the tokens from `begin` (a multiple of four) to `end`, for `heads`
// heads; a head's scores are kQueries rows, `row` apart. Rows have room for a multiple of four.
template <int kQueries>
void score(const AttentionTask& task, const float* query, const Tokens& tokens, int64_t heads, int64_t begin,
           int64_t end, float* scores, int64_t row) {
  for (int64_t i = begin; i < end; i += kTokensOfStep) {
    const float* keys[kTokensOfStep];
    // At the end some token serves again: its scores there are never looked at.
    for (int64_t t = 0; t < kTokensOfStep; ++t) keys[t] = tokens.key(std::min(i + t, end - 1));
    for (int64_t head = 0; head < heads; ++head) {
      score_four<kQueries>(task, query + head * task.head_dim, keys, head * task.head_dim,
                           scores + head * kQueries * row + i, row);
    }
  }
}

// out = the sums of the values so far, times `factor`.
HWY_INLINE void scale_head(float* out, int64_t width, float factor) {
  const int64_t whole = width / kLanes * kLanes;
  const FloatVector by = hn::Set(kFloats, factor);
  for (int64_t i = 0; i < whole; i += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(kFloats, out + i), by), kFloats, out + i);
  for (int64_t i = whole; i < width; ++i) out[i] *= factor;
}

// One query: out += weight * value for tokens from `begin` to `end`, four at a time, since the sums wait in
// the cache.
void add_values(const Tokens& tokens, int64_t heads, int64_t head_dim, int64_t begin, int64_t end,
                const float* weights, int64_t row, float* out) {
  int64_t i = begin;
  for (; i + kTokensOfStep <= end; i += kTokensOfStep) {
    const float* value0 = tokens.value(i);
    const float* value1 = tokens.value(i + 1);
    const float* value2 = tokens.value(i + 2);
    const float* value3 = tokens.value(i + 3);
    for (int64_t head = 0; head < heads; ++head) {
      const float* weight = weights + head * row + i;
      const FloatVector w0 = hn::Set(kFloats, weight[0]);
      const FloatVector w1 = hn::Set(kFloats, weight[1]);
      const FloatVector w2 = hn::Set(kFloats, weight[2]);
      const FloatVector w3 = hn::Set(kFloats, weight[3]);
      for (int64_t c = head * head_dim; c < (head + 1) * head_dim; c += kLanes) {
        const int64_t there = (head + 1) * head_dim - c;
        FloatVector sum = load_part(out + c, there);
        sum = hn::MulAdd(w0, load_part(value0 + c, there), sum);
        sum = hn::MulAdd(w1, load_part(value1 + c, there), sum);
        sum = hn::MulAdd(w2, load_part(value2 + c, there), sum);
        sum = hn::MulAdd(w3, load_part(value3 + c, there), sum);
        store_part(sum, out + c, there);
      }
    }
  }
  for (; i < end; ++i) {
    const float* value = tokens.value(i);
    for (int64_t head = 0; head < heads; ++head) {
      const FloatVector w = hn::Set(kFloats, weights[head * row + i]);
      for (int64_t c = head * head_dim; c < (head + 1) * head_dim; c += kLanes) {
        const int64_t there = (head + 1) * head_dim - c;
        store_part(hn::MulAdd(w, load_part(value + c, there), load_part(out + c, there)), out + c, there);
      }
    }
  }
}

void attend_one(const AttentionTask& task, int64_t query, int64_t first_head, int64_t end_head, int64_t row,
                float* scratch) {
  const int64_t visible = task.visible + query * task.visible_more;
  for (int64_t first = first_head; first < end_head; first += kHeadsOfPass) {
    const int64_t heads = std::min(kHeadsOfPass, end_head - first);
    const int64_t offset = first * task.head_dim;
    const Tokens tokens(task, first);
    score<1>(task, task.queries.data + query * task.queries.stride + offset, tokens, heads, 0, visible,
             scratch, row);
    float sums[kHeadsOfPass] = {};
    for (int64_t head = 0; head < heads; ++head) {
      sums[head] = exponentials_of_differences(scratch + head * row, visible);
    }
    float* out = task.out.data + query * task.out.stride + offset;
    std::fill(out, out + heads * task.head_dim, 0.0F);
    add_values(tokens, heads, task.head_dim, 0, visible, scratch, row, out);
    for (int64_t head = 0; head < heads; ++head) {
      scale_head(out + head * task.head_dim, task.head_dim, 1.0F / sums[head]);
    }
  }
}

template <int kSize>
HWY_INLINE void add_value(const float* value, FloatVector weight0, FloatVector weight1,
                          Pack<FloatVector, kSize>& sums0, Pack<FloatVector, kSize>& sums1) {
  const FloatVector v = hn::LoadU(kFloats, value);
  sums0.first = hn::MulAdd(weight0, v, sums0.first);
  sums1.first = hn::MulAdd(weight1, v, sums1.first);
  if constexpr (kSize > 1) add_value(value + kLanes, weight0, weight1, sums0.rest, sums1.rest);
}

template <int kSize>
HWY_INLINE void add_value(const float* value, FloatVector weight, Pack<FloatVector, kSize>& sums) {
  sums.first = hn::MulAdd(weight, hn::LoadU(kFloats, value), sums.first);
  if constexpr (kSize > 1) add_value(value + kLanes, weight, sums.rest);
}

template <int kSize>
HWY_INLINE void load_sums(const float* from, Pack<FloatVector, kSize>& sums) {
  sums.first = hn::LoadU(kFloats, from);
  if constexpr (kSize > 1) load_sums(from + kLanes, sums.rest);
}

template <int kSize>
HWY_INLINE void store(const Pack<FloatVector, kSize>& sums, float* to) {
  hn::StoreU(sums.first, kFloats, to);
  if constexpr (kSize > 1) store(sums.rest, to + kLanes);
}

// What two queries take from the values of some tokens: from `begin` on, to an end of their own each, the
// second's no less. Weights are [2, row], sums are a head's.
struct TwoQueries {
  const float* weights;
  int64_t row;
  int64_t begin;
  int64_t end[2];
  float* out[2];
};

template <int kSize>
HWY_INLINE void sum_values(const Tokens& tokens, const TwoQueries& two, int64_t offset) {
  Pack<FloatVector, kSize> sums0;
  Pack<FloatVector, kSize> sums1;
  load_sums(two.out[0] + offset, sums0);
  load_sums(two.out[1] + offset, sums1);
  int64_t i = two.begin;
  for (; i < two.end[0]; ++i) {
    add_value(tokens.value(i) + offset, hn::Set(kFloats, two.weights[i]),
              hn::Set(kFloats, two.weights[two.row + i]), sums0, sums1);
  }
  for (; i < two.end[1]; ++i) {
    add_value(tokens.value(i) + offset, hn::Set(kFloats, two.weights[two.row + i]), sums1);
  }
  store(sums0, two.out[0] + offset);
  store(sums1, two.out[1] + offset);
}

// The last numbers of a head, fewer than a vector.
HWY_INLINE void sum_some_values(const Tokens& tokens, const TwoQueries& two, int64_t offset, int64_t there) {
  for (int q = 0; q < 2; ++q) {
    FloatVector sum = load_some(two.out[q] + offset, there);
    for (int64_t i = two.begin; i < two.end[q]; ++i) {
      const float* value = tokens.value(i) + offset;
      sum = hn::MulAdd(hn::Set(kFloats, two.weights[q * two.row + i]), load_some(value, there), sum);
    }
    store_some(sum, two.out[q] + offset, there);
  }
}

HWY_INLINE void sum_head(const Tokens& tokens, const TwoQueries& two, int64_t head_dim) {
  constexpr int kMany = 4;
  int64_t c = 0;
  for (; c + kMany * kLanes <= head_dim; c += kMany * kLanes) sum_values<kMany>(tokens, two, c);
  for (; c + kLanes <= head_dim; c += kLanes) sum_values<1>(tokens, two, c);
  if (c < head_dim) sum_some_values(tokens, two, c, head_dim - c);
}

// One head of queries [first, end), each of which sees no less than the one before.
void attend_group(const AttentionTask& task, const Tokens& tokens, int64_t head, int64_t first, int64_t end,
                  int64_t row, float* scores) {
  const int64_t head_dim = task.head_dim;
  const auto visible = [&](int64_t query) { return task.visible + query * task.visible_more; };
  const auto query_at = [&](int64_t query) {
    return task.queries.data + query * task.queries.stride + head * head_dim;
  };
  const auto out_at = [&](int64_t query) {
    return task.out.data + query * task.out.stride + head * head_dim;
  };
  const int64_t most = visible(end - 1);
  for (int64_t begin = 0; begin < most; begin += kTokensOfBlock) {
    const auto stop = [&](int64_t query) { return std::min(begin + kTokensOfBlock, visible(query)); };
    int64_t query = first;
    // The first query's scores of what only the second sees are computed in vain.
    for (; query + 1 < end; query += 2) {
      score<2>(task, query_at(query), tokens, 1, begin, stop(query + 1), scores + (query - first) * row, row);
    }
    if (query < end)
      score<1>(task, query_at(query), tokens, 1, begin, stop(query), scores + (query - first) * row, row);
  }
  float sums[kQueriesOfGroup];
  for (int64_t query = first; query < end; ++query) {
    sums[query - first] = exponentials_of_differences(scores + (query - first) * row, visible(query));
    std::fill_n(out_at(query), head_dim, 0.0F);
  }
  for (int64_t begin = 0; begin < most; begin += kTokensOfBlock) {
    const auto stop = [&](int64_t query) { return std::min(begin + kTokensOfBlock, visible(query)); };
    int64_t query = first;
    for (; query + 1 < end; query += 2) {
      sum_head(tokens,
               {.weights = scores + (query - first) * row,
                .row = row,
                .begin = begin,
                .end = {stop(query), stop(query + 1)},
                .out = {out_at(query), out_at(query + 1)}},
               head_dim);
    }
    if (query < end)
      add_values(tokens, 1, head_dim, begin, stop(query), scores + (query - first) * row, row, out_at(query));
  }
  for (int64_t query = first; query < end; ++query) {
    scale_head(out_at(query), head_dim, 1.0F / sums[query - first]);
  }
}

void attend(const AttentionTask& task, int64_t first_head, int64_t end_head, int64_t row, float* scratch) {
  if (task.count == 1 || task.visible_more < 0) {
    for (int64_t query = 0; query < task.count; ++query)
      attend_one(task, query, first_head, end_head, row, scratch);
    return;
  }
  for (int64_t head = first_head; head < end_head; ++head) {
    Tokens tokens(task, head);
    if (task.count >= kWorthCopying)
      tokens.copy(task.most_visible(), task.head_dim, scratch + kQueriesOfGroup * row);
    for (int64_t first = 0; first < task.count; first += kQueriesOfGroup) {
      attend_group(task, tokens, head, first, std::min(first + kQueriesOfGroup, task.count), row, scratch);
    }
  }
}

}  // namespace memsizer::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace memsizer::kernels {
namespace {

// Numbers from one row of scores to the next: whole steps, and a line more than that, as rows a power of two
// apart push each other out of the nearest cache.
int64_t scores_row(const AttentionTask& task) {
  constexpr int64_t kLine = 16;
  const int64_t most = std::max(task.visible, task.most_visible());
  return (most + kLine - 1) / kLine * kLine + kLine;
}

}  // namespace

HWY_EXPORT(attend);

int64_t attention_scratch(const AttentionTask& task) {
  const int64_t row = scores_row(task);
  if (task.count < kWorthCopying) return std::max(kHeadsOfPass, task.count) * row;
  return kQueriesOfGroup * row + 2 * task.most_visible() * task.head_dim;
}

void attention(const AttentionTask& task, int64_t first_head, int64_t end_head, float* scratch) {
  HWY_DYNAMIC_DISPATCH(attend)(task, first_head, end_head, scores_row(task), scratch);
}

}  // namespace memsizer::kernels
#endif
