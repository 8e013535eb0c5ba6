#include "serve/http_server.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <csignal>

#include "core/error.h"
#include "serve/http_connection.h"

namespace memsizer::serve {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

// After a drain, for the last answers to be written.
constexpr auto kLastSeconds = std::chrono::seconds(2);

asio::ip::address address_of(const std::string& host) {
  boost::system::error_code error;
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  if (error) throw UserError("'{}' is no address to listen on; give one such as 127.0.0.1 or 0.0.0.0", host);
  return address;
}

}  // namespace

bool is_loopback(const std::string& host) {
  return address_of(host).is_loopback();
}

HttpServer::Core::Core(const HttpOptions& given, Handler to_handle, OnAnswered to_tell)
    : options(given),
      handler(std::move(to_handle)),
      on_answered(std::move(to_tell)),
      pool(static_cast<size_t>(given.threads)) {
  const tcp::endpoint endpoint(address_of(options.host), static_cast<uint16_t>(options.port));
  try {
    acceptor.open(endpoint.protocol());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    acceptor.bind(endpoint);
    acceptor.listen();
  } catch (const boost::system::system_error& error) {
    throw UserError("could not listen on {} port {} ({}); choose another --host or --port", options.host,
                    options.port, error.code().message());
  }
}

void HttpServer::Core::accept() {
  if (accepting || draining) return;
  if (static_cast<int64_t>(connections.size()) >= options.connections) return close_idle();
  accepting = true;
  acceptor.async_accept([this](boost::system::error_code error, tcp::socket socket) {
    accepting = false;
    if (draining || error == asio::error::operation_aborted) return;
    if (error) {
      // No descriptors are left, say; others will be closed.
      accept_pause.expires_after(std::chrono::milliseconds(100));
      accept_pause.async_wait([this](boost::system::error_code) { accept(); });
      return close_idle();
    }
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    auto connection = std::make_shared<Connection>(*this, std::move(socket));
    connections.insert(connection.get());
    ++open;
    connection->start();
    accept();
  });
}

void HttpServer::Core::close_idle() {
  const std::vector<Connection*> all(connections.begin(), connections.end());
  for (Connection* connection : all) {
    if (connection->idle()) connection->close();
  }
}

void HttpServer::Core::leave(Connection& connection) {
  connections.erase(&connection);
  --open;
  if (draining && connections.empty()) {
    signals.cancel();
    drain_timer.cancel();
  }
  accept();
}

void HttpServer::Core::lose_all() {
  const std::vector<Connection*> all(connections.begin(), connections.end());
  for (Connection* connection : all) connection->lose(Lost::Shutdown);
  drain_timer.expires_after(kLastSeconds);
  drain_timer.async_wait([this](boost::system::error_code error) {
    if (error) return;
    const std::vector<Connection*> left(connections.begin(), connections.end());
    for (Connection* connection : left) connection->close();
  });
}

void HttpServer::Core::drain() {
  if (draining) return lose_all();
  draining = true;
  boost::system::error_code ignored;
  acceptor.close(ignored);
  accept_pause.cancel();
  close_idle();
  if (connections.empty()) return signals.cancel(ignored), void();
  drain_timer.expires_after(std::chrono::milliseconds(static_cast<int64_t>(options.drain_seconds * 1e3)));
  drain_timer.async_wait([this](boost::system::error_code error) {
    if (!error) lose_all();
  });
}

HttpServer::HttpServer(const HttpOptions& options, Handler handler, OnAnswered on_answered)
    : core_(std::make_unique<Core>(options, std::move(handler), std::move(on_answered))) {}

HttpServer::~HttpServer() {
  core_->pool.join();
  // What was posted after the last connection ended keeps connections alive until it has run.
  core_->io.restart();
  core_->io.poll();
}

int HttpServer::port() const {
  return core_->acceptor.local_endpoint().port();
}

int64_t HttpServer::open_connections() const {
  return core_->open;
}

void HttpServer::run() {
  core_->signals.add(SIGTERM);
  core_->signals.add(SIGINT);
  const std::function<void()> wait = [this, &wait] {
    core_->signals.async_wait([this, &wait](boost::system::error_code error, int) {
      if (error) return;
      core_->drain();
      if (!core_->connections.empty()) wait();
    });
  };
  wait();
  core_->accept();
  core_->io.run();
}

void HttpServer::stop() {
  asio::post(core_->io, [this] { core_->drain(); });
}

}  // namespace memsizer::serve
