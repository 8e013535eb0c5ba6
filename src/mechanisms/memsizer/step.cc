#include "mechanisms/memsizer/step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/memory.h"
#include "kernels/rows.h"
#include "runtime/columns.h"

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

float* row_of(Rows rows, int64_t i) {
  return rows.data + i * rows.stride;
}
const float* row_of(ConstRows rows, int64_t i) {
  return rows.data + i * rows.stride;
}

// Projections that become one: each is told its place among the outputs.
struct Joined {
  std::vector<std::string> names;
  int64_t width = 0;

  int64_t add(const std::string& name, int64_t out) {
    names.push_back(name);
    return std::exchange(width, width + out);
  }
};

}  // namespace

MemsizerMixer::Fields::Fields(const MemsizerForm& form)
    : normaliser(form.slots * form.dim),
      key_memory(normaliser + form.mean_groups * form.slots),
      inputs(key_memory + (form.input_keys ? form.dim * form.keys() : 0)),
      window(inputs + std::max<int64_t>(0, form.convolution - 1) * form.dim),
      floats(window + 2 * form.window * form.dim) {}

MemsizerMixer::MemsizerMixer(const MixerConfig& config, const Weights& weights)
    : form_(config), fields_(form_) {
  const int64_t dim = form_.dim;
  Joined tokens;
  Joined queries;
  Joined& reader = config.position == Position::Cross ? queries : tokens;
  if (form_.input_keys) {
    tokens.add("key_k_proj", form_.keys());
    key_right_at_ = tokens.add("key_v_proj", dim);
    key_left_norm_ = norm_of(weights, "key_k_layer_norm", form_.slots);
    key_right_norm_ = norm_of(weights, "key_v_layer_norm", dim);
  } else {
    logits_at_ = reader.add("q_proj", form_.keys());
  }
  left_at_ = tokens.add("k_proj", form_.left_width());
  right_at_ = tokens.add("v_proj", dim);
  left_norm_ = norm_of(weights, "k_layer_norm", form_.slots);
  right_norm_ = norm_of(weights, "v_layer_norm", dim);
  read_norm_ = norm_of(weights, "read_layer_norm", form_.group_dim());
  if (form_.gate) gate_at_ = reader.add("gate_proj", dim);
  if (form_.output) output_ = Linear(weights, {"out_proj"});
  if (form_.forget) {
    forget_weight_ = weights.floats("decay_proj.weight");
    forget_bias_ = weights.floats("decay_proj.bias");
  }
  if (form_.convolution > 0) convolution_.emplace(dim, form_.convolution, weights);
  if (form_.window > 0) {
    window_.emplace(config, weights);
    window_at_ = tokens.width;
    for (const char* name : MemsizerWindow::kProjections) tokens.add(name, dim);
  }
  projection_ = Linear(weights, tokens.names);
  if (!queries.names.empty()) query_ = Linear(weights, queries.names);
}

template <typename Task>
void MemsizerMixer::for_pieces(int64_t first, int64_t last, const Task& task) const {
  const int64_t width = form_.group_dim();
  for (int64_t group = first / width; group * width < last; ++group) {
    const int64_t begin = std::max(first, group * width);
    const int64_t end = std::min(last, (group + 1) * width);
    task(Piece{.group = group,
               .first = begin,
               .width = end - begin,
               .at = group * form_.slots * width + begin - group * width});
  }
}

void MemsizerMixer::normalise(float* projected) const {
  const int64_t slots = form_.slots;
  if (form_.input_keys) {
    for (int64_t head = 0; head < form_.heads; ++head)
      key_left_norm_.apply(projected + head * slots, projected + head * slots);
    key_right_norm_.apply(projected + key_right_at_, projected + key_right_at_);
  }
  float* left = projected + left_at_;
  for (int64_t group = 0; group < form_.normed_groups(); ++group)
    left_norm_.apply(left + group * slots, left + group * slots);
  for (int64_t group = form_.normed_groups(); group < form_.groups; ++group)
    kernels::softmax(left + group * slots, slots);
  if (form_.value_norm) right_norm_.apply(projected + right_at_, projected + right_at_);
}

float* MemsizerMixer::project(Work& work, Scratch::Frame& frame, ConstRows x, int64_t tokens) const {
  const int64_t width = projection_.out();
  float* projected = frame.floats(tokens * width);
  projection_.apply(work, x, tokens, {projected, width});
  return projected;
}

float* MemsizerMixer::project_sequences(Work& work, Scratch::Frame& frame, const Ragged& sequences,
                                        ConstRows x) const {
  const int64_t width = projection_.out();
  float* projected = project(work, frame, x, sequences.tokens());
  split_rows(work, sequences.tokens(), width, [&](int64_t token) { normalise(projected + token * width); });
  if (form_.pool) {
    work.team.split(sequences.sequences(), 1, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        if (sequences.length(i) == 0) continue;
        kernels::column_softmax(projected + sequences.begin(i) * width + left_at_, sequences.length(i), width,
                                form_.left_width());
      }
    });
  }
  return projected;
}

