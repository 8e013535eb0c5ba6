// A recipe from elsewhere: whatever its text, it is a recipe that reads back the same, or a UserError of one
// line.
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"
#include "fuzz/mutation.h"
#include "train/recipe.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string resolved = memsizer::train::parse_recipe(text, "recipe", {}).to_toml();
    // A run resumes with what it wrote itself.
    if (memsizer::train::parse_recipe(resolved, "again", {}).to_toml() != resolved) std::abort();
  } catch (const memsizer::UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
