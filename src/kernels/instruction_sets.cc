// What Highway's library would tell of the processor. It is written here since that library, when loaded,
// calibrates a timer for longer than the rest of the program takes to start (docs/performance.md); its
// headers are all else that is used of it.
#include <hwy/base.h>
#include <hwy/targets.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace hwy {
namespace {

std::atomic<int64_t> targets_for_test{0};

int64_t targets_of_processor() {
  int64_t targets = HWY_STATIC_TARGET | HWY_SCALAR;
#if HWY_ARCH_X86
  __builtin_cpu_init();
  const auto add_if = [&](bool there, int64_t target) {
    if (there) targets |= target;
    return there;
  };
  // Each set contains the one before; the compiler's function knows whether the system saves the registers.
  const bool ssse3 = add_if(__builtin_cpu_supports("ssse3"), HWY_SSSE3);
  const bool sse4 = ssse3 && add_if(__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                                        __builtin_cpu_supports("aes"),
                                    HWY_SSE4);
  const bool avx2 = sse4 && add_if(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                                       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                                       __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("f16c"),
                                   HWY_AVX2);
  const bool avx3 =
      avx2 && add_if(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512dq"),
                     HWY_AVX3);
  if (avx3) {
    add_if(__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("vpclmulqdq") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("vaes") && __builtin_cpu_supports("avx512vpopcntdq") &&
               __builtin_cpu_supports("avx512bitalg"),
           HWY_AVX3_DL);
  }
#endif
  return targets;
}

}  // namespace

int64_t SupportedTargets() {
  static const int64_t of_processor = targets_of_processor();
  const int64_t for_test = targets_for_test.load();
  return for_test != 0 ? for_test : of_processor;
}

void SetSupportedTargetsForTest(int64_t targets) {
  targets_for_test.store(targets);
  GetChosenTarget().DeInit();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

// Only what the headers assert in builds for debugging gets here.
void Abort(const char* file, int line, const char* format, ...) {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, format);
  std::abort();
}

}  // namespace hwy
