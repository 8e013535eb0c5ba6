#include "nn/chunkwise.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

#include "nn/chunk_decays.h"
#include "nn/gemm.h"

// A sequence is cut into chunks of C rows. With A, L [C, slots] the queries and keys of a chunk, R [C, dim]
// its values, V the state before it and M the lower-triangular mask:
//
//   forward    O = ((A L') o M) R + A V                 V_next = V + L' R
//   backward   P = (G R') o M,  W = (A L') o M          U = reverse state: sum over later chunks of A' G
//              dA = P L + G V'     dL = P' A + R U'     dR = W' G + L U     U_before = U + A' G
//
// The normaliser is one more column of ones in R: its gradient enters P as a constant along each row.
//
// A state that decays: with c_i the sum of the logarithms of the factors from the chunk's first row to row i,
// c the last of them, D_ij = exp(c_i - c_j), A~ = exp(c_i) A_i and L~ = exp(c - c_i) L_i, the same holds with
// M o D for M, A~ for A and L~ for L beside V and U, and exp(c) V in V_next (exp(c) U in U_before). No
// exponent is above 0. The gradient of the logarithm at row u is what reaches outputs from u on out of writes
// before u: all that reaches those outputs, less what comes of the writes from u on, and both are sums that
// dA and dL have:
//
//   d log_u = sum over t >= u of (dA_t . A_t - dL_t . L_t) + d V_final . V_final
//
// Every phase but the two running sums is independent for each (chunk, group), so one long sequence uses all
// threads as well as a large batch does.
namespace memsizer::nn {
namespace {

using at::Tensor;

struct Shape {
  int64_t time;
  int64_t groups;
  int64_t slots;
  int64_t dim;
  int64_t chunk;

  int64_t chunks() const { return (time + chunk - 1) / chunk; }
  int64_t begin(int64_t n) const { return n * chunk; }
  int64_t rows(int64_t n) const { return std::min(chunk, time - begin(n)); }
};

Shape shape_of(const Tensor& queries, const Tensor& values, int64_t chunk) {
  return {queries.size(0), queries.size(1), queries.size(2), values.size(2), chunk};
}

// Calls work(n, g) for every chunk and group, in parallel.
template <typename Work>
void for_each_chunk(const Shape& shape, const Work& work) {
  at::parallel_for(0, shape.chunks() * shape.groups, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) work(task / shape.groups, task % shape.groups);
  });
}

// Rows of one group in a [time, groups, width] array, starting at row t.
template <typename T>
MatrixView<T> rows_of(T* data, const Shape& shape, int64_t width, int64_t t, int64_t g) {
  return {data + (t * shape.groups + g) * width, shape.groups * width};
}

// The state of one group in a [states, groups, size] array.
template <typename T>
T* state_of(T* data, const Shape& shape, int64_t size, int64_t n, int64_t g) {
  return data + (n * shape.groups + g) * size;
}

template <typename T>
void zero_upper(MatrixView<T> square, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i)
    std::fill(square.data + i * square.stride + i + 1, square.data + i * square.stride + rows, T(0));
}

// states[n] <- states[n] + states[n - step], in the order given by step: +1 runs forwards, -1 backwards.
// With `decays` [chunks, groups], what crosses chunk n is multiplied by its group's factor.
template <typename T>
void running_sum(T* states, int64_t count, int64_t groups, int64_t group_size, int step, const T* decays) {
  constexpr int64_t kGrain = 4096;
  const int64_t size = groups * group_size;
  if (decays) {
    at::parallel_for(0, groups, std::max<int64_t>(1, kGrain / group_size), [&](int64_t first, int64_t last) {
      for (int64_t k = 1; k < count; ++k) {
        const int64_t n = step > 0 ? k : count - 1 - k;
        const int64_t crossed = step > 0 ? n - 1 : n;
        for (int64_t g = first; g < last; ++g) {
          const T decay = decays[crossed * groups + g];
          T* to = states + n * size + g * group_size;
          const T* from = states + (n - step) * size + g * group_size;
          for (int64_t i = 0; i < group_size; ++i) to[i] += decay * from[i];
        }
      }
    });
    return;
  }
  at::parallel_for(0, size, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t k = 1; k < count; ++k) {
      const int64_t n = step > 0 ? k : count - 1 - k;
      T* to = states + n * size;
      const T* from = states + (n - step) * size;
      for (int64_t i = begin; i < end; ++i) to[i] += from[i];
    }
  });
}

