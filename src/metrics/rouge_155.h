#pragma once

#include <span>
#include <string>

#include "metrics/rouge.h"

namespace memsizer::metrics {

struct Rouge155Score {
  RougeValue rouge1, rouge2, rouge_l;  // 0 to 1, with five digits as the script prints them
};

// One summary against one reference as ROUGE-1.5.5.pl -n 2 computes it, a sentence on a line; ROUGE-L is the
// summary-level one. `stemmer` is its -m, but for words in the script's WordNet exception lists ("were" to
// "be"), which are not here: stemmed scores can differ from the script's where a text has irregular forms.
Rouge155Score rouge_155(const std::string& hypothesis, const std::string& reference,
                        const RougeOptions& options = {});

// The mean over a corpus; different numbers of lines are a UserError. (The script prints the mean of a
// thousand random resamples instead, which is near this one.)
Rouge155Score corpus_rouge_155(std::span<const std::string> hypotheses,
                               std::span<const std::string> references, const RougeOptions& options = {});

// A summary with each sentence on a line of its own, as files2rouge splits it: after a full stop between
// spaces.
std::string split_sentences(const std::string& summary);

}  // namespace memsizer::metrics
