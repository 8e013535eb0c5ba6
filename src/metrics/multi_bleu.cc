#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "metrics/bleu.h"
#include "metrics/bleu_statistics.h"
#include "metrics/corpus_check.h"

namespace memsizer::metrics {
namespace {

// Perl splits bytes: white space above ASCII belongs to words.
void split_bytes(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  words.clear();
  for (size_t start = line.find_first_not_of(kSpaces); start != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kSpaces, start), line.size());
    words.push_back(line.substr(start, end - start));
    start = line.find_first_not_of(kSpaces, end);
  }
}

}  // namespace

BleuScore multi_bleu(std::span<const std::string> hypotheses,
                     std::span<const std::vector<std::string>> references) {
  check_corpus(hypotheses, references);
  std::vector<std::string_view> hypothesis;
  std::vector<std::vector<std::string_view>> reference_words(references.size());
  std::vector<std::span<const std::string_view>> reference_views(references.size());
  SegmentMatcher matcher;
  BleuStatistics sum;
  for (size_t line = 0; line < hypotheses.size(); ++line) {
    split_bytes(hypotheses[line], hypothesis);
    for (size_t r = 0; r < references.size(); ++r) {
      split_bytes(references[r][line], reference_words[r]);
      reference_views[r] = reference_words[r];
    }
    sum += matcher.compare(hypothesis, reference_views);
  }
  BleuScore score = bleu_score(sum, {.tokenizer = BleuTokenizer::None, .smoothing = BleuSmoothing::None});
  // The script's special case: nothing to be compared with.
  if (score.reference_length == 0) score.brevity_penalty = 0.0;
  // The script works with fractions and multiplies when it prints, which decides how a tie is rounded.
  double log_sum = 0.0;
  for (size_t i = 0; i < score.precisions.size(); ++i) {
    const double fraction =
        score.totals[i] == 0 ? 0.0
                             : static_cast<double>(score.matches[i]) / static_cast<double>(score.totals[i]);
    score.precisions[i] = 100.0 * fraction;
    log_sum += std::log(fraction);
  }
  score.score = 100.0 * (score.brevity_penalty * std::exp(log_sum / 4.0));
  return score;
}

std::string format_multi_bleu(const BleuScore& score) {
  if (score.reference_length == 0) return "BLEU = 0, 0/0/0/0 (BP=0, ratio=0, hyp_len=0, ref_len=0)";
  return fmt::format(
      "BLEU = {:.2f}, {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP={:.3f}, ratio={:.3f}, hyp_len={}, ref_len={})",
      score.score, score.precisions[0], score.precisions[1], score.precisions[2], score.precisions[3],
      score.brevity_penalty,
      static_cast<double>(score.hypothesis_length) / static_cast<double>(score.reference_length),
      score.hypothesis_length, score.reference_length);
}

}  // namespace memsizer::metrics
