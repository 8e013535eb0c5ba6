#pragma once

#include <cstddef>
#include <cstdint>

// The names that libFuzzer gives these functions. A target defines the first two; the third is libFuzzer's
// own mutation, or that of mutation_main.cc where a test runs a target without it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
