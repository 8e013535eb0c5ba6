#include "bench/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "kernels/team.h"

namespace memsizer::bench {
namespace {

// The rest of the first line of a file that begins with `key`, without separators; "unknown" without one.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:=\"", key.size());
    const size_t end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos && end >= begin) return line.substr(begin, end - begin + 1);
  }
  return "unknown";
}

std::string instructions() {
  const int64_t targets = hwy::SupportedTargets();
  // Better sets have lower bits.
  return hwy::TargetName(targets & -targets);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return {{"version", "memsizer " MEMSIZER_VERSION},
          {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))},
          {"processor", value_in("/proc/cpuinfo", "model name")},
          {"cores", fmt::format("{} physical, {} logical", kernels::physical_cores(),
                                std::thread::hardware_concurrency())},
          {"instructions", instructions()},
          {"memory", fmt::format("{:.0f} GB", bytes / 1e9)},
          {"system", value_in("/etc/os-release", "PRETTY_NAME")},
          {"compiler", MEMSIZER_COMPILER}};
}

}  // namespace memsizer::bench