// out[slots] = sum over rows of matrix[rows, slots], each row times its factor (1 if there are none).
template <typename T>
void weighted_column_sum(MatrixView<const T> matrix, int64_t rows, int64_t columns, const T* factors,
                         int64_t factor_stride, T* out) {
  std::fill(out, out + columns, T(0));
  for (int64_t i = 0; i < rows; ++i) {
    const T factor = factors ? factors[i * factor_stride] : T(1);
    for (int64_t j = 0; j < columns; ++j) out[j] += factor * matrix.data[i * matrix.stride + j];
  }
}

template <typename T>
T dot(const T* a, const T* b, int64_t size) {
  T sum = 0;
  for (int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

template <typename T>
const T* read(const Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

Tensor times_rows(const Tensor& x, const Tensor& factors) {
  return factors.defined() ? x * factors.unsqueeze(2) : x;
}

// to[i] += factors[i] * from[i] for each row.
template <typename T>
void add_scaled_rows(MatrixView<T> to, const T* from, int64_t rows, int64_t columns, const T* factors,
                     int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      to.data[i * to.stride + j] += factors[i * stride] * from[i * columns + j];
  }
}

// The running state at every chunk boundary: [0] before the first chunk, [n] before chunk n.
struct States {
  Tensor memories;     // [boundaries, groups, slots, dim]
  Tensor normalisers;  // [boundaries, groups, slots], or undefined
};

template <typename T>
States forward_states(const Shape& shape, const ChunkDecays& decays, const Tensor& given_keys,
                      const Tensor& values, const Tensor& memory, const Tensor& normaliser, bool with_norm,
                      bool with_state) {
  const Tensor keys = times_rows(given_keys, decays.after);
  const int64_t boundaries = shape.chunks() + (with_state ? 1 : 0);
  const int64_t size = shape.slots * shape.dim;
  States states;
  states.memories = at::empty({boundaries, shape.groups, shape.slots, shape.dim}, values.options());
  memory.defined() ? states.memories[0].copy_(memory) : states.memories[0].zero_();
  if (with_norm) {
    states.normalisers = at::empty({boundaries, shape.groups, shape.slots}, values.options());
    normaliser.defined() ? states.normalisers[0].copy_(normaliser) : states.normalisers[0].zero_();
  }
  T* memories = states.memories.data_ptr<T>();
  T* normalisers = with_norm ? states.normalisers.data_ptr<T>() : nullptr;
  for_each_chunk(shape, [&](int64_t n, int64_t g) {
    if (n + 1 == boundaries) return;
    const auto chunk_keys = rows_of(keys.data_ptr<T>(), shape, shape.slots, shape.begin(n), g);
    const auto chunk_values = rows_of(values.data_ptr<T>(), shape, shape.dim, shape.begin(n), g);
    gemm(Op::Transposed, Op::Plain, shape.slots, shape.dim, shape.rows(n),
         {chunk_keys.data, chunk_keys.stride}, {chunk_values.data, chunk_values.stride}, T(0),
         {state_of(memories, shape, size, n + 1, g), shape.dim});
    if (!with_norm) return;
    weighted_column_sum<T>({chunk_keys.data, chunk_keys.stride}, shape.rows(n), shape.slots, nullptr, 0,
                           state_of(normalisers, shape, shape.slots, n + 1, g));
  });
  running_sum(memories, boundaries, shape.groups, size, +1, read<T>(decays.whole));
  if (with_norm) running_sum(normalisers, boundaries, shape.groups, shape.slots, +1, read<T>(decays.whole));
  return states;
}

template <typename T>
void forward_outputs(const Shape& shape, const ChunkDecays& decays, const Tensor& queries, const Tensor& keys,
                     const Tensor& values, const States& states, bool has_initial_memory,
                     bool has_initial_normaliser, const Tensor& out, const Tensor& norm) {
  const Tensor carried = times_rows(queries, decays.into);
  const T* memories = states.memories.data_ptr<T>();
  const T* normalisers = read<T>(states.normalisers);
  for_each_chunk(shape, [&](int64_t n, int64_t g) {
    const int64_t t = shape.begin(n);
    const int64_t rows = shape.rows(n);
    const MatrixView<const T> a = rows_of(read<T>(queries), shape, shape.slots, t, g);
    const MatrixView<const T> l = rows_of(read<T>(keys), shape, shape.slots, t, g);
    const MatrixView<const T> r = rows_of(read<T>(values), shape, shape.dim, t, g);
    const MatrixView<T> o = rows_of(out.data_ptr<T>(), shape, shape.dim, t, g);
    const MatrixView<const T> across = rows_of(read<T>(carried), shape, shape.slots, t, g);
    std::vector<T> scratch(rows * rows + rows);
    const MatrixView<T> weights{scratch.data(), rows};
    gemm(Op::Plain, Op::Transposed, rows, rows, shape.slots, a, l, T(0), weights);
    if (decays.defined())
      decay_weights(weights, rows, read<T>(decays.logs) + t * shape.groups + g, shape.groups,
                    scratch.data() + rows * rows);
    zero_upper(weights, rows);
    gemm(Op::Plain, Op::Plain, rows, shape.dim, rows, {weights.data, rows}, r, T(0), o);
    if (n > 0 || has_initial_memory) {
      const T* memory = state_of(memories, shape, shape.slots * shape.dim, n, g);
      gemm(Op::Plain, Op::Plain, rows, shape.dim, shape.slots, across, {memory, shape.dim}, T(1), o);
    }
    if (!norm.defined()) return;
    const MatrixView<T> row_norm = rows_of(norm.data_ptr<T>(), shape, 1, t, g);
    const bool carries = n > 0 || has_initial_normaliser;
    for (int64_t i = 0; i < rows; ++i) {
      T sum = 0;
      for (int64_t j = 0; j <= i; ++j) sum += weights.data[i * rows + j];
      if (carries)
        sum += dot(across.data + i * across.stride, state_of(normalisers, shape, shape.slots, n, g),
                   shape.slots);
      row_norm.data[i * row_norm.stride] = sum;
    }
  });
}

// Gradients of the outputs; any may be undefined, meaning zero.
struct OutputGradients {
  Tensor out;
  Tensor norm;
  Tensor memory;
  Tensor normaliser;
};

// The reverse state at every chunk boundary: [n] sums what chunks n and later send back through the state.
template <typename T>
States reverse_states(const Shape& shape, const ChunkDecays& decays, const Tensor& given_queries,
                      const OutputGradients& gradients, bool with_norm, const at::TensorOptions& options) {
  const Tensor queries = times_rows(given_queries, decays.into);
  const int64_t boundaries = shape.chunks() + 1;
  const int64_t size = shape.slots * shape.dim;
  States states;
  states.memories = at::empty({boundaries, shape.groups, shape.slots, shape.dim}, options);
  const Tensor last = states.memories[boundaries - 1];
  gradients.memory.defined() ? last.copy_(gradients.memory) : last.zero_();
  if (with_norm) {
    states.normalisers = at::empty({boundaries, shape.groups, shape.slots}, options);
    const Tensor last_normaliser = states.normalisers[boundaries - 1];
    gradients.normaliser.defined() ? last_normaliser.copy_(gradients.normaliser) : last_normaliser.zero_();
  }
  T* memories = states.memories.data_ptr<T>();
  T* normalisers = with_norm ? states.normalisers.data_ptr<T>() : nullptr;
  for_each_chunk(shape, [&](int64_t n, int64_t g) {
    const int64_t t = shape.begin(n);
    const MatrixView<const T> a = rows_of(read<T>(queries), shape, shape.slots, t, g);
    const MatrixView<const T> d_out = rows_of(read<T>(gradients.out), shape, shape.dim, t, g);
    gemm(Op::Transposed, Op::Plain, shape.slots, shape.dim, shape.rows(n), a, d_out, T(0),
         {state_of(memories, shape, size, n, g), shape.dim});
    if (!with_norm) return;
    const MatrixView<const T> d_norm = rows_of(read<T>(gradients.norm), shape, 1, t, g);
    weighted_column_sum<T>(a, shape.rows(n), shape.slots, d_norm.data, d_norm.stride,
                           state_of(normalisers, shape, shape.slots, n, g));
  });
  running_sum(memories, boundaries, shape.groups, size, -1, read<T>(decays.whole));
  if (with_norm) running_sum(normalisers, boundaries, shape.groups, shape.slots, -1, read<T>(decays.whole));
  return states;
}

struct InputGradients {
  Tensor queries;
  Tensor keys;
  Tensor values;
};

template <typename T>
void backward_inputs(const Shape& shape, const ChunkDecays& decays, const Tensor& queries, const Tensor& keys,
                     const Tensor& values, const States& before, const States& after,
                     const OutputGradients& gradients, bool with_norm, const InputGradients& into) {
  const int64_t size = shape.slots * shape.dim;
  const Tensor carried_keys = times_rows(keys, decays.after);
  for_each_chunk(shape, [&](int64_t n, int64_t g) {
    const int64_t t = shape.begin(n);
    const int64_t rows = shape.rows(n);
    const int64_t slots = shape.slots;
    const int64_t dim = shape.dim;
    const MatrixView<const T> a = rows_of(read<T>(queries), shape, slots, t, g);
    const MatrixView<const T> l = rows_of(read<T>(keys), shape, slots, t, g);
    const MatrixView<const T> r = rows_of(read<T>(values), shape, dim, t, g);
    const MatrixView<const T> d_out = rows_of(read<T>(gradients.out), shape, dim, t, g);
    const MatrixView<T> d_queries = rows_of(into.queries.data_ptr<T>(), shape, slots, t, g);
    const MatrixView<T> d_keys = rows_of(into.keys.data_ptr<T>(), shape, slots, t, g);
    const MatrixView<T> d_values = rows_of(into.values.data_ptr<T>(), shape, dim, t, g);
    const MatrixView<const T> v{state_of(read<T>(before.memories), shape, size, n, g), dim};
    const MatrixView<const T> u{state_of(read<T>(after.memories), shape, size, n + 1, g), dim};

    const int64_t row_factors = t * shape.groups + g;
    const T* logs = decays.defined() ? read<T>(decays.logs) + row_factors : nullptr;
    const T* into_rows = decays.defined() ? read<T>(decays.into) + row_factors : nullptr;
    const T* after_rows = decays.defined() ? read<T>(decays.after) + row_factors : nullptr;

    std::vector<T> scratch(2 * rows * rows + (decays.defined() ? rows + rows * slots : 0));
    T* row_scratch = scratch.data() + 2 * rows * rows;
    T* across = row_scratch + rows;  // what goes through a state, before it decays [rows, slots]
    const MatrixView<T> weights{scratch.data(), rows};
    const MatrixView<T> d_weights{scratch.data() + rows * rows, rows};
    gemm(Op::Plain, Op::Transposed, rows, rows, slots, a, l, T(0), weights);
    if (logs) decay_weights(weights, rows, logs, shape.groups, row_scratch);
    zero_upper(weights, rows);
    gemm(Op::Plain, Op::Transposed, rows, rows, dim, d_out, r, T(0), d_weights);
    const MatrixView<const T> d_norm =
        with_norm ? rows_of(read<T>(gradients.norm), shape, 1, t, g) : MatrixView<const T>{nullptr, 0};
    if (with_norm) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j <= i; ++j) d_weights.data[i * rows + j] += d_norm.data[i * d_norm.stride];
      }
    }
    if (logs) decay_weights(d_weights, rows, logs, shape.groups, row_scratch);
    zero_upper(d_weights, rows);

    // to += from . state', each row as much as is left of it across the chunk.
    const auto add_across = [&](MatrixView<const T> from, MatrixView<const T> state, const T* factors,
                                MatrixView<T> to) {
      if (!factors) {
        gemm(Op::Plain, Op::Transposed, rows, slots, dim, from, state, T(1), to);
        return;
      }
      gemm(Op::Plain, Op::Transposed, rows, slots, dim, from, state, T(0), {across, slots});
      add_scaled_rows<T>(to, across, rows, slots, factors, shape.groups);
    };
    gemm(Op::Plain, Op::Plain, rows, slots, rows, {d_weights.data, rows}, l, T(0), d_queries);
    add_across(d_out, v, into_rows, d_queries);
    gemm(Op::Transposed, Op::Plain, rows, slots, rows, {d_weights.data, rows}, a, T(0), d_keys);
    add_across(r, u, after_rows, d_keys);
    gemm(Op::Transposed, Op::Plain, rows, dim, rows, {weights.data, rows}, d_out, T(0), d_values);
    gemm(Op::Plain, Op::Plain, rows, dim, slots, rows_of(read<T>(carried_keys), shape, slots, t, g), u, T(1),
         d_values);
    if (!with_norm) return;
    const T* z = state_of(read<T>(before.normalisers), shape, slots, n, g);
    const T* w = state_of(read<T>(after.normalisers), shape, slots, n + 1, g);
    for (int64_t i = 0; i < rows; ++i) {
      const T into_row = into_rows ? into_rows[i * shape.groups] : T(1);
      const T after_row = after_rows ? after_rows[i * shape.groups] : T(1);
      for (int64_t j = 0; j < slots; ++j) {
        d_queries.data[i * d_queries.stride + j] += d_norm.data[i * d_norm.stride] * into_row * z[j];
        d_keys.data[i * d_keys.stride + j] += after_row * w[j];
      }
    }
  });
}

