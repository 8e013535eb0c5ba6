// A tokenizer from elsewhere: whatever its bytes, it encodes and decodes any text, or is a UserError of one
// line.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "fuzz/mutation.h"
#include "text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer = memsizer::text::load_tokenizer(bytes, "tokenizer");
    std::vector<int32_t> ids;
    tokenizer->encode("the cat sat \xe4\xb8\x80\xff on a  mat", ids);
    tokenizer->encode(bytes.substr(0, 100), ids);
    for (const int32_t id : ids) {
      if (id < 0 || id >= tokenizer->size()) std::abort();
    }
    for (const int32_t id : {-1, 0, 3, 1'000'000'000}) ids.push_back(id);
    tokenizer->decode(ids);
    // What is stored in a model must load again.
    if (memsizer::text::load_tokenizer(tokenizer->serialized(), "again")->size() != tokenizer->size())
      std::abort();
  } catch (const memsizer::UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
