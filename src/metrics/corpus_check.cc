#include "metrics/corpus_check.h"

#include "core/error.h"

namespace memsizer::metrics {

void check_lines(size_t hypotheses, size_t references) {
  if (hypotheses != references) {
    throw UserError("found {} hypotheses and {} references; they must pair up line by line", hypotheses,
                    references);
  }
  if (hypotheses == 0)
    throw UserError("found no lines to score; give at least one hypothesis and its reference");
}

void check_corpus(std::span<const std::string> hypotheses,
                  std::span<const std::vector<std::string>> references) {
  if (references.empty()) throw UserError("found no reference set; give at least one to score against");
  for (const std::vector<std::string>& set : references) check_lines(hypotheses.size(), set.size());
}

}  // namespace memsizer::metrics