using OptionalTensor = c10::optional<Tensor>;

// LibTorch's custom functions take an absent tensor as an optional only.
OptionalTensor optional(const Tensor& tensor) {
  return tensor.defined() ? OptionalTensor(tensor) : OptionalTensor();
}

class ChunkwiseFunction : public torch::autograd::Function<ChunkwiseFunction> {
 public:
  static torch::autograd::variable_list forward(
      torch::autograd::AutogradContext* context, const Tensor& given_queries, const Tensor& given_keys,
      const Tensor& given_values, const OptionalTensor& given_memory, const OptionalTensor& given_normaliser,
      const OptionalTensor& log_decay, int64_t chunk, bool with_norm, bool with_state) {
    const Tensor memory = given_memory.value_or(Tensor());
    const Tensor normaliser = given_normaliser.value_or(Tensor());
    const Tensor queries = given_queries.contiguous();
    const Tensor keys = given_keys.contiguous();
    const Tensor values = given_values.contiguous();
    const Shape shape = shape_of(queries, values, chunk);
    const Tensor out = at::empty_like(values);
    const Tensor norm = with_norm ? at::empty({shape.time, shape.groups}, values.options()) : Tensor();
    const ChunkDecays decays = chunk_decays(log_decay.value_or(Tensor()), chunk);
    States states;
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "chunkwise_forward", [&] {
      states =
          forward_states<scalar_t>(shape, decays, keys, values, memory, normaliser, with_norm, with_state);
      forward_outputs<scalar_t>(shape, decays, queries, keys, values, states, memory.defined(),
                                normaliser.defined(), out, norm);
    });
    context->save_for_backward(
        {queries, keys, values, states.memories, states.normalisers, log_decay.value_or(Tensor())});
    context->saved_data["chunk"] = chunk;
    context->saved_data["with_norm"] = with_norm;
    context->saved_data["has_memory"] = memory.defined();
    context->saved_data["has_normaliser"] = normaliser.defined();
    context->set_materialize_grads(false);

