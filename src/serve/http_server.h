#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/http.h"

namespace memsizer::serve {

// Bytes of a stream that may wait for a client before more are sent.
inline constexpr int64_t kMostWaiting = 32 << 10;

struct HttpOptions {
  std::string host = "127.0.0.1";
  int64_t port = 8080;             // 0: any that is free
  int64_t threads = 2;             // that parse requests and format answers
  int64_t connections = 4096;      // more wait to be accepted
  int64_t max_body = 16 << 20;     // bytes of one request
  int64_t body_budget = 64 << 20;  // bytes of all requests at once
  double header_seconds = 10.0;    // for a request's first line and headers to come
  double idle_seconds = 60.0;      // that a connection is kept without a request
  double drain_seconds = 30.0;     // that running requests have when the server is stopped
};

// What an access log says of an answer.
struct Answered {
  int status = 0;
  int64_t bytes = 0;     // sent
  double seconds = 0.0;  // from the request's headers to the answer's last byte
  bool complete = true;  // false: the client went away before
  nlohmann::json notes;
};

// Waits for all connections in one thread and hands requests to a few others. A client that is slow, or sends
// what is no request, costs a socket for some seconds and no thread.
class HttpServer {
 public:
  using Handler = std::function<void(const std::shared_ptr<Exchange>& exchange)>;
  using OnAnswered = std::function<void(const HttpRequest& request, const Answered& answered)>;

  // Listens at once; throws UserError if the address cannot be had. `handler` must not throw. The server must
  // outlive every exchange.
  HttpServer(const HttpOptions& options, Handler handler, OnAnswered on_answered);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const;
  int64_t open_connections() const;

  // Serves until stop(), SIGTERM or SIGINT, then lets running requests come to their end for drain_seconds; a
  // second signal ends them at once. From then on new requests are refused. Returns when no connection is
  // open and no exchange is held.
  void run();
  void stop();

  struct Core;  // http_connection.h

 private:
  std::unique_ptr<Core> core_;
};

// Whether an address can be reached from this machine alone. Throws UserError if it is no address.
bool is_loopback(const std::string& host);

}  // namespace memsizer::serve
