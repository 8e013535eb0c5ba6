#include "metrics/bleu.h"

#include <fmt/format.h>

#include <stdexcept>

#include "metrics/bleu_statistics.h"
#include "metrics/bleu_tokenizers.h"

namespace memsizer::metrics {
namespace {

std::string smoothing_text(const BleuOptions& options) {
  switch (options.smoothing) {
    case BleuSmoothing::None:
      return "none";
    case BleuSmoothing::Exp:
      return "exp";
    case BleuSmoothing::Floor:
      return fmt::format("floor[{:.2f}]", smoothing_value(options));
    case BleuSmoothing::AddK:
      return fmt::format("add-k[{:.2f}]", smoothing_value(options));
  }
  throw std::logic_error("unknown BLEU smoothing");
}

}  // namespace

BleuScore bleu(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
               const BleuOptions& options) {
  BleuStatistics sum;
  for_each_segment(hypotheses, references, options, [&](const BleuStatistics& segment) { sum += segment; });
  return bleu_score(sum, options);
}

std::string format_bleu(const BleuScore& score) {
  const double ratio = score.reference_length == 0 ? 0.0
                                                   : static_cast<double>(score.hypothesis_length) /
                                                         static_cast<double>(score.reference_length);
  return fmt::format(
      "BLEU = {:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})",
      score.score, score.precisions[0], score.precisions[1], score.precisions[2], score.precisions[3],
      score.brevity_penalty, ratio, score.hypothesis_length, score.reference_length);
}

std::string signature(const BleuOptions& options, size_t references) {
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}", references,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     tokenizer_name(options.tokenizer), smoothing_text(options));
}

}  // namespace memsizer::metrics
