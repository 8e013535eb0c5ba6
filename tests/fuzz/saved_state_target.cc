// A state from elsewhere: whatever its bytes, it is a state that goes on, or a UserError of one line.
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/safetensors_bytes.h"
#include "fuzz/safetensors_mutation.h"
#include "model/model_checksum.h"
#include "model/presets.h"
#include "runtime/saved_state.h"

namespace {

using namespace memsizer;

// Layers that keep numbers of the sequence, and of each token of the source.
std::unique_ptr<runtime::Model> tiny_model() {
  ModelDescription description;
  description.config = preset_config("tiny");
  description.config.dim = 8;
  description.config.vocab = 10;
  description.config.encoder.heads = description.config.decoder.heads = 2;
  description.config.encoder.ffn = description.config.decoder.ffn = 8;
  description.config.decoder.cross = mechanism_named("softmax");
  return std::make_unique<runtime::Model>(description,
                                          *runtime::random_source(description.config, WeightType::F32, 1));
}

void go_on(const runtime::Model& model, runtime::Work& work, std::span<const std::byte> bytes) {
  try {
    auto [state, next] = runtime::load_row(model, bytes, "state");
    const std::vector<int64_t> offsets = {0, 1};
    const std::vector<int32_t> tokens = {5};
    model.read(work, runtime::Ragged{offsets}, tokens, state);
    runtime::save_state(model, state, 0, next);
  } catch (const UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  }
}

// Nearly every mutation breaks the checksum; what comes after it must be enough alone.
std::vector<std::byte> with_checksum(const runtime::Model& model, std::span<const std::byte> bytes) {
  try {
    SafetensorsContent content = parse_safetensors(bytes, "state");
    content.metadata["model"] = model.hash();
    content.metadata[kChecksumKey] = model_checksum(content);
    return safetensors_bytes(named_tensors(content), content.metadata);
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto model = tiny_model();
  static runtime::Work work;
  const auto bytes = std::as_bytes(std::span(data, size));
  go_on(*model, work, bytes);
  go_on(*model, work, with_checksum(*model, bytes));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  return memsizer::fuzz::mutate_safetensors(data, size, max_size, seed);
}
