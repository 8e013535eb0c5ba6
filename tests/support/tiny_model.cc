#include "support/tiny_model.h"

#include <numeric>

#include "core/random.h"
#include "mechanisms/memsizer/description.h"
#include "mechanisms/t2r/description.h"
#include "model/shortlist.h"

namespace memsizer::testing {

ModelDescription tiny_description() {
  ModelDescription description;
  ModelConfig& config = description.config;
  config.dim = 8;
  config.vocab = 12;
  config.encoder.layers = config.decoder.layers = 1;
  config.encoder.heads = config.decoder.heads = 2;
  config.encoder.ffn = config.decoder.ffn = 16;
  config.options<MemsizerOptions>().slots = {.causal = 2, .cross = 4, .encoder = 4};
  description.tokenizer = "memsizer-words 1\nthe 8\ncat 7\nsat 6\non 5\na 4\nmat 3\nder 2\nKater 1\n";
  description.generation.beam = 2;
  return description;
}

ModelDescription tiny_adaptive_description() {
  ModelDescription description = tiny_description();
  description.task = Task::LanguageModel;
  description.tokenizer.clear();
  ModelConfig& config = description.config;
  config.architecture = Architecture::LanguageModel;
  config.vocab = 40;
  config.adaptive.cutoffs = {10, 20};
  config.adaptive.factor = 2;
  config.adaptive.tie_projections = false;
  config.decoder.self = mechanism_named("t2r");
  config.options<T2rOptions>().features.causal = 2;
  return description;
}

std::vector<float> tiny_weights(const TensorSpec& spec) {
  const uint64_t stream =
      std::accumulate(spec.name.begin(), spec.name.end(), uint64_t{0},
                      [](uint64_t sum, char c) { return sum * 31 + static_cast<unsigned char>(c); });
  Random random = Random::of(1, stream);
  std::vector<float> weights(static_cast<size_t>(spec.elements()));
  for (float& weight : weights) weight = static_cast<float>(2.0 * random.uniform() - 1.0);
  return weights;
}

void write_tiny_model(const std::filesystem::path& path, const ModelDescription& description) {
  std::vector<std::vector<float>> kept;
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& spec : tensor_list(description.config)) {
    kept.push_back(tiny_weights(spec));
    tensors.push_back({spec.name, DType::F32, spec.shape, std::as_bytes(std::span(kept.back()))});
  }
  for (NamedTensor& tokenizer : tokenizer_tensors(description)) tensors.push_back(std::move(tokenizer));
  if (description.shortlist) {
    for (NamedTensor& tensor : description.shortlist->tensors()) tensors.push_back(std::move(tensor));
  }
  write_model(path, tensors, model_metadata(description));
}

}  // namespace memsizer::testing
