#include "runtime/kernel_mixer.h"

#include <algorithm>
#include <limits>

#include "kernels/memory.h"
#include "kernels/rows.h"

namespace memsizer::runtime {

using Side = FeatureMap::Side;

KernelMixer::KernelMixer(const MixerConfig& config, const Weights& weights, std::unique_ptr<FeatureMap> map)
    : dim_(config.dim),
      heads_(config.heads),
      head_dim_(config.head_dim()),
      gated_(weights.contains("g_proj.weight")),
      map_(std::move(map)),
      output_(weights, {"out_proj"}) {
  if (config.position == Position::Cross) {
    query_ = Linear(weights, {"q_proj"});
    inputs_ = Linear(weights, {"k_proj", "v_proj"});
    return;
  }
  std::vector<std::string> names = {"q_proj", "k_proj", "v_proj"};
  if (gated_) names.emplace_back("g_proj");
  inputs_ = Linear(weights, names);
}

void KernelMixer::read_head(const float* query_features, int64_t head, const float* state, float* out) const {
  kernels::memory_read(query_features, state + memory_at(head), features(), head_dim_, head_dim_, out);
  const float norm = kernels::dot(query_features, state + normaliser_at(head), features());
  kernels::scale(out, head_dim_, 1.0F / map_->denominator(norm));
}

template <typename StateOf>
void KernelMixer::write_sequences(Work& work, const Ragged& sequences, ConstRows projected, int64_t key_at,
                                  int64_t value_at, const StateOf& state_of) const {
  Scratch::Frame frame(work.scratch);
  const int64_t items = sequences.sequences() * heads_;
  const int64_t room = features() + map_->scratch_floats();
  float* buffers = frame.floats(items * room);
  split_rows(work, items, features() * head_dim_ * sequences.tokens(), [&](int64_t item) {
    const int64_t sequence = item / heads_;
    const int64_t head = item % heads_;
    float* phi = buffers + item * room;
    float* scratch = phi + features();
    float* memory = state_of(sequence) + memory_at(head);
    float* sum = state_of(sequence) + normaliser_at(head);
    std::fill_n(memory, features() * head_dim_, 0.0F);
    std::fill_n(sum, features(), 0.0F);
    const auto row_of = [&](int64_t token) { return projected.data + token * projected.stride; };
    const auto key_of = [&](int64_t token) { return row_of(token) + key_at + head * head_dim_; };
    float shift = -std::numeric_limits<float>::infinity();
    for (int64_t token = sequences.begin(sequence); token < sequences.end(sequence); ++token) {
      if (map_->shifts_keys()) shift = std::max(shift, map_->key_shift(key_of(token), head, scratch));
    }
    for (int64_t token = sequences.begin(sequence); token < sequences.end(sequence); ++token) {
      if (map_->shifts_keys()) {
        map_->apply_shifted(key_of(token), head, shift, scratch, phi);
      } else {
        map_->apply(key_of(token), head, Side::Key, scratch, phi);
      }
      kernels::memory_write(phi, row_of(token) + value_at + head * head_dim_, features(), head_dim_, memory,
                            head_dim_);
      kernels::add(sum, phi, features(), sum);
    }
  });
}

void KernelMixer::encode(Work& work, const Ragged& sequences, ConstRows x, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sequences.tokens();
  const int64_t width = inputs_.out();
  float* projected = frame.floats(tokens * width);
  inputs_.apply(work, x, tokens, {projected, width});
  float* states = frame.floats(sequences.sequences() * state_floats());
  write_sequences(work, sequences, {projected, width}, dim_, 2 * dim_,
                  [&](int64_t i) { return states + i * state_floats(); });
  float* mixed = frame.floats(tokens * dim_);
  const int64_t room = features() + map_->scratch_floats();
  float* buffers = frame.floats(tokens * room);
  for (int64_t i = 0; i < sequences.sequences(); ++i) {
    split_rows(work, sequences.length(i), features() * dim_, [&](int64_t t) {
      const int64_t token = sequences.begin(i) + t;
      float* phi = buffers + token * room;
      for (int64_t head = 0; head < heads_; ++head) {
        map_->apply(projected + token * width + head * head_dim_, head, Side::Query, phi + features(), phi);
        read_head(phi, head, states + i * state_floats(), mixed + token * dim_ + head * head_dim_);
      }
    });
  }
  output_.apply(work, {mixed, dim_}, tokens, out);
}

void KernelMixer::read(Work& work, const Ragged& sources, ConstRows x,
                       std::span<const SourceState> states) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = sources.tokens();
  float* projected = frame.floats(tokens * inputs_.out());
  inputs_.apply(work, x, tokens, {projected, inputs_.out()});
  write_sequences(work, sources, {projected, inputs_.out()}, 0, dim_,
                  [&](int64_t i) { return states[i].fixed; });
}

void KernelMixer::attend(Work& work, const Ragged& rows, ConstRows x,
                         std::span<const ConstSourceState> source_of_row, Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  float* queries = frame.floats(tokens * dim_);
  query_.apply(work, x, tokens, {queries, dim_});
  float* mixed = frame.floats(tokens * dim_);
  const int64_t items = rows.sequences() * heads_;
  const int64_t room = features() + map_->scratch_floats();
  float* buffers = frame.floats(items * room);
  split_rows(work, items, features() * head_dim_ * tokens / rows.sequences(), [&](int64_t item) {
    const int64_t row = item / heads_;
    const int64_t head = item % heads_;
    float* phi = buffers + item * room;
    const float* state = source_of_row[row].fixed;
    for (int64_t token = rows.begin(row); token < rows.end(row); ++token) {
      const int64_t at = token * dim_ + head * head_dim_;
      map_->apply(queries + at, head, Side::Query, phi + features(), phi);
      read_head(phi, head, state, mixed + at);
    }
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

void KernelMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                          Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  const int64_t width = inputs_.out();
  float* projected = frame.floats(tokens * width);
  inputs_.apply(work, x, tokens, {projected, width});
  float* mixed = frame.floats(tokens * dim_);
  const int64_t items = rows.sequences() * heads_;
  const int64_t room = 2 * features() + map_->scratch_floats();
  float* buffers = frame.floats(items * room);
  split_rows(work, items, features() * head_dim_ * tokens / rows.sequences(), [&](int64_t item) {
    const int64_t row = item / heads_;
    const int64_t head = item % heads_;
    float* query_features = buffers + item * room;
    float* key_features = query_features + features();
    float* scratch = key_features + features();
    float* memory = states.row(row) + memory_at(head);
    float* sum = states.row(row) + normaliser_at(head);
    for (int64_t token = rows.begin(row); token < rows.end(row); ++token) {
      const float* q = projected + token * width + head * head_dim_;
      map_->apply(q, head, Side::Query, scratch, query_features);
      map_->apply(q + dim_, head, Side::Key, scratch, key_features);
      if (gated_) {
        float gate = 0.0F;
        kernels::sigmoid(projected + token * width + 3 * dim_ + head, 1, &gate);
        kernels::scale(key_features, features(), gate);
      }
      kernels::add(sum, key_features, features(), sum);
      float* result = mixed + token * dim_ + head * head_dim_;
      kernels::memory_step(key_features, q + 2 * dim_, query_features, features(), head_dim_, memory,
                           head_dim_, result);
      const float norm = kernels::dot(query_features, sum, features());
      kernels::scale(result, head_dim_, 1.0F / map_->denominator(norm));
    }
  });
  output_.apply(work, {mixed, dim_}, tokens, out);
}

}  // namespace memsizer::runtime
