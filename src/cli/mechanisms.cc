#include "cli/mechanisms.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "mechanisms/registry.h"
#include "report/table.h"

namespace memsizer::cli {
namespace {

void print_table() {
  const auto mark = [](bool yes) { return yes ? "yes" : "-"; };
  fmt::print("{:<20} {:>8} {:>7} {:>6} {:>7} {:>10} {:>14}\n", "mechanism", "encoder", "causal", "cross",
             "linear", "recurrent", "any length");
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    fmt::print("{:<20} {:>8} {:>7} {:>6} {:>7} {:>10} {:>14}\n", row.name, mark(row.encoder_self),
               mark(row.causal_self), mark(row.cross), mark(row.linear), mark(row.recurrent),
               mark(row.length_agnostic));
  }
}

// The table of docs/mechanisms.md, which a test compares.
void print_markdown() {
  report::Table table{{"mechanism", "encoder", "causal", "cross", "linear", "recurrent", "any length"}, {}};
  const auto mark = [](bool yes) { return std::string(yes ? "yes" : "-"); };
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    table.rows.push_back({fmt::format("`{}`", row.name), mark(row.encoder_self), mark(row.causal_self),
                          mark(row.cross), mark(row.linear), mark(row.recurrent), mark(row.length_agnostic)});
  }
  fmt::print("{}", table.markdown());
}

void print_json() {
  nlohmann::json list = nlohmann::json::array();
  for (const Mechanism& mechanism : mechanisms()) {
    const MechanismTraits& row = mechanism.traits();
    list.push_back({{"name", row.name},
                    {"encoder_self", row.encoder_self},
                    {"causal_self", row.causal_self},
                    {"cross", row.cross},
                    {"linear", row.linear},
                    {"recurrent", row.recurrent},
                    {"length_agnostic", row.length_agnostic}});
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_mechanisms(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  auto markdown = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("mechanisms", "What each attention mechanism can do");
  command->add_flag("--json", *json, "machine-readable output");
  command->add_flag("--markdown", *markdown, "the table as Markdown")->excludes("--json");
  command->callback([json, markdown] {
    *json ? print_json() : *markdown ? print_markdown() : print_table();
  });
}

}  // namespace memsizer::cli
