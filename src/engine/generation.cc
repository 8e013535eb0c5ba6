#include "engine/generation.h"

#include <algorithm>

#include "core/error.h"
#include "model/shortlist.h"

namespace memsizer::engine {

GenerationOptions default_options(const ModelDescription& description) {
  GenerationOptions options = description.generation;
  options.n_best = 1;
  if (!description.config.has_encoder()) {
    options.sample = true;
    options.max_length_ratio = 0.0;
    options.max_length = 100;
  }
  return options;
}

void check_options(const TextModel& model, const GenerationOptions& options) {
  validate(options, "generation");
  if (!options.shortlist || model.description().shortlist) return;
  require_shortlist_fits(model.description().config, "this model");
  throw UserError("this model has no shortlist; make one with memsizer shortlist, or go without");
}

std::vector<int32_t> cut_source(const TextModel& model, const GenerationOptions& options,
                                std::vector<int32_t> tokens) {
  const int64_t positions = model.model().longest_source();
  const int64_t longest =
      positions > 0 ? std::min(options.max_source_tokens, positions) : options.max_source_tokens;
  if (static_cast<int64_t>(tokens.size()) > longest) {
    tokens.resize(static_cast<size_t>(longest));
    tokens.back() = static_cast<int32_t>(kEos);
  }
  return tokens;
}

}  // namespace memsizer::engine
