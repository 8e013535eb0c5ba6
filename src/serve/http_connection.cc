#include "serve/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <cctype>

#include "core/clock.h"

namespace memsizer::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr uint32_t kHeaderBytes = 16 << 10;
constexpr size_t kBufferBytes = 64 << 10;
// The slowest connection that is still served: what it takes longer than this is a fault, or an attack.
constexpr double kSlowestBytesPerSecond = 64 << 10;
constexpr double kWriteSeconds = 30.0;
constexpr double kLingerSeconds = 2.0;
constexpr int64_t kMostDiscarded = 1 << 20;

std::string lower(boost::beast::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

HttpError too_large(int64_t most) {
  return {413,
          fmt::format("the body has more than {} bytes, the most that this server takes; send less at once",
                      most)};
}

bool is_http_error(const boost::system::error_code& error) {
  return error.category() == http::make_error_code(http::error::end_of_stream).category();
}

// The handle that handlers have.
class ConnectionExchange : public Exchange {
 public:
  ConnectionExchange(HttpServer::Core& core, std::shared_ptr<Connection> connection,
                     std::shared_ptr<Turn> turn)
      : core_(core),
        connection_(std::move(connection)),
        turn_(std::move(turn)),
        work_(asio::make_work_guard(core.io)) {}
  ConnectionExchange(const ConnectionExchange&) = delete;
  ConnectionExchange& operator=(const ConnectionExchange&) = delete;
  ~ConnectionExchange() override {
    if (!turn_->answered)
      respond(error_response({500, "the request was dropped; this is a bug of the server"}));
  }

  const HttpRequest& request() const override { return turn_->request; }

  void respond(HttpResponse response) override {
    turn_->answered = true;
    post([response = std::move(response)](Connection& connection, const std::shared_ptr<Turn>& turn) {
      connection.write_whole(turn, response);
    });
  }

  void begin_stream(HttpResponse head) override {
    turn_->answered = true;
    post([head = std::move(head)](Connection& connection, const std::shared_ptr<Turn>& turn) {
      connection.write_head(turn, head);
    });
  }

  void send(std::string piece) override {
    post([piece = std::move(piece)](Connection& connection, const std::shared_ptr<Turn>& turn) mutable {
      connection.write_piece(turn, std::move(piece));
    });
  }

  void when_taken(std::function<void()> taken) override {
    post([taken = std::move(taken)](Connection& connection, const std::shared_ptr<Turn>& turn) mutable {
      connection.set_taken(turn, std::move(taken));
    });
  }

  void end_stream(nlohmann::json notes) override {
    post([notes = std::move(notes)](Connection& connection, const std::shared_ptr<Turn>& turn) mutable {
      connection.write_end(turn, std::move(notes));
    });
  }

  void drop() override {
    post([](Connection& connection, const std::shared_ptr<Turn>& turn) { connection.drop(turn); });
  }

  void when_lost(std::function<void(Lost)> lost) override {
    post([lost = std::move(lost)](Connection& connection, const std::shared_ptr<Turn>& turn) mutable {
      connection.set_lost(turn, std::move(lost));
    });
  }

  void set_deadline(double seconds) override {
    post([seconds](Connection& connection, const std::shared_ptr<Turn>& turn) {
      connection.set_deadline(turn, seconds);
    });
  }

  void run_later(std::function<void()> work) override { asio::post(core_.pool, std::move(work)); }

 private:
  template <typename Call>
  void post(Call call) {
    asio::post(core_.io, [connection = connection_, turn = turn_, call = std::move(call)]() mutable {
      call(*connection, turn);
    });
  }

  HttpServer::Core& core_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Turn> turn_;
  // Calls are posted until the last handle is gone, and those who hold it wait for theirs.
  asio::executor_work_guard<asio::io_context::executor_type> work_;
};

}  // namespace

bool BodyLoan::take(std::atomic<int64_t>& from, int64_t bytes, int64_t most) {
  if (from.fetch_add(bytes) + bytes > most) {
    from -= bytes;
    return false;
  }
  from_ = &from;
  bytes_ = bytes;
  return true;
}

Connection::Connection(HttpServer::Core& core, asio::ip::tcp::socket socket)
    : core_(core), socket_(std::move(socket)), timer_(core.io), deadline_(core.io), buffer_(kBufferBytes) {}

void Connection::arm(double seconds) {
  timer_.expires_after(std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3)));
  timer_.async_wait([self = shared_from_this()](Error error) {
    if (error || self->closed_) return;
    self->turn_ ? self->lose(Lost::Client) : self->close();
  });
}

void Connection::wait_for_request() {
  parser_.emplace();
  parser_->header_limit(kHeaderBytes);
  parser_->body_limit(static_cast<uint64_t>(core_.options.max_body));
  if (buffer_.size() > 0) return read_header();
  idle_ = true;
  if (core_.draining) return close();
  arm(served_ ? core_.options.idle_seconds : core_.options.header_seconds);
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this()](Error error) {
    if (self->closed_) return;
    error ? self->close() : self->read_header();
  });
}

