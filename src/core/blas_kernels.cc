#include "core/blas_kernels.h"

#include <unistd.h>

#include <cstdlib>

namespace memsizer {

bool choose_blas_kernels() {
#if defined(__x86_64__)
  constexpr auto kVariable = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable) != nullptr) return false;
  // Other makers' processors are found by their instructions already.
  if (!__builtin_cpu_is("intel")) return false;
  const char* kernels = nullptr;
  if (__builtin_cpu_supports("avx512bf16")) {
    kernels = "Cooperlake";
  } else if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq")) {
    kernels = "SkylakeX";
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels = "Haswell";
  }
  return kernels != nullptr && setenv(kVariable, kernels, /*overwrite=*/0) == 0;
#else
  return false;
#endif
}

void restart_with_blas_kernels(char** arguments) {
  // Where that fails, the program goes on as it is: slower.
  if (choose_blas_kernels()) execv("/proc/self/exe", arguments);
}

}  // namespace memsizer
