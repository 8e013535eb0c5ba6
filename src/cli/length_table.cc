#include "cli/length_table.h"

#include <fmt/format.h>

#include "report/table.h"

namespace memsizer::cli {

void print_buckets(const std::string& what, const std::string& counted, const std::vector<BucketRow>& rows) {
  if (rows.size() < 2) return;
  report::Table table{{what, counted}, {}};
  for (const auto& [name, value] : rows.front().values) table.heads.push_back(name);
  for (const BucketRow& row : rows) {
    std::vector<std::string> cells = {row.label, fmt::to_string(row.count)};
    for (const auto& [name, value] : row.values) cells.push_back(fmt::format("{:.2f}", value));
    table.rows.push_back(cells);
  }
  fmt::print("\n{}", table.markdown());
}

nlohmann::json buckets_json(const std::string& counted, const std::vector<BucketRow>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const BucketRow& row : rows) {
    nlohmann::json object = {{"length", row.label}, {counted, row.count}};
    for (const auto& [name, value] : row.values) object[name] = value;
    all.push_back(object);
  }
  return all;
}

}  // namespace memsizer::cli
