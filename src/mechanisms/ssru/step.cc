#include "mechanisms/ssru/step.h"

#include <algorithm>

namespace memsizer::runtime {

void SsruMixer::advance(Work& work, const Ragged& rows, ConstRows x, const RowStates& states,
                        Rows out) const {
  Scratch::Frame frame(work.scratch);
  const int64_t tokens = rows.tokens();
  float* forget = frame.floats(tokens * dim_);
  float* input = frame.floats(tokens * dim_);
  forget_.apply(work, x, tokens, {forget, dim_}, Unary::Sigmoid);
  input_.apply(work, x, tokens, {input, dim_});
  split_rows(work, rows.sequences(), dim_ * tokens / rows.sequences(), [&](int64_t r) {
    float* cell = states.row(r);
    for (int64_t token = rows.begin(r); token < rows.end(r); ++token) {
      const float* f = forget + token * dim_;
      const float* in = input + token * dim_;
      float* result = out.data + token * out.stride;
      for (int64_t c = 0; c < dim_; ++c) {
        cell[c] = f[c] * cell[c] + (1.0F - f[c]) * in[c];
        result[c] = std::max(cell[c], 0.0F);
      }
    }
  });
}

std::unique_ptr<Mixer> make_ssru_step(const MixerConfig& config, const Weights& weights) {
  return std::make_unique<SsruMixer>(config, weights);
}

}  // namespace memsizer::runtime
