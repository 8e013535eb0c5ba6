#include "mechanisms/memsizer/step.h"

#include <algorithm>
#include <cmath>

#include "kernels/rows.h"

namespace memsizer::runtime {
namespace {

Norm norm_of(const Weights& weights, const std::string& name, int64_t width) {
  Norm norm(weights, name);
  norm.width = width;  // known even where it has no trained numbers
  return norm;
}

float inverse_root(int64_t count) {
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(count)));
}

// Into how many ranges of columns a state is cut: as many as make work for every member.
int64_t column_ranges(const Work& work, int64_t rows, int64_t dim) {
  constexpr int64_t kNarrowest = 64;
  if (rows >= work.team.size()) return 1;
  return std::clamp<int64_t>(dim / kNarrowest, 1, work.team.size());
}

// The columns of range `range`, cut at multiples of 16.
std::pair<int64_t, int64_t> columns_of(int64_t range, int64_t ranges, int64_t dim) {
  const auto cut = [&](int64_t i) { return i == ranges ? dim : dim * i / ranges / 16 * 16; };
  return {cut(range), cut(range + 1)};
}

}  // namespace

MemsizerMixer::MemsizerMixer(const MixerConfig& config, const Weights& weights)
    : dim_(config.dim),
      slots_(MemsizerSizes(config).slots),
      heads_(MemsizerSizes(config).heads),
      input_keys_(config.options<MemsizerOptions>().keys == MemsizerKeys::Input) {
  if (input_keys_) {
    projection_ = Linear(weights, {"key_k_proj", "key_v_proj", "k_proj", "v_proj"});
    key_right_at_ = key_floats();
    left_at_ = key_right_at_ + dim_;
    key_left_norm_ = norm_of(weights, "key_k_layer_norm", slots_);
    key_right_norm_ = norm_of(weights, "key_v_layer_norm", dim_);
  } else if (config.position == Position::Cross) {
    query_keys_ = Linear(weights, {"q_proj"});
    projection_ = Linear(weights, {"k_proj", "v_proj"});
  } else {
    projection_ = Linear(weights, {"q_proj", "k_proj", "v_proj"});
    left_at_ = key_floats();
  }
  right_at_ = left_at_ + slots_;
  left_norm_ = norm_of(weights, "k_layer_norm", slots_);
  right_norm_ = norm_of(weights, "v_layer_norm", dim_);
}

void MemsizerMixer::normalise(float* projected) const {
  if (input_keys_) {
    for (int64_t head = 0; head < heads_; ++head)
      key_left_norm_.apply(projected + head * slots_, projected + head * slots_);
    key_right_norm_.apply(projected + key_right_at_, projected + key_right_at_);
  }
  left_norm_.apply(projected + left_at_, projected + left_at_);
  right_norm_.apply(projected + right_at_, projected + right_at_);
}

float* MemsizerMixer::project(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const {
  const int64_t width = projection_.out();
  float* projected = frame.floats(tokens * width);
  projection_.apply(work, x, tokens, {projected, width});
  split_rows(work, tokens, width, [&](int64_t token) { normalise(projected + token * width); });
  return projected;
}

template <typename StateOf>
void MemsizerMixer::write_sequences(Work& work, const Ragged& sequences, const float* projected,
                                    const StateOf& state_of) const {
  const int64_t ranges = column_ranges(work, sequences.sequences(), dim_);
  const int64_t width = projection_.out();
  work.team.split(sequences.sequences() * ranges, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t sequence = item / ranges;
      const auto [first, last] = columns_of(item % ranges, ranges, dim_);
      float* memory = state_of(sequence);
      float* keys = memory + slots_ * dim_;
      const float scale = inverse_root(std::max<int64_t>(1, sequences.length(sequence)));
      for (int64_t j = 0; j < slots_; ++j)
        std::fill(memory + j * dim_ + first, memory + j * dim_ + last, 0.0F);
      if (input_keys_) std::fill(keys + first * key_floats(), keys + last * key_floats(), 0.0F);
      for (int64_t token = sequences.begin(sequence); token < sequences.end(sequence); ++token) {
        const float* row = projected + token * width;
        kernels::memory_write(row + left_at_, row + right_at_ + first, slots_, last - first, memory + first,
                              dim_);
        if (input_keys_) {
          kernels::memory_write(row + key_right_at_ + first, row, last - first, key_floats(),
                                keys + first * key_floats(), key_floats());
        }
      }
      for (int64_t j = 0; j < slots_; ++j) kernels::scale(memory + j * dim_ + first, last - first, scale);
      if (input_keys_) kernels::scale(keys + first * key_floats(), (last - first) * key_floats(), scale);
    }
  });
}

void MemsizerMixer::read_state(const float* x, float* logits, const float* state, float* address,
                               float* out) const {
  if (input_keys_) {
    kernels::memory_read(x, state + slots_ * dim_, dim_, key_floats(), key_floats(), logits);
    kernels::scale(logits, key_floats(), inverse_root(dim_));
  }
  kernels::mean_softmax(logits, heads_, slots_, 1.0F, address);
  kernels::memory_read(address, state, slots_, dim_, dim_, out);
}

void MemsizerMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sequences.tokens();
  const int64_t width = projection_.out();
  float* projected = project(work, frame, x, tokens);
  float* addresses = frame.floats(tokens * slots_);
  float* states = frame.floats(sequences.sequences() * state_floats());
  write_sequences(work, sequences, projected, [&](int64_t i) { return states + i * state_floats(); });
  for (int64_t i = 0; i < sequences.sequences(); ++i) {
    const float* state = states + i * state_floats();
    split_rows(work, sequences.length(i), slots_ * dim_, [&](int64_t t) {
      const int64_t token = sequences.begin(i) + t;
      read_state(x.data + token * x.stride, projected + token * width, state, addresses + token * slots_,
                 out.data + token * out.stride);
    });
  }
}

void MemsizerMixer::read(Work& work, const Ragged& sources, ConstRows x,
                         std::span<const SourceState> states) const {
  Scratch::Frame frame(work.scratch);
  write_sequences(work, sources, project(work, frame, x, sources.tokens()),
                  [&](int64_t i) { return states[i].fixed; });
}

void MemsizerMixer::attend(Work& work, const Ragged& rows, ConstRows x,
                           std::span<const ConstSourceState> source_of_row, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  float* logits = frame.floats(tokens * key_floats());
  float* addresses = frame.floats(tokens * slots_);
  if (!input_keys_) query_keys_.apply(work, x, tokens, {logits, key_floats()});
  split_rows(work, rows.sequences(), slots_ * dim_ * rows.tokens() / rows.sequences(), [&](int64_t row) {
    const float* state = source_of_row[row].fixed;
    for (int64_t token = rows.begin(row); token < rows.end(row); ++token) {
      read_state(x.data + token * x.stride, logits + token * key_floats(), state, addresses + token * slots_,
                 out.data + token * out.stride);
    }
  });
}

void MemsizerMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                            Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t width = projection_.out();
  const int64_t tokens = rows.tokens();
  float* projected = frame.floats(tokens * width);
  projection_.apply(work, x, tokens, {projected, width});
  float* addresses = frame.floats(tokens * slots_);
  float* query = input_keys_ ? frame.floats(tokens * dim_) : nullptr;
  float* logits = input_keys_ ? frame.floats(tokens * key_floats()) : nullptr;

  const auto prepare = [&](int64_t token, int64_t position) {
    float* row = projected + token * width;
    normalise(row);
    if (!input_keys_)
      kernels::mean_softmax(row, heads_, slots_, inverse_root(position), addresses + token * slots_);
  };
  // The keys of a token depend on all tokens before it, so its address is known only in its turn.
  const auto address_by_input_keys = [&](int64_t token, int64_t position, float* keys) {
    const float* row = projected + token * width;
    float* scaled = query + token * dim_;
    std::copy_n(x.data + token * x.stride, dim_, scaled);
    kernels::scale(scaled, dim_, inverse_root(position) * inverse_root(dim_));
    kernels::memory_step(row + key_right_at_, row, scaled, dim_, key_floats(), keys, key_floats(),
                         logits + token * key_floats());
    kernels::mean_softmax(logits + token * key_floats(), heads_, slots_, inverse_root(position),
                          addresses + token * slots_);
  };
  const auto step = [&](int64_t token, float* memory, int64_t first, int64_t last) {
    const float* row = projected + token * width;
    kernels::memory_step(row + left_at_, row + right_at_ + first, addresses + token * slots_, slots_,
                         last - first, memory + first, dim_, out.data + token * out.stride + first);
  };

  const int64_t ranges = input_keys_ ? 1 : column_ranges(work, rows.sequences(), dim_);
  const int64_t numbers_a_row = slots_ * dim_ * tokens / rows.sequences();
  if (ranges == 1) {
    split_rows(work, rows.sequences(), numbers_a_row, [&](int64_t r) {
      float* state = states.row(r);
      for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
        const int64_t position = states.seen[r] + token - rows.begin(r) + 1;
        prepare(token, position);
        if (input_keys_) address_by_input_keys(token, position, state + slots_ * dim_);
        step(token, state, 0, dim_);
      }
    });
    return;
  }
  // Fewer rows than members: tokens are prepared by all, then each takes some columns of the memory.
  for (int64_t r = 0; r < rows.sequences(); ++r) {
    split_rows(work, rows.length(r), projection_.out(),
               [&](int64_t t) { prepare(rows.begin(r) + t, states.seen[r] + t + 1); });
  }
  split_rows(work, rows.sequences() * ranges, numbers_a_row / ranges, [&](int64_t item) {
    const int64_t r = item / ranges;
    const auto [first, last] = columns_of(item % ranges, ranges, dim_);
    for (int64_t token = rows.begin(r); token < rows.end(r); ++token) step(token, states.row(r), first, last);
  });
}

std::unique_ptr<Mixer> make_memsizer_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<MemsizerMixer>(config, weights);
}

}  // namespace memsizer::runtime
