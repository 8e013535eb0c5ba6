// Adds the mechanisms of the tests to a program that generates.
#include "mechanisms/registry.h"
#include "runtime/mixer.h"

namespace memsizer {

#define MEMSIZER_MECHANISM(id) const MechanismDescription& id##_description();
#include "list.inc"
#undef MEMSIZER_MECHANISM

namespace runtime {

#define MEMSIZER_MECHANISM(id) \
  std::unique_ptr<Mixer> make_##id##_step(const MixerConfig& config, const Weights& weights);
#include "list.inc"
#undef MEMSIZER_MECHANISM

namespace {

[[maybe_unused]] const bool added = [] {
#define MEMSIZER_MECHANISM(id)       \
  add_mechanism(id##_description()); \
  add_step(id##_description().traits().name, make_##id##_step);
#include "list.inc"
#undef MEMSIZER_MECHANISM
  return true;
}();

}  // namespace
}  // namespace runtime
}  // namespace memsizer
