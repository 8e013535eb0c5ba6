#include "kernels/memory.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "kernels/scalar.h"
#include "kernels/support.h"

namespace memsizer::kernels {
namespace {

using testing::expect_near;
using testing::on_every_target;
using testing::random_numbers;
using testing::same_bits;

constexpr int64_t kWidths[] = {1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 100, 128, 257, 1024};
constexpr float kUntouched = 12345.0F;

struct Memory {
  int64_t slots;
  int64_t width;
  int64_t stride;
  std::vector<float> left;
  std::vector<float> right;
  std::vector<float> address;
  std::vector<float> numbers;

  Memory(std::mt19937& random, int64_t slot_count, int64_t columns)
      : slots(slot_count),
        width(columns),
        stride(columns + 3),
        left(random_numbers(random, slots)),
        right(random_numbers(random, width)),
        address(random_numbers(random, slots)),
        numbers(random_numbers(random, slots * stride)) {}
};

// The kernels that write and read in one pass, and their twins, with the arguments they share.
struct Step {
  const char* name;
  void (*fast)(const Memory& memory, int64_t begin, int64_t end, float* numbers, float* out);
  void (*plain)(const Memory& memory, int64_t begin, int64_t end, float* numbers, float* out);
};
constexpr float kDecay = 0.7F;
constexpr Step kSteps[] = {
    {"step",
     [](const Memory& m, int64_t begin, int64_t end, float* numbers, float* out) {
       memory_step(m.left.data(), m.right.data() + begin, m.address.data(), m.slots, end - begin,
                   numbers + begin, m.stride, out + begin);
     },
     [](const Memory& m, int64_t begin, int64_t end, float* numbers, float* out) {
       scalar::memory_step(m.left.data(), m.right.data() + begin, m.address.data(), m.slots, end - begin,
                           numbers + begin, m.stride, out + begin);
     }},
    {"fading step",
     [](const Memory& m, int64_t begin, int64_t end, float* numbers, float* out) {
       memory_fading_step(kDecay, m.left.data(), m.right.data() + begin, m.address.data(), m.slots,
                          end - begin, numbers + begin, m.stride, out + begin);
     },
     [](const Memory& m, int64_t begin, int64_t end, float* numbers, float* out) {
       scalar::memory_fading_step(kDecay, m.left.data(), m.right.data() + begin, m.address.data(), m.slots,
                                  end - begin, numbers + begin, m.stride, out + begin);
     }},
};

TEST(Memory, AStepIsItsScalarTwin) {
  std::mt19937 random(6);
  for (const auto& [name, fast, plain] : kSteps) {
    SCOPED_TRACE(name);
    for (const int64_t width : kWidths) {
      for (const int64_t slots : {1, 4, 7, 32}) {
        const Memory memory(random, slots, width);
        std::vector<float> expected_numbers = memory.numbers;
        std::vector<float> expected(static_cast<size_t>(width));
        plain(memory, 0, width, expected_numbers.data(), expected.data());
        on_every_target([&] {
          std::vector<float> numbers = memory.numbers;
          std::vector<float> out(static_cast<size_t>(width + 1), kUntouched);
          fast(memory, 0, width, numbers.data(), out.data());
          ASSERT_EQ(out.back(), kUntouched);
          out.pop_back();
          expect_near(numbers, expected_numbers, 1e-6);
          expect_near(out, expected, 1e-5);
          for (int64_t j = 0; j < slots; ++j) {
            for (int64_t i = width; i < memory.stride; ++i) {
              const auto at = static_cast<size_t>(j * memory.stride + i);
              ASSERT_EQ(numbers[at], memory.numbers[at]) << "beyond the width";
            }
          }
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Memory, AStepIsAWriteAndARead) {
  std::mt19937 random(7);
  for (const int64_t width : kWidths) {
    const Memory memory(random, 9, width);
    on_every_target([&] {
      std::vector<float> stepped = memory.numbers;
      std::vector<float> out(static_cast<size_t>(width));
      memory_step(memory.left.data(), memory.right.data(), memory.address.data(), memory.slots, width,
                  stepped.data(), memory.stride, out.data());
      std::vector<float> written = memory.numbers;
      std::vector<float> read(static_cast<size_t>(width));
      memory_write(memory.left.data(), memory.right.data(), memory.slots, width, written.data(),
                   memory.stride);
      memory_read(memory.address.data(), written.data(), memory.slots, width, memory.stride, read.data());
      ASSERT_TRUE(same_bits(stepped, written)) << width;
      ASSERT_TRUE(same_bits(out, read)) << width;
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Memory, AMemoryThatKeepsEverythingMakesAPlainStep) {
  std::mt19937 random(9);
  for (const int64_t width : kWidths) {
    const Memory memory(random, 5, width);
    on_every_target([&] {
      std::vector<float> plain = memory.numbers;
      std::vector<float> fading = memory.numbers;
      std::vector<float> out(static_cast<size_t>(width));
      std::vector<float> out_of_fading(static_cast<size_t>(width));
      memory_step(memory.left.data(), memory.right.data(), memory.address.data(), memory.slots, width,
                  plain.data(), memory.stride, out.data());
      memory_fading_step(1.0F, memory.left.data(), memory.right.data(), memory.address.data(), memory.slots,
                         width, fading.data(), memory.stride, out_of_fading.data());
      ASSERT_TRUE(same_bits(plain, fading)) << width;
      ASSERT_TRUE(same_bits(out, out_of_fading)) << width;
    });
    if (HasFatalFailure()) return;
  }
}

// Cut into ranges as a team would.
TEST(Memory, AStepDoesNotDependOnTheRangesOfColumns) {
  std::mt19937 random(7);
  for (const auto& [name, fast, plain] : kSteps) {
    SCOPED_TRACE(name);
    for (const int64_t width : kWidths) {
      const Memory memory(random, 9, width);
      on_every_target([&] {
        std::vector<float> stepped = memory.numbers;
        std::vector<float> out(static_cast<size_t>(width));
        fast(memory, 0, width, stepped.data(), out.data());
        for (const int64_t cut : {16, 48, 112}) {
          if (cut >= width) continue;
          std::vector<float> parts = memory.numbers;
          std::vector<float> out_of_parts(static_cast<size_t>(width));
          fast(memory, 0, cut, parts.data(), out_of_parts.data());
          fast(memory, cut, width, parts.data(), out_of_parts.data());
          ASSERT_TRUE(same_bits(stepped, parts)) << width << " cut at " << cut;
          ASSERT_TRUE(same_bits(out, out_of_parts)) << width << " cut at " << cut;
        }
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Memory, AConvolutionIsItsScalarTwinInEveryStateOfItsRing) {
  std::mt19937 random(10);
  for (const int64_t width : {1, 7, 16, 33, 100}) {
    const int64_t stride = width + 3;
    for (const int64_t taps : {1, 2, 4, 9}) {
      const std::vector<float> weight = random_numbers(random, taps * stride);
      const std::vector<float> before = random_numbers(random, (taps - 1) * stride);
      for (int64_t seen = 0; seen < 2 * taps; ++seen) {
        const std::vector<float> x = random_numbers(random, width);
        std::vector<float> expected_ring = before;
        std::vector<float> expected(static_cast<size_t>(width));
        scalar::convolution_step(x.data(), weight.data(), taps, seen, width, expected_ring.data(), stride,
                                 expected.data());
        on_every_target([&] {
          std::vector<float> ring = before;
          std::vector<float> out(static_cast<size_t>(width + 1), kUntouched);
          convolution_step(x.data(), weight.data(), taps, seen, width, ring.data(), stride, out.data());
          ASSERT_EQ(out.back(), kUntouched);
          out.pop_back();
          expect_near(out, expected, 1e-6);
          ASSERT_TRUE(same_bits(ring, expected_ring)) << "what is kept is what came in";
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

// A ring that starts at zeros is a sequence with zeros before it.
TEST(Memory, AConvolutionMixesTheNewestTokens) {
  constexpr int64_t kTaps = 3;
  const std::vector<float> weight = {0.5F, 10.0F, 100.0F};  // of now, of one token ago, of two tokens ago
  std::vector<float> ring(kTaps - 1);
  const std::vector<float> expected = {1.5F, 13.0F, 124.5F, 236.0F};
  for (int64_t t = 0; t < 4; ++t) {
    const auto x = static_cast<float>(t + 1);
    float out = 0.0F;
    convolution_step(&x, weight.data(), kTaps, t, 1, ring.data(), 1, &out);
    EXPECT_EQ(out, expected[static_cast<size_t>(t)]) << "token " << t;
  }
}

}  // namespace
}  // namespace memsizer::kernels
