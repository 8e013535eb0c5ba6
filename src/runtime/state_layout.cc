#include "runtime/state_layout.h"

#include <utility>

namespace memsizer::runtime {
namespace {

int64_t whole_lines(int64_t floats) {
  constexpr int64_t kLine = 16;
  return (floats + kLine - 1) / kLine * kLine;
}

}  // namespace

KeptFloats kept_floats(std::span<const StateField> fields) {
  KeptFloats kept;
  for (const StateField& field : fields) {
    if (counts_tokens(field)) continue;
    (field.growth == Growth::Fixed ? kept.fixed : kept.per_token) += field.elements();
  }
  return kept;
}

StateLayout::StateLayout(std::vector<KeptFloats> self, std::vector<KeptFloats> cross)
    : self_(std::move(self)), cross_(std::move(cross)) {
  for (const KeptFloats& kept : self_) {
    row_offsets_.push_back(row_floats_);
    row_floats_ += whole_lines(kept.fixed);
  }
  for (const KeptFloats& kept : cross_) {
    source_.push_back({source_fixed_, source_per_token_});
    source_fixed_ += whole_lines(kept.fixed);
    source_per_token_ += whole_lines(kept.per_token);
  }
}

std::vector<int64_t> StateLayout::token_widths() const {
  std::vector<int64_t> widths;
  for (const KeptFloats& kept : self_) widths.push_back(kept.per_token);
  return widths;
}

}  // namespace memsizer::runtime
