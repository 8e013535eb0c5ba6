#pragma once

#include <string>

namespace memsizer::demo {

// Numbers in words, 0 to 9999: "two hundred and five", "zweihundertfünf".
std::string english_number(int number);
std::string german_number(int number);

// Days of a month, 1 to 31: "third"; the German stem "dritt", to which the ending is put.
std::string english_ordinal(int day);
std::string german_ordinal_stem(int day);

}  // namespace memsizer::demo
