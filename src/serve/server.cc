#include "serve/server.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "bench/process_memory.h"
#include "core/error.h"
#include "serve/access_log.h"
#include "serve/completions.h"
#include "serve/lines.h"
#include "serve/page.h"
#include "serve/state_routes.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;

// Descriptors beside the connections: files, the log, the listener.
constexpr int64_t kOtherFiles = 64;

// Connections are descriptors: takes as many as the system lets it have.
HttpOptions with_descriptors(HttpOptions options) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return options;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY)
    options.connections = std::max<int64_t>(
        1, std::min(options.connections, static_cast<int64_t>(limit.rlim_cur) - kOtherFiles));
  return options;
}

const ServeOptions& checked(const ServeOptions& options) {
  options.validate();
  // Answers are made by some threads and freed by others. With an arena per thread, what is freed in one
  // could not be used by another, and memory would grow with the number of threads.
  ::mallopt(M_ARENA_MAX, 2);
  std::signal(SIGPIPE, SIG_IGN);
  return options;
}

json state_json(const StateSize& size) {
  return {{"constant_bytes", size.constant_bytes},
          {"bytes_per_target_token", size.bytes_per_target_token},
          {"bytes_per_source_token", size.bytes_per_source_token}};
}

json model_json(const ServedModel& model, int64_t created) {
  json result = {{"id", model.name()},
                 {"object", "model"},
                 {"created", created},
                 {"owned_by", "memsizer"},
                 {"task", task_name(model.task())},
                 {"state", state_json(model.state_size())},
                 {"key_value_cache", state_json(model.cache_size())}};
  if (model.languages())
    result["languages"] = {{"source", model.languages()->source}, {"target", model.languages()->target}};
  return result;
}

std::string key_of(const HttpRequest& request) {
  const std::string header = request.header("authorization");
  constexpr std::string_view kBearer = "Bearer ";
  if (header.starts_with(kBearer)) return header.substr(kBearer.size());
  return request.header("x-api-key");
}

}  // namespace

struct Server::Parts {
  explicit Parts(const ServeOptions& given)
      : options(checked(given)),
        keys(options.api_key_file.empty() ? ApiKeys() : ApiKeys::read(options.api_key_file)),
        log(options.access_log),
        models(options.models, options.limits),
        states(options.states, models, warnings),
        context{models, metrics, states, keys, options.deadline_seconds},
        http(
            with_descriptors(options.http),
            [this](const std::shared_ptr<Exchange>& exchange) { handle(exchange); },
            [this](const HttpRequest& request, const Answered& answered) { note(request, answered); }),
        plan(memory_plan(bench::resident_bytes(), models, options.http, options.states)) {
    add_routes();
    add_gauges();
  }

  void handle(const std::shared_ptr<Exchange>& exchange);
  void authorize(const Route& route, Call& call) const;
  void note(const HttpRequest& request, const Answered& answered);
  void add_routes();
  void add_gauges();
  void add_json(const char* path, const char* summary, Access access, json schema,
                std::function<json()> body);

  ServeOptions options;
  ApiKeys keys;
  AccessLog log;
  Metrics metrics;
  ServedModels models;
  std::vector<std::string> warnings;
  StateStore states;
  Context context;
  RouteTable routes;
  HttpServer http;
  MemoryPlan plan;
  const int64_t started =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
};

void Server::Parts::authorize(const Route& route, Call& call) const {
  if (!keys.needed()) {
    call.owner = kDefaultOwner;
    return;
  }
  if (const auto owner = keys.owner_of(key_of(call.request()))) {
    call.owner = *owner;
  } else if (route.access == Access::Key) {
    throw HttpError(401, "this server needs a key; send 'Authorization: Bearer KEY'");
  }
}

void Server::Parts::handle(const std::shared_ptr<Exchange>& exchange) {
  Call call;
  call.exchange = exchange;
  try {
    RouteTable::Match match = routes.find(exchange->request().method, exchange->request().path);
    call.parameters = std::move(match.parameters);
    call.errors = match.route->errors;
    authorize(*match.route, call);
    match.route->handle(call);
  } catch (...) {
    exchange->respond(error_response(as_http_error(std::current_exception()), call.errors));
  }
}

void Server::Parts::note(const HttpRequest& request, const Answered& answered) {
  std::string route = "other";
  try {
    route = routes.find(request.method, request.path).route->path;
  } catch (const HttpError&) {
    // Paths that are not served are one route, or anybody could fill the metrics.
  }
  // 499 is what servers call a client that went away.
  metrics.count_request(route, answered.complete ? answered.status : 499, answered.seconds);
  log.write(request, answered);
}

