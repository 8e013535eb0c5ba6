#include "kernels/attention.h"

#include "kernels/scalar.h"

namespace memsizer::kernels {

int64_t attention_scratch(const AttentionTask& task) {
  return task.most_visible();
}

void attention(const AttentionTask& task, int64_t first_head, int64_t end_head, float* scratch) {
  scalar::attention(task, first_head, end_head, scratch);
}

}  // namespace memsizer::kernels
