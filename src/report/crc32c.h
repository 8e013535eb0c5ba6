#pragma once

#include <cstdint>
#include <string_view>

namespace memsizer::report {

// The Castagnoli checksum, as in RFC 3720.
uint32_t crc32c(std::string_view bytes);

// The form in which TFRecord files hold it: rotated and offset, so that a checksum of data that itself holds
// checksums stays meaningful.
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace memsizer::report
