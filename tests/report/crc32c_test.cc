#include "report/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace memsizer::report {
namespace {

// The vectors of RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string ascending;
  for (int i = 0; i < 32; ++i) ascending.push_back(static_cast<char>(i));
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
  EXPECT_EQ(crc32c(std::string(ascending.rbegin(), ascending.rend())), 0x113fdb5cU);
}

TEST(Crc32c, MaskRotatesAndAdds) {
  EXPECT_EQ(masked_crc32c(""), 0xa282ead8U);
  const uint32_t crc = 0xe3069283U;
  EXPECT_EQ(masked_crc32c("123456789"), (crc >> 15 | crc << 17) + 0xa282ead8U);
}

}  // namespace
}  // namespace memsizer::report
