#include "serve/serve_options.h"

#include "core/error.h"

namespace memsizer::serve {
namespace {

template <typename Number>
void require(const char* name, Number value, Number low, Number high) {
  // Written so that NaN is refused.
  if (value >= low && value <= high) return;
  throw UserError("{} is {}; it must be from {} to {}", name, value, low, high);
}

}  // namespace

void ServeOptions::validate() const {
  if (models.empty()) throw UserError("no model to serve; give --model FILE or --model NAME=FILE");
  require<int64_t>("--port", http.port, 0, 65535);
  require<int64_t>("--http-threads", http.threads, 1, 256);
  require<int64_t>("--connections", http.connections, 1, 1 << 20);
  require<int64_t>("--max-body", http.max_body, 1 << 10, int64_t{1} << 32);
  require<int64_t>("--body-budget", http.body_budget, http.max_body, int64_t{1} << 36);
  require("--read-timeout", http.header_seconds, 0.1, 3600.0);
  require("--idle-timeout", http.idle_seconds, 0.1, 86400.0);
  require("--drain", http.drain_seconds, 0.0, 86400.0);
  require("--deadline", deadline_seconds, 0.1, 1e6);
  require<int64_t>("--slots", limits.slots, 1, 1 << 16);
  require<int64_t>("--queue", limits.queue, 0, 1 << 20);
  require<int64_t>("--max-tokens", limits.max_tokens, 1, 1 << 20);
  require<int64_t>("--max-context", limits.max_context, 1, int64_t{1} << 30);
  require<int64_t>("--max-beam", limits.max_beam, 1, 1000);
  require<int64_t>("--state-quota", states.quota_bytes, 0, int64_t{1} << 50);
  require("--state-expiry", states.expiry_seconds, 1.0, 1e10);
  if (api_key_file.empty() && !insecure && !is_loopback(http.host)) {
    throw UserError(
        "{} can be reached from other machines, and no key is asked for; give --api-key-file, or --insecure "
        "if "
        "that is meant",
        http.host);
  }
}

}  // namespace memsizer::serve