void MemsizerMixer::address(float* logits, float scale, float* out) const {
  const int64_t heads = form_.group_heads();
  for (int64_t group = 0; group < form_.groups; ++group) {
    kernels::mean_softmax(logits + group * heads * form_.slots, heads, form_.slots,
                          group < form_.sum_groups() ? scale : 1.0F, out + group * form_.slots);
  }
}

void MemsizerMixer::divide(const float* normaliser, float* address) const {
  const float weight = kernels::dot(address, normaliser, form_.slots);
  kernels::scale(address, form_.slots, 1.0F / (weight + MemsizerForm::kMeanEpsilon));
}

template <typename StateOf>
void MemsizerMixer::write_sequences(Work& work, const Ragged& sequences, const float* projected,
                                    const StateOf& state_of) const {
  const int64_t dim = form_.dim;
  const int64_t slots = form_.slots;
  const int64_t keys = form_.keys();
  const int64_t group_dim = form_.group_dim();
  const int64_t ranges = column_ranges(work, sequences.sequences(), dim);
  const int64_t width = projection_.out();
  const auto row = [&](int64_t token) { return projected + token * width; };
  const auto write_memory = [&](const Piece& piece, int64_t begin, int64_t end, float scale, float* memory) {
    for (int64_t j = 0; j < slots; ++j) std::fill_n(memory + j * group_dim, piece.width, 0.0F);
    for (int64_t token = begin; token < end; ++token) {
      kernels::memory_write(row(token) + left_at_ + piece.group * slots, row(token) + right_at_ + piece.first,
                            slots, piece.width, memory, group_dim);
    }
    if (piece.group >= form_.sum_groups()) return;
    for (int64_t j = 0; j < slots; ++j) kernels::scale(memory + j * group_dim, piece.width, scale);
  };
  const auto write_keys = [&](int64_t first, int64_t last, int64_t begin, int64_t end, float scale,
                              float* memory) {
    std::fill_n(memory, (last - first) * keys, 0.0F);
    for (int64_t token = begin; token < end; ++token) {
      kernels::memory_write(row(token) + key_right_at_ + first, row(token), last - first, keys, memory, keys);
    }
    kernels::scale(memory, (last - first) * keys, scale);
  };
  const auto write_normaliser = [&](int64_t begin, int64_t end, float* normaliser) {
    const int64_t numbers = form_.mean_groups * slots;
    std::fill_n(normaliser, numbers, 0.0F);
    for (int64_t token = begin; token < end; ++token) {
      kernels::add(normaliser, row(token) + left_at_ + form_.sum_groups() * slots, numbers, normaliser);
    }
  };
  work.team.split(sequences.sequences() * ranges, 1, [&](int64_t first_item, int64_t end_item) {
    for (int64_t item = first_item; item < end_item; ++item) {
      const int64_t sequence = item / ranges;
      const int64_t range = item % ranges;
      const int64_t begin = sequences.begin(sequence);
      const int64_t end = sequences.end(sequence);
      const auto [first, last] = columns_of(range, ranges, dim);
      const float scale = inverse_root(std::max<int64_t>(1, end - begin));
      float* state = state_of(sequence);
      for_pieces(first, last,
                 [&](const Piece& piece) { write_memory(piece, begin, end, scale, state + piece.at); });
      if (form_.mean_groups > 0 && range == 0) write_normaliser(begin, end, state + fields_.normaliser);
      if (form_.input_keys)
        write_keys(first, last, begin, end, scale, state + fields_.key_memory + first * keys);
    }
  });
}

void MemsizerMixer::read_state(const Tokens& tokens, int64_t token, const float* state) const {
  float* logits = row_of(tokens.logits, token);
  float* weights = row_of(tokens.addresses, token);
  float* out = row_of(tokens.out, token);
  if (form_.input_keys) {
    kernels::memory_read(row_of(tokens.x, token), state + fields_.key_memory, form_.dim, form_.keys(),
                         form_.keys(), logits);
    kernels::scale(logits, form_.keys(), inverse_root(form_.dim));
  }
  address(logits, 1.0F, weights);
  for (int64_t i = 0; i < form_.mean_groups; ++i)
    divide(state + fields_.normaliser + i * form_.slots, weights + (form_.sum_groups() + i) * form_.slots);
  for_pieces(0, form_.dim, [&](const Piece& piece) {
    kernels::memory_read(weights + piece.group * form_.slots, state + piece.at, form_.slots, piece.width,
                         form_.group_dim(), out + piece.first);
  });
  if (form_.gate) kernels::silu_gate(out, row_of(tokens.gates, token), form_.dim, out);
}

