#pragma once

#include <string>

#include "serve/http_error.h"

// Server-sent events: how text is streamed.
namespace memsizer::serve {

// A stream that begins with its first event, so that what goes wrong before it is an answer of its own.
class EventStream {
 public:
  void send(Exchange& exchange, std::string events) {
    begin(exchange);
    exchange.send(std::move(events));
  }

  void end(Exchange& exchange, std::string events, nlohmann::json notes) {
    begin(exchange);
    exchange.send(std::move(events));
    exchange.end_stream(std::move(notes));
  }

  void fail(Exchange& exchange, const HttpError& error, ErrorForm form) {
    if (!begun_) return exchange.respond(error_response(error, form));
    exchange.send("data: " + dump_json(error_json(error, form)) + "\n\n");
    exchange.end_stream({{"error", error.status()}});
  }

 private:
  void begin(Exchange& exchange) {
    if (begun_) return;
    begun_ = true;
    HttpResponse head;
    head.content_type = "text/event-stream; charset=utf-8";
    exchange.begin_stream(std::move(head));
  }

  bool begun_ = false;
};

inline std::string event(const nlohmann::json& data) {
  return "data: " + dump_json(data) + "\n\n";
}

inline constexpr auto kLastEvent = "data: [DONE]\n\n";

}  // namespace memsizer::serve
