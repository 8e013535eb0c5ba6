#include <gtest/gtest.h>
#include <torch/torch.h>

#include "core/blas_kernels.h"
#include "support/poison_allocator.h"

int main(int argc, char** argv) {
  memsizer::restart_with_blas_kernels(argv);
  ::testing::InitGoogleTest(&argc, argv);
  memsizer::testing::poison_fresh_memory();
  at::set_num_threads(2);
  return RUN_ALL_TESTS();
}
