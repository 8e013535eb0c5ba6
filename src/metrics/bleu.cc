#include "metrics/bleu.h"

#include <fmt/format.h>

#include <array>

#include "core/enum_value.h"
#include "metrics/bleu_statistics.h"

namespace memsizer {

template <>
std::span<const std::pair<metrics::BleuTokenizer, std::string_view>> enum_names<metrics::BleuTokenizer>() {
  using enum metrics::BleuTokenizer;
  static constexpr auto names = std::to_array<std::pair<metrics::BleuTokenizer, std::string_view>>(
      {{V13a, "13a"}, {Intl, "intl"}, {Zh, "zh"}, {Char, "char"}, {None, "none"}});
  return names;
}

template <>
std::span<const std::pair<metrics::BleuSmoothing, std::string_view>> enum_names<metrics::BleuSmoothing>() {
  using enum metrics::BleuSmoothing;
  static constexpr auto names = std::to_array<std::pair<metrics::BleuSmoothing, std::string_view>>(
      {{Exp, "exp"}, {Floor, "floor"}, {AddK, "add-k"}, {None, "none"}});
  return names;
}

}  // namespace memsizer

namespace memsizer::metrics {
namespace {

std::string smoothing_text(const BleuOptions& options) {
  const std::string_view name = enum_name(options.smoothing);
  const bool has_value =
      options.smoothing == BleuSmoothing::Floor || options.smoothing == BleuSmoothing::AddK;
  return has_value ? fmt::format("{}[{:.2f}]", name, smoothing_value(options)) : std::string(name);
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
                     enum_name(options.tokenizer), smoothing_text(options));
}

}  // namespace memsizer::metrics
