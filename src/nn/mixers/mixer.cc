#include "nn/mixers/mixer.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "core/error.h"
#include "nn/mixers/elu.h"
#include "nn/mixers/linformer.h"
#include "nn/mixers/memsizer.h"
#include "nn/mixers/performer.h"
#include "nn/mixers/rfa.h"
#include "nn/mixers/softmax.h"
#include "nn/mixers/ssru.h"
#include "nn/mixers/synthesizer.h"
#include "nn/mixers/t2r.h"

namespace memsizer::nn {
namespace {

using at::Tensor;

std::string shape_text(const Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

}  // namespace

Mixer::Mixer(const MixerConfig& config) : config_(config) {
  config_.validate();
}

Tensor Mixer::forward(const Tensor& x, const Tensor& padding, const Pass& pass) {
  require_self("forward(x)");
  check_sequence(x, "input");
  const Tensor mask = checked_padding(padding, x);
  return causal() ? mix_causal(x, mask, pass) : mix_cross(x, x, mask, pass);
}

Tensor Mixer::forward(const Tensor& query, const Tensor& source, const Tensor& padding, const Pass& pass) {
  if (config_.position != Position::Cross) {
    throw UserError("{} was built for {}; it takes one sequence, not a query and a source",
                    mechanism_name(config_.mechanism), position_name(config_.position));
  }
  check_sequence(query, "query");
  check_sequence(source, "source");
  if (query.size(1) != source.size(1)) {
    throw UserError("query has batch {} and source batch {}; they must be the same", query.size(1),
                    source.size(1));
  }
  return mix_cross(query, source, checked_padding(padding, source), pass);
}

MixerState Mixer::start(int64_t batch) const {
  if (!causal()) refuse("generation from a state");
  if (batch < 1) throw UserError("a state for {} sequences was asked for; it takes at least 1", batch);
  return start_state(batch);
}

Tensor Mixer::advance(const Tensor& x, MixerState& state, const Tensor& padding) {
  if (!causal()) refuse("generation from a state");
  check_sequence(x, "input");
  if (state.batch() != x.size(1)) {
    throw UserError("input has batch {}, the state {}; they must be the same", x.size(1), state.batch());
  }
  return advance_state(x, checked_padding(padding, x), state);
}

MixerState Mixer::read(const Tensor& source, const Tensor& padding) {
  if (config_.position != Position::Cross) refuse("reading a source");
  check_sequence(source, "source");
  return read_source(source, checked_padding(padding, source));
}

Tensor Mixer::attend(const Tensor& query, const MixerState& state) {
  if (config_.position != Position::Cross) refuse("attending to a source");
  check_sequence(query, "query");
  if (state.batch() != query.size(1)) {
    throw UserError("query has batch {}, the source read {}; they must be the same", query.size(1),
                    state.batch());
  }
  return attend_state(query, state);
}

void Mixer::redraw(at::Generator& /*generator*/) {}

Tensor Mixer::mix_cross(const Tensor& /*query*/, const Tensor& /*source*/, const Tensor& /*padding*/,
                        const Pass& /*pass*/) {
  refuse("mixing a whole sequence");
}

Tensor Mixer::mix_causal(const Tensor& /*x*/, const Tensor& /*padding*/, const Pass& /*pass*/) {
  refuse("causal mixing");
}

MixerState Mixer::start_state(int64_t /*batch*/) const {
  refuse("generation from a state");
}

Tensor Mixer::advance_state(const Tensor& /*x*/, const Tensor& /*padding*/, MixerState& /*state*/) {
  refuse("generation from a state");
}

MixerState Mixer::read_source(const Tensor& /*source*/, const Tensor& /*padding*/) {
  refuse("reading a source");
}

Tensor Mixer::attend_state(const Tensor& /*query*/, const MixerState& /*state*/) {
  refuse("attending to a source");
}

at::TensorOptions Mixer::tensor_options() const {
  return parameters().front().options().requires_grad(false);
}

void Mixer::refuse(std::string_view form) const {
  throw UserError("{} as {} has no form for {}{}{}", mechanism_name(config_.mechanism),
                  position_name(config_.position), form, traits(config_.mechanism).note.empty() ? "" : ": ",
                  traits(config_.mechanism).note);
}

void Mixer::require_self(std::string_view form) const {
  if (config_.position != Position::Cross) return;
  throw UserError("{} was built for cross-attention; {} needs a source beside the query",
                  mechanism_name(config_.mechanism), form);
}

void Mixer::check_sequence(const Tensor& x, std::string_view name) const {
  if (!x.defined() || x.dim() != 3 || x.size(2) != dim() || x.size(0) < 1 || x.size(1) < 1) {
    throw UserError("{} has shape {}; expected [time, batch, {}] with at least one token and one sequence",
                    name, x.defined() ? shape_text(x) : "none", dim());
  }
  if (!x.is_floating_point())
    throw UserError("{} holds {}; expected floating-point numbers", name, c10::toString(x.scalar_type()));
  // Elsewhere than on the CPU this would wait for the device in every layer.
  if (!x.is_cpu()) return;
  const Tensor plain = x.detach();
  if (std::isfinite(plain.sum().item<double>()) || plain.isfinite().all().item<bool>()) return;
  throw UserError("{} of {} holds NaN or infinity; expected finite numbers", name,
                  mechanism_name(config_.mechanism));
}

Tensor Mixer::checked_padding(const Tensor& padding, const Tensor& x) const {
  if (!padding.defined()) return {};
  if (padding.dim() != 2 || padding.size(0) != x.size(1) || padding.size(1) != x.size(0)) {
    throw UserError("padding has shape {}; expected [batch, time] = [{}, {}]", shape_text(padding), x.size(1),
                    x.size(0));
  }
  const Tensor mask = padding.to(at::kBool);
  const Tensor empty_rows = mask.all(1);
  if (empty_rows.any().item<bool>()) {
    throw UserError("row {} of the batch is all padding; every sequence needs at least one token",
                    empty_rows.nonzero()[0].item<int64_t>());
  }
  return mask.any().item<bool>() ? mask : Tensor();
}

std::shared_ptr<Mixer> make_mixer(const MixerConfig& config) {
  config.validate();
  switch (config.mechanism) {
    case Mechanism::Memsizer:
      return std::make_shared<MemsizerMixer>(config);
    case Mechanism::Softmax:
      return std::make_shared<SoftmaxMixer>(config);
    case Mechanism::Elu:
      return std::make_shared<EluMixer>(config);
    case Mechanism::Rfa:
      return std::make_shared<RfaMixer>(config);
    case Mechanism::T2r:
      return std::make_shared<T2rMixer>(config);
    case Mechanism::Performer:
      return make_performer(config);
    case Mechanism::Linformer:
      return std::make_shared<LinformerMixer>(config);
    case Mechanism::SynthesizerRandom:
    case Mechanism::SynthesizerDense:
      return std::make_shared<SynthesizerMixer>(config);
    case Mechanism::Ssru:
      return std::make_shared<SsruMixer>(config);
  }
  throw std::logic_error("mechanism without a mixer");
}

Tensor time_major_mask(const Tensor& padding) {
  return padding.t().unsqueeze(2);
}

}  // namespace memsizer::nn
