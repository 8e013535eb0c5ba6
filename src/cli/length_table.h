#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace memsizer::cli {

// One line of the table by length.
struct BucketRow {
  std::string label;
  int64_t count = 0;
  std::vector<std::pair<std::string, double>> values;
};

// Prints nothing where there is only one range: the whole has been told already.
void print_buckets(const std::string& what, const std::string& counted, const std::vector<BucketRow>& rows);
nlohmann::json buckets_json(const std::string& counted, const std::vector<BucketRow>& rows);

}  // namespace memsizer::cli
