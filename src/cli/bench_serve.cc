#include "cli/bench_serve.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "serve/load.h"

namespace memsizer::cli {
namespace {

struct BenchServeCommand {
  serve::Load load;
  std::vector<int64_t> clients = {1, 64};
  bool json = false;
};

void check(const BenchServeCommand& command) {
  const auto require = [](const char* name, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
      throw UserError("{} is {}; it must be from {} to {}", name, value, low, high);
  };
  require("--port", command.load.port, 1, 65535);
  require("--requests", command.load.requests, 1, 1 << 30);
  require("--endless", command.load.endless, 0, 1024);
  for (const int64_t clients : command.clients) require("--clients", clients, 1, 1 << 14);
  for (const std::string* body : {&command.load.body, &command.load.endless_body}) {
    if (!body->empty() && !nlohmann::json::accept(*body))
      throw UserError("'{}' is no JSON; give a body such as {{\"prompt\": \"the\"}}", body->substr(0, 60));
  }
}

nlohmann::json as_json(int64_t clients, const serve::LoadResult& result) {
  return {{"clients", clients},
          {"answered", result.answered},
          {"refused", result.refused},
          {"failed", result.failed},
          {"seconds", result.seconds},
          {"requests_per_second", static_cast<double>(result.answered) / result.seconds},
          {"tokens_per_second", static_cast<double>(result.tokens) / result.seconds},
          {"p50_ms", result.percentile(0.5) * 1e3},
          {"p95_ms", result.percentile(0.95) * 1e3},
          {"p99_ms", result.percentile(0.99) * 1e3},
          {"resident_bytes", result.resident_bytes},
          {"ceiling_bytes", result.ceiling_bytes}};
}

void run_bench_serve(const BenchServeCommand& command) {
  check(command);
  if (!command.json) {
    fmt::print("{:>7} {:>8} {:>7} {:>6} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "clients", "answered",
               "refused", "failed", "requests/s", "tokens/s", "p50 ms", "p95 ms", "p99 ms", "RSS MiB",
               "ceiling");
  }
  for (const int64_t clients : command.clients) {
    serve::Load load = command.load;
    load.clients = clients;
    const serve::LoadResult result = serve::run_load(load);
    const nlohmann::json json = as_json(clients, result);
    if (command.json) {
      fmt::print("{}\n", json.dump());
    } else {
      fmt::print("{:>7} {:>8} {:>7} {:>6} {:>10.1f} {:>10.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}\n",
                 clients, result.answered, result.refused, result.failed,
                 json["requests_per_second"].get<double>(), json["tokens_per_second"].get<double>(),
                 json["p50_ms"].get<double>(), json["p95_ms"].get<double>(), json["p99_ms"].get<double>(),
                 static_cast<double>(result.resident_bytes) / (1 << 20),
                 static_cast<double>(result.ceiling_bytes) / (1 << 20));
    }
    std::fflush(stdout);
  }
}

}  // namespace

void add_bench_serve(CLI::App& app) {
  auto options = std::make_shared<BenchServeCommand>();
  serve::Load& load = options->load;
  load.body = R"({"prompt": "the", "max_tokens": 32, "min_tokens": 32})";
  load.endless_body = R"({"prompt": "the", "max_tokens": 1000000, "min_tokens": 1000000, "stream": true})";
  CLI::App* command = app.add_subcommand("bench-serve", "Measure a running server under load");
  command->add_option("--host", load.host, "address of the server")->capture_default_str();
  command->add_option("--port", load.port, "port of the server")->capture_default_str();
  command->add_option("--key", load.key, "API key");
  command->add_option("--path", load.path, "what is asked")->capture_default_str();
  command->add_option("--body", load.body, "JSON of each request")->capture_default_str();
  command->add_option("--clients", options->clients, "clients at once, one measurement each")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--requests", load.requests, "requests of all clients together")->capture_default_str();
  command->add_option("--endless", load.endless, "streams beside them that never end")->capture_default_str();
  command->add_option("--endless-path", load.endless_path, "what the streams ask")->capture_default_str();
  command->add_option("--endless-body", load.endless_body, "JSON of the streams")->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object per measurement");
  command->callback([options] { run_bench_serve(*options); });
}

}  // namespace memsizer::cli