Rows MemsizerMixer::reads(Scratch::Frame& frame, int64_t tokens, Rows out) const {
  return form_.output ? Rows{frame.floats(tokens * form_.dim), form_.dim} : out;
}

void MemsizerMixer::project_reads(Work& work, Rows reads, int64_t tokens, Rows out) const {
  if (form_.output) output_.apply(work, {reads.data, reads.stride}, tokens, out);
}

void MemsizerMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t count = sequences.tokens();
  const int64_t width = projection_.out();
  float* projected = project_sequences(work, frame, sequences, x);
  float* states = frame.floats(sequences.sequences() * fields_.floats);
  write_sequences(work, sequences, projected, [&](int64_t i) { return states + i * fields_.floats; });
  const Tokens tokens{.x = x,
                      .projected = {projected, width},
                      .logits = {projected + logits_at_, width},
                      .gates = {projected + gate_at_, width},
                      .addresses = {frame.floats(count * form_.left_width()), form_.left_width()},
                      .out = reads(frame, count, out)};
  for (int64_t i = 0; i < sequences.sequences(); ++i) {
    split_rows(work, sequences.length(i), form_.slots * form_.dim,
               [&](int64_t t) { read_state(tokens, sequences.begin(i) + t, states + i * fields_.floats); });
  }
  project_reads(work, tokens.out, count, out);
}

void MemsizerMixer::read(Work& work, const Ragged& sources, ConstRows x,
                         std::span<const SourceState> states) const {
  Scratch::Frame frame(work.scratch);
  write_sequences(work, sources, project_sequences(work, frame, sources, x),
                  [&](int64_t i) { return states[i].fixed; });
}

void MemsizerMixer::attend(Work& work, const Ragged& rows, ConstRows x,
                           std::span<const ConstSourceState> source_of_row, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t count = rows.tokens();
  const Rows query{frame.floats(count * query_.out()), query_.out()};
  if (query_.out() > 0) query_.apply(work, x, count, query);
  const Tokens tokens{.x = x,
                      .logits = form_.input_keys ? Rows{frame.floats(count * form_.keys()), form_.keys()}
                                                 : Rows{query.data + logits_at_, query.stride},
                      .gates = {query.data + gate_at_, query.stride},
                      .addresses = {frame.floats(count * form_.left_width()), form_.left_width()},
                      .out = reads(frame, count, out)};
  split_rows(work, rows.sequences(), form_.slots * form_.dim * count / rows.sequences(), [&](int64_t row) {
    for (int64_t token = rows.begin(row); token < rows.end(row); ++token)
      read_state(tokens, token, source_of_row[row].fixed);
  });
  project_reads(work, tokens.out, count, out);
}

void MemsizerMixer::prepare(const Tokens& tokens, int64_t token, int64_t position) const {
  normalise(row_of(tokens.projected, token));
  if (form_.forget) {
    float* decays = row_of(tokens.decays, token);
    for (int64_t group = 0; group < form_.groups; ++group) {
      decays[group] =
          forget_bias_[group] +
          kernels::dot(row_of(tokens.x, token), forget_weight_.data() + group * form_.dim, form_.dim);
    }
    kernels::sigmoid(decays, form_.groups, decays);
  }
  if (!form_.input_keys) {
    address(row_of(tokens.logits, token), form_.forget ? 1.0F : inverse_root(position),
            row_of(tokens.addresses, token));
  }
}

void MemsizerMixer::weigh(const Tokens& tokens, int64_t token, int64_t position, float* state) const {
  const float* projected = row_of(tokens.projected, token);
  float* weights = row_of(tokens.addresses, token);
  if (form_.input_keys) {
    float* query = row_of(tokens.key_queries, token);
    float* logits = row_of(tokens.logits, token);
    std::copy_n(row_of(tokens.x, token), form_.dim, query);
    kernels::scale(query, form_.dim, inverse_root(position) * inverse_root(form_.dim));
    kernels::memory_step(projected + key_right_at_, projected, query, form_.dim, form_.keys(),
                         state + fields_.key_memory, form_.keys(), logits);
    address(logits, form_.forget ? 1.0F : inverse_root(position), weights);
  }
  for (int64_t group = form_.sum_groups(); group < form_.groups; ++group) {
    float* normaliser = state + fields_.normaliser + (group - form_.sum_groups()) * form_.slots;
    if (form_.forget) kernels::scale(normaliser, form_.slots, row_of(tokens.decays, token)[group]);
    kernels::add(normaliser, projected + left_at_ + group * form_.slots, form_.slots, normaliser);
    divide(normaliser, weights + group * form_.slots);
  }
}

