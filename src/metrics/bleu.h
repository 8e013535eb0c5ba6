#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace memsizer::metrics {

// Their names, in options and in sacreBLEU's signature, are those of enum_names.
enum class BleuTokenizer { V13a, Intl, Zh, Char, None };
enum class BleuSmoothing { Exp, Floor, AddK, None };

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::V13a;
  BleuSmoothing smoothing = BleuSmoothing::Exp;
  double smoothing_value = 0.0;  // floor: 0.1 if 0; add-k: 1 if 0
  bool lowercase = false;
  bool effective_order = false;
};

struct BleuScore {
  double score = 0.0;                  // 0 to 100
  std::array<double, 4> precisions{};  // 0 to 100
  std::array<int64_t, 4> matches{};    // as counted, before smoothing
  std::array<int64_t, 4> totals{};
  double brevity_penalty = 1.0;
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;
};

// Corpus BLEU as sacreBLEU computes it. references[r][i] belongs to hypotheses[i]; different numbers of lines
// or no reference set are a UserError.
BleuScore bleu(std::span<const std::string> hypotheses, std::span<const std::vector<std::string>> references,
               const BleuOptions& options = {});

// Corpus BLEU as multi-bleu.perl computes it: white-space tokens, no smoothing.
BleuScore multi_bleu(std::span<const std::string> hypotheses,
                     std::span<const std::vector<std::string>> references);

// The line that sacreBLEU, or multi-bleu.perl, prints for a score.
std::string format_bleu(const BleuScore& score);
std::string format_multi_bleu(const BleuScore& score);

// sacreBLEU's signature of a score, without its version: "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp".
std::string signature(const BleuOptions& options, size_t references);

}  // namespace memsizer::metrics

namespace memsizer {

template <>
std::span<const std::pair<metrics::BleuTokenizer, std::string_view>> enum_names<metrics::BleuTokenizer>();
template <>
std::span<const std::pair<metrics::BleuSmoothing, std::string_view>> enum_names<metrics::BleuSmoothing>();

}  // namespace memsizer