void Connection::read_header() {
  idle_ = false;
  arm(core_.options.header_seconds);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](Error error, size_t) { self->on_header(error); });
}

void Connection::on_header(Error error) {
  if (closed_) return;
  if (error == http::error::end_of_stream || error == http::error::partial_message) return close();
  if (error && !is_http_error(error)) return close();
  if (error == http::error::header_limit)
    return refuse({431, fmt::format("the headers have more than {} bytes; send fewer", kHeaderBytes)});
  if (error == http::error::body_limit) return refuse(too_large(core_.options.max_body));
  if (error) return refuse({400, fmt::format("this is no HTTP request: {}", error.message())});
  if (core_.draining) return refuse({503, "the server is shutting down; ask another one"});
  const auto length = parser_->content_length();
  const int64_t most = core_.options.max_body;
  const uint64_t bytes = length ? *length : (parser_->chunked() ? static_cast<uint64_t>(most) : 0);
  if (bytes > static_cast<uint64_t>(most)) return refuse(too_large(most));
  loan_ = std::make_unique<BodyLoan>();
  if (!loan_->take(core_.body_bytes, static_cast<int64_t>(bytes), core_.options.body_budget))
    return refuse({503, "the server is busy reading other requests; try again"});
  read_body(static_cast<int64_t>(bytes));
}

void Connection::read_body(int64_t bytes) {
  arm(core_.options.header_seconds + static_cast<double>(bytes) / kSlowestBytesPerSecond);
  const auto read = [self = shared_from_this()] {
    http::async_read(self->socket_, self->buffer_, *self->parser_,
                     [self](Error error, size_t) { self->on_request(error); });
  };
  if (lower(parser_->get()[http::field::expect]) != "100-continue") return read();
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue), [self = shared_from_this(), read](Error error, size_t) {
    if (self->closed_) return;
    error ? self->close() : read();
  });
}

void Connection::on_request(Error error) {
  if (closed_) return;
  if (error == http::error::body_limit) return refuse(too_large(core_.options.max_body));
  if (error == http::error::partial_message || (error && !is_http_error(error))) return close();
  if (error) return refuse({400, fmt::format("this is no HTTP request: {}", error.message())});
  timer_.cancel();
  keep_alive_ = parser_->keep_alive();
  auto message = parser_->release();
  auto turn = std::make_shared<Turn>();
  turn->started = steady_seconds();
  if (loan_) turn->loan.take_over(*loan_);
  HttpRequest& request = turn->request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  request.path = target.substr(0, target.find('?'));
  for (const auto& field : message) request.headers[lower(field.name_string())] = std::string(field.value());
  request.body = std::move(message.body());
  boost::system::error_code ignored;
  request.remote = socket_.remote_endpoint(ignored).address().to_string(ignored);
  turn->head_only = request.method == "HEAD";
  turn->chunked = message.version() >= 11;
  turn_ = turn;
  finishing_ = false;
  watch(turn);
  auto exchange = std::make_shared<ConnectionExchange>(core_, shared_from_this(), turn);
  asio::post(core_.pool, [&core = core_, exchange = std::move(exchange)] { core.handler(exchange); });
}

void Connection::refuse(const HttpError& error) {
  auto turn = std::make_shared<Turn>();
  turn->started = steady_seconds();
  turn->answered = true;
  turn->request.method = std::string(parser_->get().method_string());
  turn->request.path = "(refused)";
  turn->chunked = true;
  boost::system::error_code ignored;
  turn->request.remote = socket_.remote_endpoint(ignored).address().to_string(ignored);
  turn_ = turn;
  finishing_ = false;
  keep_alive_ = false;
  write_whole(turn, error_response(error));
}

void Connection::watch(const std::shared_ptr<Turn>& turn) {
  socket_.async_wait(asio::ip::tcp::socket::wait_read, [self = shared_from_this(), turn](Error error) {
    if (self->closed_ || self->turn_ != turn) return;
    char byte = 0;
    // More bytes are the next request, which waits for its turn.
    if (!error && ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) return;
    self->lose(Lost::Client);
  });
}

void Connection::set_lost(const std::shared_ptr<Turn>& turn, std::function<void(Lost)> lost) {
  if (closed_ || turn_ != turn) return lost(Lost::Client);
  turn->lost = std::move(lost);
}

void Connection::drop(const std::shared_ptr<Turn>& turn) {
  if (!closed_ && turn_ == turn) lose(Lost::Client);
}

void Connection::set_taken(const std::shared_ptr<Turn>& turn, std::function<void()> taken) {
  if (closed_ || turn_ != turn || turn->waiting <= kMostWaiting) return taken();
  turn->taken = std::move(taken);
}

void Connection::set_deadline(const std::shared_ptr<Turn>& turn, double seconds) {
  if (closed_ || turn_ != turn) return;
  deadline_.expires_after(std::chrono::milliseconds(static_cast<int64_t>(seconds * 1e3)));
  deadline_.async_wait([self = shared_from_this(), turn](Error error) {
    if (!error && self->turn_ == turn) self->lose(Lost::Deadline);
  });
}

