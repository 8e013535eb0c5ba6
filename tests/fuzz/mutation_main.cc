// Runs a fuzz target on mutations of seed files, the same ones on every machine: PROGRAM ROUNDS SEED-FILE...
// It has no eye for coverage, as libFuzzer has (tests/fuzz/run), but needs nothing and ends.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "fuzz/mutation.h"

namespace {

using memsizer::Random;
using Bytes = std::vector<uint8_t>;

// Words that mean something in headers, configurations and dictionaries.
constexpr std::string_view kWords[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       "\"",
                                       ":",
                                       ",",
                                       "0",
                                       "-1",
                                       "1e9",
                                       "true",
                                       "null",
                                       "2147483648",
                                       "9223372036854775807",
                                       "18446744073709551615",
                                       "F32",
                                       "I8",
                                       "BF16",
                                       "\"\"",
                                       "\n",
                                       " ",
                                       "\xff",
                                       "\x80",
                                       ".scale",
                                       "1000000",
                                       "\\u0000",
                                       "nan",
                                       "layers",
                                       "dim",
                                       "<unk>"};

// LLVMFuzzerMutate has no argument for it.
Random random_numbers = Random::of(20240501);

size_t below(size_t bound) {
  return static_cast<size_t>(random_numbers.below(bound));
}

// Replaces the number around a position: numbers are where sizes and offsets are.
void replace_number(std::string& text, size_t at) {
  const auto is_digit = [&](size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  while (at < text.size() && !is_digit(at)) ++at;
  size_t end = at;
  while (end < text.size() && is_digit(end)) ++end;
  constexpr std::string_view kNumbers[] = {"0",
                                           "1",
                                           "2",
                                           "3",
                                           "7",
                                           "16",
                                           "255",
                                           "4096",
                                           "1048576",
                                           "4294967296",
                                           "9223372036854775807",
                                           "18446744073709551615"};
  text.replace(at, end - at, kNumbers[below(std::size(kNumbers))]);
}

Bytes read_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    fmt::print(stderr, "cannot read seed {}\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  const size_t changes = 1 + below(3);
  for (size_t i = 0; i < changes; ++i) {
    const size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.erase(at, 1 + below(8));
        break;
      case 2:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), 1 + below(200)));
        break;
      case 4:
        replace_number(text, at);
        break;
      default:
        text.replace(at, std::min(text.size() - at, below(4)), kWords[below(std::size(kWords))]);
    }
  }
  text.resize(std::min(text.size(), max_size));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} ROUNDS SEED-FILE...\n", argv[0]);
    return 2;
  }
  const long rounds = std::strtol(argv[1], nullptr, 10);
  std::vector<Bytes> seeds;
  for (int i = 2; i < argc; ++i) seeds.push_back(read_bytes(argv[i]));
  for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
  Bytes input;
  for (long round = 0; round < rounds; ++round) {
    // Chains of mutations get further than single ones.
    if (round % 4 == 0) input = seeds[below(seeds.size())];
    const size_t size = input.size();
    const size_t room = size + 4096;
    input.resize(room);
    input.resize(
        LLVMFuzzerCustomMutator(input.data(), size, room, static_cast<unsigned>(random_numbers.next())));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  fmt::print("{} mutations of {} seeds: nothing unexpected\n", rounds, seeds.size());
  return 0;
}
