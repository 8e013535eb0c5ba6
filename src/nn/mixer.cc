#include "nn/mixer.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "core/error.h"
#include "mechanisms/registry.h"

namespace memsizer::nn {

#define MEMSIZER_MECHANISM(name) std::shared_ptr<Mixer> make_##name##_module(const MixerConfig& config);
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM

namespace {

using at::Tensor;

std::string shape_text(const Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

struct Module {
  std::string name;
  MakeModule make;
};

// In the order of mechanisms().
std::vector<Module>& modules() {
  static std::vector<Module> all = [] {
    constexpr MakeModule listed[] = {
#define MEMSIZER_MECHANISM(name) make_##name##_module,
#include "mechanisms/list.inc"
#undef MEMSIZER_MECHANISM
    };
    std::vector<Module> built_in;
    for (size_t i = 0; i < std::size(listed); ++i)
      built_in.push_back({std::string(mechanisms()[i].name()), listed[i]});
    return built_in;
  }();
  return all;
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
                    config_.mechanism.name(), position_name(config_.position));
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
  require_streaming();
  return {config_.state(), batch, tensor_options()};
}

Tensor Mixer::advance(const Tensor& x, MixerState& state, const Tensor& padding) {
  if (!causal()) refuse("generation from a state");
  check_sequence(x, "input");
  if (state.batch() != x.size(1)) {
    throw UserError("input has batch {}, the state {}; they must be the same", x.size(1), state.batch());
  }
  require_streaming();
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
  throw UserError("{} as {} has no form for {}{}{}", config_.mechanism.name(),
                  position_name(config_.position), form, config_.mechanism.traits().note.empty() ? "" : ": ",
                  config_.mechanism.traits().note);
}

void Mixer::require_self(std::string_view form) const {
  if (config_.position != Position::Cross) return;
  throw UserError("{} was built for cross-attention; {} needs a source beside the query",
                  config_.mechanism.name(), form);
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
  throw UserError("{} of {} holds NaN or infinity; expected finite numbers", name, config_.mechanism.name());
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
  for (const Module& module : modules()) {
    if (module.name == config.mechanism.name()) return module.make(config);
  }
  throw std::logic_error("mechanism without a module: " + std::string(config.mechanism.name()));
}

void add_module(std::string_view mechanism, MakeModule make) {
  modules().push_back({std::string(mechanism), make});
}

Tensor time_major_mask(const Tensor& padding) {
  return padding.t().unsqueeze(2);
}

}  // namespace memsizer::nn