void Server::Parts::add_json(const char* path, const char* summary, Access access, json schema,
                             std::function<json()> body) {
  Route route;
  route.method = "GET";
  route.path = path;
  route.summary = summary;
  route.access = access;
  route.response = std::move(schema);
  route.handle = [body = std::move(body)](Call& call) {
    HttpResponse response;
    response.body = dump_json(body());
    call.exchange->respond(std::move(response));
  };
  routes.add(std::move(route));
}

void Server::Parts::add_routes() {
  const json object = {{"type", "object"}};
  add_page_routes(routes);
  add_json("/health", "Whether the server answers", Access::Open,
           {{"type", "object"}, {"required", {"status"}}, {"properties", {{"status", {{"type", "string"}}}}}},
           [] {
             return json{{"status", "ok"}};
           });
  add_json("/openapi.json", "This description", Access::Open, object,
           [this] { return routes.openapi(options.version); });
  add_json(
      "/v1/models", "The models that are loaded", Access::Key,
      {{"type", "object"},
       {"required", {"object", "data"}},
       {"properties", {{"object", {{"type", "string"}}}, {"data", {{"type", "array"}, {"items", object}}}}}},
      [this] {
        json data = json::array();
        for (const auto& model : models.all()) data.push_back(model_json(*model, started));
        return json{{"object", "list"}, {"data", data}};
      });
  add_completion_routes(routes, context);
  add_line_routes(routes, context);
  add_state_routes(routes, context);
  Route route;
  route.method = "GET";
  route.path = "/metrics";
  route.summary = "What the server counts, as Prometheus reads it";
  route.response_type = "text/plain";
  route.handle = [this](Call& call) {
    HttpResponse response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.body = metrics.text();
    call.exchange->respond(std::move(response));
  };
  routes.add(std::move(route));
}

void Server::Parts::add_gauges() {
  for (const auto& served : models.all()) {
    ServedModel& model = *served;
    const std::string labels = fmt::format("model=\"{}\"", model.name());
    const auto inside = [&model] { return static_cast<double>(model.admission().inside()); };
    const auto slots = static_cast<double>(model.admission().slots());
    metrics.add_gauge({"memsizer_running", "Texts that are computed.", labels,
                       [inside, slots] { return std::min(inside(), slots); }});
    metrics.add_gauge({"memsizer_queued", "Texts that wait for a place in the batch.", labels,
                       [inside, slots] { return std::max(0.0, inside() - slots); }});
    metrics.add_gauge({"memsizer_state_bytes", "State of one text: what does not grow with it.", labels,
                       [&model] { return static_cast<double>(model.state_size().constant_bytes); }});
  }
  metrics.add_gauge({"memsizer_saved_states", "States that are kept.", "",
                     [this] { return static_cast<double>(states.count()); }});
  metrics.add_gauge({"memsizer_saved_state_bytes", "Bytes of states that are kept.", "",
                     [this] { return static_cast<double>(states.bytes()); }});
  metrics.add_gauge({"memsizer_connections", "Open connections.", "",
                     [this] { return static_cast<double>(http.open_connections()); }});
  metrics.add_gauge({"memsizer_resident_bytes", "Memory of the process.", "",
                     [] { return static_cast<double>(bench::resident_bytes()); }});
  metrics.add_gauge({"memsizer_memory_ceiling_bytes", "The most memory that the server can take.", "",
                     [this] { return static_cast<double>(plan.total()); }});
}

Server::Server(const ServeOptions& options) : parts_(std::make_unique<Parts>(options)) {}
Server::~Server() = default;

int Server::port() const {
  return parts_->http.port();
}

const MemoryPlan& Server::plan() const {
  return parts_->plan;
}

std::vector<std::string> Server::introduction() const {
  std::vector<std::string> lines = parts_->warnings;
  for (const auto& model : parts_->models.all()) {
    lines.push_back(fmt::format("{}: {}, {} bytes of state per text{}", model->name(),
                                task_name(model->task()), model->state_size().constant_bytes,
                                model->grows() ? " and more with each token" : " however long it is"));
  }
  lines.push_back(parts_->plan.text());
  const std::string& host = parts_->options.http.host;
  const bool six = host.find(':') != std::string::npos;
  lines.push_back(fmt::format("listening on http://{}:{}", six ? "[" + host + "]" : host, port()));
  return lines;
}

void Server::run() {
  parts_->http.run();
  // Texts that were cancelled end with their next step; nothing may answer them after this.
  for (const auto& model : parts_->models.all()) model->admission().wait_until_empty();
}

void Server::stop() {
  parts_->http.stop();
}

}  // namespace memsizer::serve
