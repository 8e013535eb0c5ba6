#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

// HTTP as the routes see it; http_server.cc alone knows how bytes get there.
namespace memsizer::serve {

struct HttpRequest {
  std::string method;
  std::string path;                            // as it was sent, without the query
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string remote;  // the client's address

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  nlohmann::json notes = nlohmann::json::object();  // for the access log
};

// Why an answer is no longer wanted, or must come to its end.
enum class Lost { Client, Deadline, Shutdown };

// One request and its answer. It can be answered from any thread, whole or as a stream; an answer to a client
// that went away goes nowhere. One that is dropped without an answer is answered as our own bug.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual const HttpRequest& request() const = 0;

  virtual void respond(HttpResponse response) = 0;

  // A stream: `head` without a body, pieces, the end.
  virtual void begin_stream(HttpResponse head) = 0;
  virtual void send(std::string piece) = 0;
  // Calls `taken` once, when the client has taken most of what was sent, or has gone; from the thread of the
  // sockets, or at once. Who waits for it keeps no more in memory than a client can take.
  virtual void when_taken(std::function<void()> taken) = 0;
  virtual void end_stream(nlohmann::json notes) = 0;
  // Ends the connection at once: the client has lost the rest.
  virtual void drop() = 0;

  // `lost` is called once, from the thread of the sockets, which it must not hold up; at once if it is too
  // late already. Calls stop when the answer is complete.
  virtual void when_lost(std::function<void(Lost)> lost) = 0;
  virtual void set_deadline(double seconds) = 0;

  // Runs it in a thread that formats answers, after what was given before it or beside it.
  virtual void run_later(std::function<void()> work) = 0;
};

}  // namespace memsizer::serve
