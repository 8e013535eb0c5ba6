// The state of a run from elsewhere: whatever its bytes, it is a state that is stored the same again, or a
// UserError of one line.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "fuzz/mutation.h"
#include "train/trainer_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using memsizer::train::TrainerState;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    const TrainerState state = TrainerState::from_json(json, "trainer.json");
    // What is done with it: none of this may overflow.
    if (state.updates + 1 < 1 || state.position.epoch + 1 < 1 || state.position.batch < 0) std::abort();
    const nlohmann::json stored = nlohmann::json::parse(state.to_json().dump());
    if (TrainerState::from_json(stored, "again").to_json() != state.to_json()) std::abort();
  } catch (const memsizer::UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