void MemsizerMixer::step(const Tokens& tokens, int64_t token, float* memory, int64_t first,
                         int64_t last) const {
  const float* projected = row_of(tokens.projected, token);
  for_pieces(first, last, [&](const Piece& piece) {
    const float* left = projected + left_at_ + piece.group * form_.slots;
    const float* right = projected + right_at_ + piece.first;
    const float* weights = row_of(tokens.addresses, token) + piece.group * form_.slots;
    float* out = row_of(tokens.out, token) + piece.first;
    if (form_.forget) {
      kernels::memory_fading_step(row_of(tokens.decays, token)[piece.group], left, right, weights,
                                  form_.slots, piece.width, memory + piece.at, form_.group_dim(), out);
    } else {
      kernels::memory_step(left, right, weights, form_.slots, piece.width, memory + piece.at,
                           form_.group_dim(), out);
    }
  });
}

void MemsizerMixer::finish(const Tokens& tokens, int64_t token) const {
  float* out = row_of(tokens.out, token);
  if (form_.norms_read()) {
    for (int64_t group = 0; group < form_.sum_groups(); ++group)
      read_norm_.apply(out + group * form_.group_dim(), out + group * form_.group_dim());
  }
  if (form_.gate) kernels::silu_gate(out, row_of(tokens.gates, token), form_.dim, out);
}

void MemsizerMixer::advance_memory(Work& work, const Ragged& rows, const RowStates& states,
                                   const Tokens& tokens) const {
  const auto position = [&](int64_t r, int64_t token) { return states.seen[r] + token - rows.begin(r) + 1; };
  // Keys that are made from the input are a memory much larger than this one, and it is read as a whole.
  const int64_t ranges = form_.input_keys ? 1 : column_ranges(work, rows.sequences(), form_.dim);
  const int64_t numbers_a_row = form_.slots * form_.dim * rows.tokens() / rows.sequences();
  if (ranges == 1) {
    split_rows(work, rows.sequences(), numbers_a_row, [&](int64_t r) {
      float* state = states.row(r);
      for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
        prepare(tokens, token, position(r, token));
        weigh(tokens, token, position(r, token), state);
        step(tokens, token, state, 0, form_.dim);
        finish(tokens, token);
      }
    });
    return;
  }
  // Fewer rows than members: tokens are prepared by all, then each takes some columns of the memory.
  for (int64_t r = 0; r < rows.sequences(); ++r) {
    split_rows(work, rows.length(r), projection_.out(),
               [&](int64_t t) { prepare(tokens, rows.begin(r) + t, states.seen[r] + t + 1); });
    for (int64_t token = rows.begin(r); token < rows.end(r); ++token)
      weigh(tokens, token, position(r, token), states.row(r));
  }
  split_rows(work, rows.sequences() * ranges, numbers_a_row / ranges, [&](int64_t item) {
    const int64_t r = item / ranges;
    const auto [first, last] = columns_of(item % ranges, ranges, form_.dim);
    for (int64_t token = rows.begin(r); token < rows.end(r); ++token)
      step(tokens, token, states.row(r), first, last);
  });
  split_rows(work, rows.tokens(), form_.dim, [&](int64_t token) { finish(tokens, token); });
}

void MemsizerMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                            Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t count = rows.tokens();
  const int64_t dim = form_.dim;
  if (convolution_) {
    const Rows mixed{frame.floats(count * dim), dim};
    convolution_->apply(work, rows, x, states, fields_.inputs, mixed);
    x = {mixed.data, mixed.stride};
  }
  const int64_t width = projection_.out();
  float* projected = project(work, frame, x, count);
  Tokens tokens{.x = x,
                .projected = {projected, width},
                .logits = {projected + logits_at_, width},
                .gates = {projected + gate_at_, width},
                .addresses = {frame.floats(count * form_.left_width()), form_.left_width()},
                .out = reads(frame, count, out)};
  if (form_.forget) tokens.decays = {frame.floats(count * form_.groups), form_.groups};
  if (form_.input_keys) {
    // The keys of a token depend on all tokens before it, so its logits are known only in its turn.
    tokens.logits = {frame.floats(count * form_.keys()), form_.keys()};
    tokens.key_queries = {frame.floats(count * dim), dim};
  }
  advance_memory(work, rows, states, tokens);
  project_reads(work, tokens.out, count, out);
  if (window_) window_->add(work, rows, {projected + window_at_, width}, states, fields_.window, out);
}

std::unique_ptr<Mixer> make_memsizer_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<MemsizerMixer>(config, weights);
}

std::unique_ptr<Mixer> make_memsizer_plus_step(const MixerConfig& config, const Weights& weights) {
  return make_memsizer_step(config, weights);
}

}  // namespace memsizer::runtime
