#pragma once

#include <torch/torch.h>

#include <memory>

#include "mechanisms/description.h"
#include "nn/mixer_state.h"
#include "nn/pass.h"

namespace memsizer::nn {

// A mechanism that mixes information along a sequence, in the place of attention. One idea in forms that
// agree:
//
//   self positions   forward(x)                       the whole sequence at once (training)
//                    start, then advance(x, state)    the next tokens, one or many, from a state (generation,
//                    prompts)
//   cross            forward(query, source)           all queries at once
//                    read(source), then attend        the source once, then queries one or many at a time
//
// Sequences are [time, batch, dim]. Padding is [batch, time], true (or 1) at padding, on either side;
// undefined means none. Padded source positions are never read; outputs at padded query positions are finite
// and mean nothing.
class Mixer : public torch::nn::Module {
 public:
  explicit Mixer(const MixerConfig& config);

  const MixerConfig& config() const { return config_; }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& padding = {}, const Pass& pass = {});
  at::Tensor forward(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                     const Pass& pass);

  MixerState start(int64_t batch) const;
  at::Tensor advance(const at::Tensor& x, MixerState& state, const at::Tensor& padding = {});

  MixerState read(const at::Tensor& source, const at::Tensor& padding = {});
  at::Tensor attend(const at::Tensor& query, const MixerState& state);

  // Fills parameters and fixed random matrices as the reference implementation does.
  virtual void initialise(at::Generator& generator) = 0;

  // Draws the random projections anew; nothing for mechanisms that have none.
  virtual void redraw(at::Generator& generator);

 protected:
  // What a mechanism implements. Inputs are checked, padding is boolean. In the encoder, query and source are
  // the same.
  virtual at::Tensor mix_cross(const at::Tensor& query, const at::Tensor& source, const at::Tensor& padding,
                               const Pass& pass);
  virtual at::Tensor mix_causal(const at::Tensor& x, const at::Tensor& padding, const Pass& pass);
  // Throws where a variant cannot generate token by token.
  virtual void require_streaming() const {}
  virtual at::Tensor advance_state(const at::Tensor& x, const at::Tensor& padding, MixerState& state);
  virtual MixerState read_source(const at::Tensor& source, const at::Tensor& padding);
  virtual at::Tensor attend_state(const at::Tensor& query, const MixerState& state);

  // Options of the tensors this mixer computes with.
  at::TensorOptions tensor_options() const;

  int64_t dim() const { return config_.dim; }
  int64_t heads() const { return config_.heads; }
  int64_t head_dim() const { return config_.head_dim(); }
  bool causal() const { return config_.position == Position::CausalSelf; }

 private:
  [[noreturn]] void refuse(std::string_view form) const;
  void require_self(std::string_view form) const;
  void check_sequence(const at::Tensor& x, std::string_view name) const;
  at::Tensor checked_padding(const at::Tensor& padding, const at::Tensor& x) const;

  MixerConfig config_;
};

// The mixer a configuration asks for, its parameters not yet initialised. Throws UserError on a bad
// configuration.
std::shared_ptr<Mixer> make_mixer(const MixerConfig& config);

// Makes the module of a mechanism that add_mechanism (mechanisms/registry.h) brought.
using MakeModule = std::shared_ptr<Mixer> (*)(const MixerConfig& config);
void add_module(std::string_view mechanism, MakeModule make);

// [time, batch, 1], true at padding, from padding as mixers get it; made to broadcast against sequences.
at::Tensor time_major_mask(const at::Tensor& padding);

}  // namespace memsizer::nn
