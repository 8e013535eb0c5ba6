// Adds the modules of the tests' mechanisms to a program that trains, beside add_to_runtime.cc.
#include "mechanisms/description.h"
#include "nn/mixer.h"

namespace memsizer {

#define MEMSIZER_MECHANISM(id) const MechanismDescription& id##_description();
#include "list.inc"
#undef MEMSIZER_MECHANISM

namespace nn {

#define MEMSIZER_MECHANISM(id) std::shared_ptr<Mixer> make_##id##_module(const MixerConfig& config);
#include "list.inc"
#undef MEMSIZER_MECHANISM

namespace {

[[maybe_unused]] const bool added = [] {
#define MEMSIZER_MECHANISM(id) add_module(id##_description().traits().name, make_##id##_module);
#include "list.inc"
#undef MEMSIZER_MECHANISM
  return true;
}();

}  // namespace
}  // namespace nn
}  // namespace memsizer
