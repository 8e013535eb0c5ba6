#include "cli/serve.h"

#include <fmt/format.h>

#include <csignal>
#include <memory>

#include "serve/server.h"

namespace memsizer::cli {
namespace {

// Threads that are started meanwhile do not take them either, and one that comes waits.
void hold_signals(int how) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(how, &ending, nullptr);
}

void run_serve(const serve::ServeOptions& options) {
  // A signal while the server is made or unmade would end the program in the middle of it.
  hold_signals(SIG_BLOCK);
  serve::Server server(options);
  for (const std::string& line : server.introduction()) fmt::print(stderr, "memsizer serve: {}\n", line);
  std::fflush(stderr);
  hold_signals(SIG_UNBLOCK);
  server.run();
  hold_signals(SIG_BLOCK);
  fmt::print(stderr, "memsizer serve: stopped\n");
}

void add_http_options(CLI::App& command, serve::HttpOptions& http) {
  command.add_option("--host", http.host, "address to listen on")->capture_default_str();
  command.add_option("--port", http.port, "port to listen on; 0 takes any that is free")
      ->capture_default_str();
  command.add_option("--http-threads", http.threads, "threads that parse requests and format answers")
      ->capture_default_str();
  command.add_option("--connections", http.connections, "connections open at once; more wait")
      ->capture_default_str();
  command.add_option("--max-body", http.max_body, "bytes of one request")->capture_default_str();
  command.add_option("--body-budget", http.body_budget, "bytes of all requests at once")
      ->capture_default_str();
  command.add_option("--read-timeout", http.header_seconds, "seconds for a request's headers to come")
      ->capture_default_str();
  command
      .add_option("--idle-timeout", http.idle_seconds, "seconds that a connection is kept without a request")
      ->capture_default_str();
  command
      .add_option("--drain", http.drain_seconds,
                  "seconds that running requests have when the server is stopped")
      ->capture_default_str();
}

void add_limits(CLI::App& command, serve::ModelLimits& limits) {
  command.add_option("--slots", limits.slots, "texts of a model computed at once")->capture_default_str();
  command.add_option("--queue", limits.queue, "texts of a model that wait; more are refused with 503")
      ->capture_default_str();
  command.add_option("--max-tokens", limits.max_tokens, "longest output that is answered whole, in tokens")
      ->capture_default_str();
  command
      .add_option("--max-context", limits.max_context,
                  "longest text in tokens, of a model whose state grows with it")
      ->capture_default_str();
  command.add_option("--max-beam", limits.max_beam, "widest search that a request may ask for")
      ->capture_default_str();
  command.add_option("--threads", limits.threads, "threads of each model; 0 takes the physical cores")
      ->capture_default_str();
}

}  // namespace

void add_serve(CLI::App& app, const char* version) {
  auto options = std::make_shared<serve::ServeOptions>();
  options->version = version;
  CLI::App* command = app.add_subcommand("serve", "Serve models over HTTP, with a page to try them");
  command
      ->add_option(
          "--model", options->models,
          "a model file, or NAME=FILE; may be repeated. A translator named such as en-de says its languages")
      ->type_name("[NAME=]FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required();
  add_http_options(*command, options->http);
  add_limits(*command, options->limits);
  command->add_option("--deadline", options->deadline_seconds, "seconds that a request may take")
      ->capture_default_str();
  command->add_option("--api-key-file", options->api_key_file,
                      "file with a key, or one name and key per line; clients must send one of them");
  command->add_flag("--insecure", options->insecure, "listen on a public address without a key");
  command->add_option("--access-log", options->access_log,
                      "file for one line of JSON per request; - is stdout");
  command->add_option("--states", options->states.folder, "folder where saved states survive the server");
  command->add_option("--state-quota", options->states.quota_bytes, "bytes of all saved states")
      ->capture_default_str();
  command
      ->add_option("--state-expiry", options->states.expiry_seconds,
                   "seconds without use after which a state goes")
      ->capture_default_str();
  command->callback([options] { run_serve(*options); });
}

}  // namespace memsizer::cli
