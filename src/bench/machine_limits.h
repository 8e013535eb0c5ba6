#pragma once

#include <cstddef>
#include <cstdint>

// What the processor can do at most, measured in the same run as the kernels: on a shared machine nothing
// else is a fair measure of them.
namespace memsizer::bench {

// Reads the bytes and does nothing else; both the address and the size are multiples of 64.
void read_bytes(const std::byte* data, int64_t bytes);

// `rounds` rounds of multiply-adds of floats in registers, enough of them at once to keep the units busy.
void multiply_adds(int64_t rounds);
// How many operations a round has.
int64_t flops_of_round();

}  // namespace memsizer::bench
