#pragma once

#include <cstdint>
#include <string>

namespace memsizer::serve {

// 32 hexadecimal digits that nobody can guess.
std::string random_id();

// A number that nobody can guess, for a seed: from 0 to 2^53.
int64_t random_number();

}  // namespace memsizer::serve
