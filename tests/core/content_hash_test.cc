#include "core/content_hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace memsizer {
namespace {

std::string sample(size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(i * i * 31 + i));
  return text;
}

ContentHash hash_of(std::string_view text) {
  ContentHash hash;
  hash.update(text);
  return hash;
}

// Cache files and their names outlive the program: a change of the hash makes all of them worthless.
TEST(ContentHash, IsTheSameForEver) {
  EXPECT_EQ(hash_of("").hex(), "7f1a49805589976d342c6126e3748bf4");
  EXPECT_EQ(hash_of("memsizer").hex(), "86275a22c415a85af5b2598b0104d56d");
  EXPECT_EQ(hash_of(sample(1000)).hex(), "b534141112182a4db9f4e1da7e99cf74");
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text = sample(200);
  const std::string whole = hash_of(text).hex();
  for (size_t first = 0; first <= text.size(); ++first) {
    ContentHash hash;
    hash.update(std::string_view(text).substr(0, first));
    hash.update(std::string_view(text).substr(first));
    EXPECT_EQ(hash.hex(), whole) << first;
  }
  for (const size_t piece : {1, 3, 31, 33, 64}) {
    ContentHash hash;
    for (size_t i = 0; i < text.size(); i += piece) hash.update(std::string_view(text).substr(i, piece));
    EXPECT_EQ(hash.hex(), whole) << piece;
  }
}

TEST(ContentHash, DigestDoesNotDisturbWhatFollows) {
  ContentHash hash;
  hash.update(sample(45));
  static_cast<void>(hash.digest());
  hash.update("more");
  EXPECT_EQ(hash.hex(), hash_of(sample(45) + "more").hex());
}

TEST(ContentHash, EveryBitCounts) {
  std::string text = sample(150);
  const auto before = hash_of(text).digest();
  int changed = 0;
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    const auto after = hash_of(text).digest();
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(after[0], before[0]) << bit;
    EXPECT_NE(after[1], before[1]) << bit;
    changed += std::popcount(after[0] ^ before[0]) + std::popcount(after[1] ^ before[1]);
  }
  const double mean = static_cast<double>(changed) / static_cast<double>(text.size() * 8);
  EXPECT_NEAR(mean, 64.0, 2.0);
}

TEST(ContentHash, LengthsOfZerosDiffer) {
  std::set<std::string> seen;
  for (size_t bytes = 0; bytes < 200; ++bytes) seen.insert(hash_of(std::string(bytes, '\0')).hex());
  EXPECT_EQ(seen.size(), 200U);
}

TEST(ContentHash, OrderOfWordsCounts) {
  const std::string a(8, 'a');
  const std::string b(8, 'b');
  const std::string gap(24, '-');
  EXPECT_NE(hash_of(a + b).hex(), hash_of(b + a).hex());
  // Words of one lane, a block apart.
  EXPECT_NE(hash_of(a + gap + b + gap).hex(), hash_of(b + gap + a + gap).hex());
}

TEST(ContentHash, FieldsDoNotRunTogether) {
  const auto fields = [](std::string_view a, std::string_view b) {
    ContentHash hash;
    hash.field(a);
    hash.field(b);
    return hash.hex();
  };
  EXPECT_NE(fields("ab", "c"), fields("a", "bc"));
  EXPECT_NE(fields("", "abc"), fields("abc", ""));
  EXPECT_EQ(fields("ab", "c"), fields("ab", "c"));
}

}  // namespace
}  // namespace memsizer