    torch::autograd::variable_list outputs{out};
    if (with_norm) outputs.push_back(norm);
    if (with_state) outputs.push_back(states.memories[shape.chunks()].clone());
    if (with_state && with_norm) outputs.push_back(states.normalisers[shape.chunks()].clone());
    return outputs;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list given) {
    const auto saved = context->get_saved_variables();
    const Tensor& queries = saved[0];
    const Tensor& keys = saved[1];
    const Tensor& values = saved[2];
    const States before{saved[3], saved[4]};
    const bool with_norm = context->saved_data["with_norm"].toBool();
    const Shape shape = shape_of(queries, values, context->saved_data["chunk"].toInt());

    given.resize(4);  // without a state, only the first one or two are there
    if (!with_norm) given = {given[0], Tensor(), given[1], Tensor()};
    OutputGradients gradients{given[0], given[1], given[2], given[3]};
    gradients.out = gradients.out.defined() ? gradients.out.contiguous() : at::zeros_like(values);
    if (with_norm) {
      gradients.norm = gradients.norm.defined() ? gradients.norm.contiguous()
                                                : at::zeros({shape.time, shape.groups}, values.options());
    }
    const InputGradients into{at::empty_like(queries), at::empty_like(keys), at::empty_like(values)};
    const ChunkDecays decays = chunk_decays(saved[5], shape.chunk);
    States after;
    AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "chunkwise_backward", [&] {
      after = reverse_states<scalar_t>(shape, decays, queries, gradients, with_norm, values.options());
      backward_inputs<scalar_t>(shape, decays, queries, keys, values, before, after, gradients, with_norm,
                                into);
    });
    const bool has_memory = context->saved_data["has_memory"].toBool();
    const bool has_normaliser = context->saved_data["has_normaliser"].toBool();
    return {into.queries,
            into.keys,
            into.values,
            has_memory ? after.memories[0].clone() : Tensor(),
            has_normaliser ? after.normalisers[0].clone() : Tensor(),
            decays.defined() ? log_decay_gradient(queries, keys, before, gradients, into) : Tensor(),
            Tensor(),
            Tensor(),
            Tensor()};
  }

 private:
  static Tensor log_decay_gradient(const Tensor& queries, const Tensor& keys, const States& before,
                                   const OutputGradients& gradients, const InputGradients& into) {
    const Tensor reached = (into.queries * queries).sum(2) - (into.keys * keys).sum(2);  // [time, groups]
    Tensor gradient = reached.flip(0).cumsum(0).flip(0);
    const auto add_final = [&](const Tensor& states, const Tensor& d_state) {
      if (d_state.defined()) gradient = gradient + (states[states.size(0) - 1] * d_state).flatten(1).sum(1);
    };
    add_final(before.memories, gradients.memory);
    if (before.normalisers.defined()) add_final(before.normalisers, gradients.normaliser);
    return gradient;
  }
};

}  // namespace

LinearAttentionOutput chunkwise_attention(const LinearAttentionInput& input, int64_t chunk) {
  const auto results = ChunkwiseFunction::apply(
      input.queries, input.keys, input.values, optional(input.memory), optional(input.normaliser),
      optional(input.log_decay), chunk, input.with_norm, input.with_state);
  LinearAttentionOutput output;
  size_t next = 0;
  output.out = results[next++];
  if (input.with_norm) output.norm = results[next++];
  if (input.with_state) output.memory = results[next++];
  if (input.with_state && input.with_norm) output.normaliser = results[next++];
  return output;
}

}  // namespace memsizer::nn
