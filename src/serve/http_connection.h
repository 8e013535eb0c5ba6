#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <deque>
#include <optional>
#include <unordered_set>

#include "serve/http_error.h"
#include "serve/http_server.h"

// The inside of the HTTP server: what no other file includes.
namespace memsizer::serve {

class Connection;

// What the connections share. All of it belongs to the thread of the sockets but for the atomics and what is
// posted.
struct HttpServer::Core {
  Core(const HttpOptions& options, Handler handler, OnAnswered on_answered);

  void accept();
  // Stops accepting; the second call ends what runs.
  void drain();
  void leave(Connection& connection);
  void lose_all();
  // Those that wait for a request, so that others find room.
  void close_idle();

  HttpOptions options;
  Handler handler;
  OnAnswered on_answered;
  boost::asio::io_context io{1};
  boost::asio::ip::tcp::acceptor acceptor{io};
  boost::asio::signal_set signals{io};
  boost::asio::steady_timer accept_pause{io};
  boost::asio::steady_timer drain_timer{io};
  boost::asio::thread_pool pool;
  std::unordered_set<Connection*> connections;
  std::atomic<int64_t> open{0};
  std::atomic<int64_t> body_bytes{0};
  bool accepting = false;
  bool draining = false;
};

// Bytes of a request, taken from what all requests may have at once.
class BodyLoan {
 public:
  BodyLoan() = default;
  BodyLoan(const BodyLoan&) = delete;
  BodyLoan& operator=(const BodyLoan&) = delete;
  ~BodyLoan() {
    if (from_) *from_ -= bytes_;
  }

  // False if they cannot be had.
  bool take(std::atomic<int64_t>& from, int64_t bytes, int64_t most);
  void take_over(BodyLoan& other) {
    from_ = std::exchange(other.from_, nullptr);
    bytes_ = other.bytes_;
  }

 private:
  std::atomic<int64_t>* from_ = nullptr;
  int64_t bytes_ = 0;
};

// One request of a connection, until its answer is complete or the client gone.
struct Turn {
  HttpRequest request;
  BodyLoan loan;
  double started = 0.0;
  std::atomic<bool> answered{false};

  // Of the thread of the sockets.
  std::function<void(Lost)> lost;
  std::function<void()> taken;
  int status = 0;
  int64_t bytes = 0;
  int64_t waiting = 0;  // bytes of a stream that the client has not taken yet
  bool head_only = false;
  bool chunked = false;
  nlohmann::json notes;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(HttpServer::Core& core, boost::asio::ip::tcp::socket socket);

  void start() { wait_for_request(); }
  // Kept after a request for another one, which has not begun.
  bool idle() const { return idle_ && served_; }

  // The answer to a turn; nothing happens if the turn is over.
  void write_whole(const std::shared_ptr<Turn>& turn, const HttpResponse& response);
  void write_head(const std::shared_ptr<Turn>& turn, const HttpResponse& head);
  void write_piece(const std::shared_ptr<Turn>& turn, std::string piece);
  void write_end(const std::shared_ptr<Turn>& turn, nlohmann::json notes);

  void set_lost(const std::shared_ptr<Turn>& turn, std::function<void(Lost)> lost);
  void set_taken(const std::shared_ptr<Turn>& turn, std::function<void()> taken);
  void set_deadline(const std::shared_ptr<Turn>& turn, double seconds);

  // Ends the connection without the rest of the answer.
  void drop(const std::shared_ptr<Turn>& turn);
  // Tells the one who answers; a lost client's connection ends.
  void lose(Lost why);
  void close();

 private:
  using Error = boost::system::error_code;

  void wait_for_request();
  void read_header();
  void on_header(Error error);
  void read_body(int64_t bytes);
  void on_request(Error error);
  // Answers what is no request and ends the connection.
  void refuse(const HttpError& error);
  // Notices a client that goes away while it waits for its answer.
  void watch(const std::shared_ptr<Turn>& turn);
  std::string head_of(const HttpResponse& response, const std::string& framing);
  void queue(std::string bytes);
  void write_some();
  void finish_turn();
  // Lets the client read the answer before the connection ends: bytes that were not read would reset it.
  void linger();
  void discard();
  // Closes the connection when this time has passed without another call.
  void arm(double seconds);

  HttpServer::Core& core_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer deadline_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::unique_ptr<BodyLoan> loan_;
  std::shared_ptr<Turn> turn_;
  std::deque<std::string> out_;
  size_t written_ = 0;  // of the first of them
  bool writing_ = false;
  bool finishing_ = false;
  bool keep_alive_ = true;
  bool idle_ = true;
  bool served_ = false;
  bool closed_ = false;
  int64_t discarded_ = 0;
};

}  // namespace memsizer::serve
