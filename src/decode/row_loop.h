#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "decode/step_model.h"

namespace memsizer::decode {

// A row of the model's next step: which of the sentence's present rows it goes on from, and what it reads.
struct NextRow {
  int64_t parent = 0;
  int32_t token = 0;
};

// Runs sentences of any kind through the model together until each is done. A sentence has one row at first,
// and owns as many as next_rows() tells, none when it is done; its rows leave the batch at once.
//   std::span<const NextRow> next_rows() const;
//   void step(std::span<float> logits);   // [rows of the sentence, vocab]
template <typename Sentence>
void run_rows(StepModel& model, std::vector<Sentence>& sentences) {
  const auto vocab = static_cast<size_t>(model.vocab());
  std::vector<size_t> first_row(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) first_row[i] = i;
  size_t rows = sentences.size();
  std::vector<int64_t> parents;
  std::vector<int32_t> tokens;
  for (;;) {
    parents.clear();
    tokens.clear();
    bool same_rows = true;
    for (size_t i = 0; i < sentences.size(); ++i) {
      const size_t first = parents.size();
      for (const NextRow& row : sentences[i].next_rows()) {
        const int64_t parent = static_cast<int64_t>(first_row[i]) + row.parent;
        same_rows = same_rows && parent == static_cast<int64_t>(parents.size());
        parents.push_back(parent);
        tokens.push_back(row.token);
      }
      first_row[i] = first;
    }
    if (parents.empty()) return;
    if (!same_rows || parents.size() != rows) model.reorder(parents);
    rows = parents.size();
    const std::span<float> logits = model.advance(tokens);
    if (logits.size() != rows * vocab) throw std::logic_error("a model's logits are not [rows, vocab]");
    for (size_t i = 0; i < sentences.size(); ++i) {
      const size_t count = sentences[i].next_rows().size();
      if (count > 0) sentences[i].step(logits.subspan(first_row[i] * vocab, count * vocab));
    }
  }
}

}  // namespace memsizer::decode
