#include "serve/api_keys.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::serve {
namespace {

class KeyFile {
 public:
  explicit KeyFile(const std::string& text) { std::ofstream(path()) << text; }
  std::filesystem::path path() const { return dir_ / "keys"; }

 private:
  testing::TempDir dir_;
};

std::string refusal(const std::string& text) {
  const KeyFile file(text);
  return testing::message_of([&] { ApiKeys::read(file.path()); });
}

TEST(ApiKeys, NamesOfKeys) {
  const KeyFile file("# keys\n\nann 0123456789abcdef\nbob fedcba9876543210\n");
  const ApiKeys keys = ApiKeys::read(file.path());
  EXPECT_TRUE(keys.needed());
  EXPECT_EQ(keys.owner_of("0123456789abcdef"), "ann");
  EXPECT_EQ(keys.owner_of("fedcba9876543210"), "bob");
  for (const std::string& guess :
       {std::string(), std::string("0123456789abcde"), std::string("0123456789abcdef0"),
        std::string(4096, 'a'), std::string("0123456789abcdef") + '\0'})
    EXPECT_EQ(keys.owner_of(guess), std::nullopt);
  EXPECT_FALSE(ApiKeys().needed());
}

TEST(ApiKeys, OneKeyNeedsNoName) {
  const KeyFile file("0123456789abcdef\n");
  EXPECT_EQ(ApiKeys::read(file.path()).owner_of("0123456789abcdef"), kDefaultOwner);
}

TEST(ApiKeys, BadFilesAreRefused) {
  EXPECT_TRUE(testing::has_text(refusal("# none\n"), "has no key"));
  EXPECT_TRUE(testing::has_text(refusal("short\n"), "has 5 characters"));
  EXPECT_TRUE(testing::has_text(refusal("../x 0123456789abcdef\n"), "expected a key"));
  EXPECT_TRUE(testing::has_text(refusal("a 0123456789abcdef more\n"), "expected a key"));
  EXPECT_TRUE(testing::has_text(refusal("0123456789abcdef\nfedcba9876543210\n"), "put a name before each"));
}

}  // namespace
}  // namespace memsizer::serve