void Connection::lose(Lost why) {
  if (!turn_) return;
  const std::shared_ptr<Turn> turn = turn_;
  const auto lost = std::exchange(turn->lost, nullptr);
  if (why == Lost::Client) {
    core_.on_answered(turn->request, {turn->status, turn->bytes, steady_seconds() - turn->started, false,
                                      std::move(turn->notes)});
    close();
  }
  if (lost) lost(why);
}

std::string Connection::head_of(const HttpResponse& response, const std::string& framing) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", response.status,
      std::string(http::obsolete_reason(static_cast<http::status>(response.status))), response.content_type);
  head += "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n";
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (core_.draining) keep_alive_ = false;
  head += framing;
  head += keep_alive_ ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

void Connection::write_whole(const std::shared_ptr<Turn>& turn, const HttpResponse& response) {
  if (closed_ || turn_ != turn || turn->status != 0) return;
  deadline_.cancel();
  turn->status = response.status;
  turn->notes = response.notes;
  finishing_ = true;
  std::string bytes = head_of(response, fmt::format("Content-Length: {}\r\n", response.body.size()));
  if (!turn->head_only) bytes += response.body;
  arm(kWriteSeconds + static_cast<double>(bytes.size()) / kSlowestBytesPerSecond);
  queue(std::move(bytes));
}

void Connection::write_head(const std::shared_ptr<Turn>& turn, const HttpResponse& head) {
  if (closed_ || turn_ != turn || turn->status != 0) return;
  turn->status = head.status;
  // Before HTTP/1.1 a stream ends with its connection.
  if (!turn->chunked) keep_alive_ = false;
  queue(head_of(head, turn->chunked ? "Transfer-Encoding: chunked\r\n" : ""));
}

void Connection::write_piece(const std::shared_ptr<Turn>& turn, std::string piece) {
  if (closed_ || turn_ != turn || finishing_ || piece.empty()) return;
  if (turn->chunked) piece = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
  turn->waiting += static_cast<int64_t>(piece.size());
  queue(std::move(piece));
}

void Connection::write_end(const std::shared_ptr<Turn>& turn, nlohmann::json notes) {
  if (closed_ || turn_ != turn || finishing_) return;
  deadline_.cancel();
  turn->notes = std::move(notes);
  finishing_ = true;
  arm(kWriteSeconds + static_cast<double>(turn->waiting) / kSlowestBytesPerSecond);
  if (turn->chunked) queue("0\r\n\r\n");
  if (out_.empty()) finish_turn();
}

void Connection::queue(std::string bytes) {
  out_.push_back(std::move(bytes));
  write_some();
}

void Connection::write_some() {
  if (writing_ || out_.empty()) return;
  writing_ = true;
  // A whole answer has its time already; a stream's client must take something now and then.
  if (turn_ && !finishing_) arm(kWriteSeconds);
  const auto rest = asio::buffer(out_.front()) + written_;
  socket_.async_write_some(rest, [self = shared_from_this()](Error error, size_t bytes) {
    self->writing_ = false;
    if (self->closed_) return;
    if (error) return self->lose(Lost::Client);
    self->written_ += bytes;
    if (self->turn_) {
      self->turn_->bytes += static_cast<int64_t>(bytes);
      // The head and the end were not counted as waiting.
      self->turn_->waiting = std::max<int64_t>(0, self->turn_->waiting - static_cast<int64_t>(bytes));
      if (self->turn_->taken && self->turn_->waiting <= kMostWaiting)
        std::exchange(self->turn_->taken, nullptr)();
    }
    if (self->written_ == self->out_.front().size()) {
      self->out_.pop_front();
      self->written_ = 0;
    }
    if (!self->out_.empty()) return self->write_some();
    if (!self->finishing_) self->timer_.cancel();
    if (self->finishing_) self->finish_turn();
  });
}

void Connection::finish_turn() {
  timer_.cancel();
  deadline_.cancel();
  const std::shared_ptr<Turn> turn = std::exchange(turn_, nullptr);
  turn->lost = nullptr;
  served_ = true;
  core_.on_answered(turn->request, {turn->status, turn->bytes, steady_seconds() - turn->started, true,
                                    std::move(turn->notes)});
  keep_alive_ ? wait_for_request() : linger();
}

void Connection::linger() {
  Error ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  buffer_.clear();
  arm(kLingerSeconds);
  discard();
}

void Connection::discard() {
  socket_.async_read_some(buffer_.prepare(kBufferBytes),
                          [self = shared_from_this()](Error error, size_t bytes) {
                            if (self->closed_) return;
                            self->discarded_ += static_cast<int64_t>(bytes);
                            if (error || self->discarded_ > kMostDiscarded) return self->close();
                            self->discard();
                          });
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  Error ignored;
  socket_.close(ignored);
  timer_.cancel();
  deadline_.cancel();
  if (turn_ && turn_->taken) std::exchange(turn_->taken, nullptr)();
  turn_.reset();
  loan_.reset();
  out_.clear();
  core_.leave(*this);
}

}  // namespace memsizer::serve
