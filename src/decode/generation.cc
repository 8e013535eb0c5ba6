#include "decode/generation.h"

#include <utility>

#include "decode/limits.h"
#include "decode/sampled_text.h"
#include "decode/sentence_search.h"

namespace memsizer::decode {

std::unique_ptr<Generation> start_generation(Request request, const GenerationOptions& options, int64_t vocab,
                                             int64_t max_positions) {
  validate(options, "generation");
  require_tokens(vocab, request.start_token, request.prefix);
  const int64_t longest =
      longest_output(options.max_length_ratio, options.max_length, request.source_length, max_positions);
  if (options.sample) return std::make_unique<SampledText>(std::move(request), options, longest);
  return std::make_unique<SentenceSearch>(std::move(request), options, vocab, longest);
}

}  // namespace memsizer::decode
