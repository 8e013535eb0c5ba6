#include "bench/process_memory.h"

#include <fstream>
#include <string>

namespace memsizer::bench {
namespace {

int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) return std::stoll(line.substr(key.size())) * 1024;
  }
  return 0;
}

}  // namespace

int64_t resident_bytes() {
  return status_bytes("VmRSS:");
}

int64_t peak_resident_bytes() {
  return status_bytes("VmHWM:");
}

void reset_peak_resident() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace memsizer::bench
