// Text from elsewhere, through every metric and the tokenizers under them: a score is a finite number from 0
// to 100.
#include <cmath>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "fuzz/mutation.h"
#include "metrics/bleu_tokenizers.h"
#include "metrics/lead.h"
#include "metrics/metric.h"
#include "metrics/porter_stemmer.h"
#include "metrics/unicode.h"

namespace {

using memsizer::metrics::BleuTokenizer;
using memsizer::metrics::MetricTraits;

void score(const std::string& hypothesis, const std::string& reference) {
  memsizer::metrics::ScoredTexts texts;
  texts.hypotheses = {hypothesis};
  texts.references = {{reference}};
  for (const MetricTraits& traits : memsizer::metrics::all_metrics()) {
    if (!traits.score) continue;
    try {
      for (const double value : traits.score(texts, {}).values) {
        if (!std::isfinite(value) || value < 0.0 || value > 100.0 + 1e-9) std::abort();
      }
    } catch (const memsizer::UserError&) {
      // Nothing to score.
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const BleuTokenizer tokenizer : {BleuTokenizer::V13a, BleuTokenizer::Intl, BleuTokenizer::Zh,
                                        BleuTokenizer::Char, BleuTokenizer::None}) {
    for (const bool lower : {false, true}) memsizer::metrics::LineTokenizer(tokenizer, lower).tokens(text);
  }
  std::vector<std::string_view> words;
  memsizer::metrics::split_words(text, words);
  for (const std::string_view word : words) memsizer::metrics::porter_stem(word);
  memsizer::metrics::lead_sentences(text, 2);
  const size_t half = size / 2;
  score(text.substr(0, half), text.substr(half));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
