#include "decode/generate.h"

#include "decode/limits.h"
#include "decode/sentence_search.h"

namespace memsizer::decode {
namespace {

constexpr int64_t kMaxBeam = 1000;
constexpr double kMaxLengthPenalty = 10.0;
constexpr double kMaxUnkPenalty = 1e6;

}  // namespace

void GenerationOptions::validate(const std::string& prefix) const {
  require_range(prefix, "beam", beam, 1, kMaxBeam);
  require_range(prefix, "n_best", n_best, 1, beam);
  require_range(prefix, "length_penalty", length_penalty, -kMaxLengthPenalty, kMaxLengthPenalty);
  require_lengths(prefix, max_length_ratio, max_length, min_length);
  require_ngram(prefix, no_repeat_ngram);
  require_range(prefix, "unk_penalty", unk_penalty, -kMaxUnkPenalty, kMaxUnkPenalty);
  require_temperature(prefix, temperature);
}

std::vector<std::vector<Hypothesis>> generate(StepModel& model, const std::vector<Request>& requests,
                                              const GenerationOptions& options, int64_t max_positions) {
  options.validate("generation");
  SearchScratch scratch;
  std::vector<SentenceSearch> searches;
  searches.reserve(requests.size());
  for (const Request& request : requests) {
    searches.emplace_back(request, options, model.vocab(), max_positions, scratch);
  }
  run_rows(model, searches);
  std::vector<std::vector<Hypothesis>> found;
  found.reserve(searches.size());
  for (SentenceSearch& search : searches) found.push_back(search.take_hypotheses());
  return found;
}

}  // namespace memsizer::decode
