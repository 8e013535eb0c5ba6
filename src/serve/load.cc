#include "serve/load.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/clock.h"
#include "core/error.h"

namespace memsizer::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

// A connection to the server.
class Client {
 public:
  explicit Client(const Load& load) : load_(load), socket_(io_) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(load.host, error);
    if (!error) socket_.connect({address, static_cast<uint16_t>(load.port)}, error);
    if (error) {
      throw UserError("could not reach {} port {} ({}); start memsizer serve there first", load.host,
                      load.port, error.message());
    }
  }

  http::response<http::string_body> ask(http::verb method, const std::string& path, const std::string& body) {
    send(method, path, body);
    http::response<http::string_body> response;
    http::read(socket_, buffer_, response);
    return response;
  }

  // Reads a stream until `enough`; what has not come then is lost with the connection.
  void stream(const std::string& path, const std::string& body, const std::atomic<bool>& enough) {
    send(http::verb::post, path, body);
    std::vector<char> bytes(64 << 10);
    while (!enough && socket_.read_some(asio::buffer(bytes)) > 0) {
    }
  }

 private:
  void send(http::verb method, const std::string& path, const std::string& body) {
    http::request<http::string_body> request(method, path, 11);
    request.set(http::field::host, load_.host);
    request.set(http::field::content_type, "application/json");
    if (!load_.key.empty()) request.set(http::field::authorization, "Bearer " + load_.key);
    request.body() = body;
    request.prepare_payload();
    http::write(socket_, request);
  }

  const Load& load_;
  asio::io_context io_{1};
  asio::ip::tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
};

int64_t tokens_of(const std::string& body) {
  const nlohmann::json answer = nlohmann::json::parse(body, nullptr, false);
  if (!answer.is_object()) return 0;
  for (const char* part : {"usage", "memsizer"}) {
    const auto found = answer.find(part);
    if (found != answer.end() && found->contains("completion_tokens"))
      return (*found)["completion_tokens"].get<int64_t>();
  }
  return 0;
}

int64_t metric(const std::string& text, const std::string& name) {
  const size_t at = text.find("\n" + name + " ");
  return at == std::string::npos
             ? 0
             : static_cast<int64_t>(std::strtod(text.c_str() + at + name.size() + 2, nullptr));
}

// What the clients share.
struct Shared {
  const Load& load;
  std::atomic<int64_t> left;
  std::atomic<bool> enough{false};
  std::mutex mutex;
  LoadResult result;
};

void run_client(Shared& shared) {
  LoadResult own;
  std::unique_ptr<Client> client;
  while (shared.left.fetch_sub(1) > 0) {
    try {
      const double started = steady_seconds();
      if (!client) client = std::make_unique<Client>(shared.load);
      const auto response = client->ask(http::verb::post, shared.load.path, shared.load.body);
      if (response.result_int() == 200) {
        ++own.answered;
        own.latencies.push_back(steady_seconds() - started);
        own.tokens += tokens_of(response.body());
      } else {
        ++(response.result_int() == 503 ? own.refused : own.failed);
      }
      if (!response.keep_alive()) client.reset();
    } catch (const std::exception&) {
      ++own.failed;
      client.reset();
    }
  }
  const std::scoped_lock lock(shared.mutex);
  shared.result.answered += own.answered;
  shared.result.refused += own.refused;
  shared.result.failed += own.failed;
  shared.result.tokens += own.tokens;
  shared.result.latencies.insert(shared.result.latencies.end(), own.latencies.begin(), own.latencies.end());
}

void run_endless(Shared& shared) {
  while (!shared.enough) {
    try {
      Client(shared.load).stream(shared.load.endless_path, shared.load.endless_body, shared.enough);
    } catch (const std::exception&) {
      // The stream came to its end: the next one begins.
    }
  }
}

}  // namespace

double LoadResult::percentile(double share) const {
  if (latencies.empty()) return 0.0;
  const auto place = static_cast<size_t>(share * static_cast<double>(latencies.size() - 1) + 0.5);
  return latencies[place];
}

LoadResult run_load(const Load& load) {
  Client first(load);
  Shared shared{load, {load.requests}, {}, {}, {}};
  std::vector<std::thread> endless;
  for (int64_t i = 0; i < load.endless; ++i) endless.emplace_back([&] { run_endless(shared); });
  const double started = steady_seconds();
  std::vector<std::thread> clients;
  for (int64_t i = 0; i < load.clients; ++i) clients.emplace_back([&] { run_client(shared); });
  for (std::thread& client : clients) client.join();
  shared.result.seconds = steady_seconds() - started;
  shared.enough = true;
  for (std::thread& client : endless) client.join();
  std::ranges::sort(shared.result.latencies);
  const std::string metrics = Client(load).ask(http::verb::get, "/metrics", "").body();
  shared.result.resident_bytes = metric(metrics, "memsizer_resident_bytes");
  shared.result.ceiling_bytes = metric(metrics, "memsizer_memory_ceiling_bytes");
  return std::move(shared.result);
}

}  // namespace memsizer::serve
