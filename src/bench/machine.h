#pragma once

#include <string>
#include <utility>
#include <vector>

namespace memsizer::bench {

// What a figure was measured on and with: processor, cores, instructions, memory, system, compiler, version.
std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace memsizer::bench
