#pragma once

#include <cstddef>
#include <cstdint>

namespace memsizer::kernels {

// Puts `count` rows of `row_bytes` bytes, lying one after the other, into neighbouring lanes of a panel of
// 16: 4 bytes of each in turn, xor `flip`. `to` is where the first of them has its first 4 bytes; bytes
// beyond a row's end are zero before the xor.
void pack_rows(const std::byte* rows, int64_t count, int64_t row_bytes, uint32_t flip, uint32_t* to);

}  // namespace memsizer::kernels
