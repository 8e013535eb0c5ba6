#include "decode/generation.h"

#include <utility>

#include "decode/limits.h"
#include "decode/listed_generation.h"
#include "decode/sampled_text.h"
#include "decode/sentence_search.h"

namespace memsizer::decode {

std::unique_ptr<Generation> start_generation(Request request, const GenerationOptions& options, int64_t vocab,
                                             int64_t max_positions) {
  validate(options, "generation");
  if (request.among) {
    const TokenList among = std::exchange(request.among, nullptr);
    request = in_places(std::move(request), *among, vocab);
    auto inside = start_generation(std::move(request), options, std::ssize(*among), max_positions);
    return std::make_unique<ListedGeneration>(std::move(inside), among);
  }
  require_tokens(vocab, request.start_token, request.prefix);
  const int64_t longest =
      longest_output(options.max_length_ratio, options.max_length, request.source_length, max_positions);
  if (options.sample) return std::make_unique<SampledText>(std::move(request), options, longest);
  return std::make_unique<SentenceSearch>(std::move(request), options, vocab, longest);
}

}  // namespace memsizer::decode
