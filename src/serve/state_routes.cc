#include "serve/state_routes.h"

#include "engine/prompt_text.h"
#include "serve/running_texts.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;

struct CreateBody {
  std::string model;
  std::string text;
  std::optional<double> timeout;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("model", self.model, "a language model of /v1/models; the first one if not given");
    visit("text", self.text, "text of any length to read", kRequired);
    visit("timeout", self.timeout, "seconds that it may take; the server's own limit if that is less",
          Limits{.low = 0.001, .high = 86400});
  }
};

struct ReadBody {
  std::string text;
  std::optional<double> timeout;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("text", self.text, "text to read after what the state has read", kRequired);
    visit("timeout", self.timeout, "seconds that it may take; the server's own limit if that is less",
          Limits{.low = 0.001, .high = 86400});
  }
};

struct MarkBody {
  std::string name;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("name", self.name, "of the mark; one of that name is replaced", kRequired);
  }
};

struct RollBackBody {
  std::string mark;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("mark", self.mark, "the mark to go back to", kRequired);
  }
};

json as_json(const StateStore::Info& info) {
  return {{"id", info.id},
          {"object", "state"},
          {"model", info.model},
          {"tokens", info.tokens},
          {"bytes", info.bytes},
          {"marks", info.marks},
          {"idle_seconds", info.idle_seconds}};
}

json state_schema() {
  const json text = {{"type", "string"}};
  const json integer = {{"type", "integer"}};
  return {{"type", "object"},
          {"required", {"id", "object", "model", "tokens", "bytes", "marks"}},
          {"properties",
           {{"id", text},
            {"object", text},
            {"model", text},
            {"tokens", integer},
            {"bytes", integer},
            {"marks", {{"type", "array"}, {"items", text}}},
            {"idle_seconds", {{"type", "number"}}}}}};
}

void respond(const std::shared_ptr<Exchange>& exchange, const json& body) {
  HttpResponse response;
  response.body = dump_json(body);
  exchange->respond(std::move(response));
}

// Reads a text in the model's batch, a piece at a time beside what others generate.
void read_text(Context& context, Call& call, ServedModel& model, engine::Request request,
               const std::optional<double>& timeout,
               std::function<StateStore::Info(engine::SavedState state)> keep) {
  request.read_only = true;
  request.options = engine::default_options(model.text().description());
  RunningTexts::start(model, context.metrics, call.exchange, {std::move(request)}, {},
                      context.deadline_of(timeout),
                      {nullptr, [exchange = call.exchange, keep = std::move(keep)](RunningTexts& texts) {
                         try {
                           auto done = texts.take();
                           respond(exchange, as_json(keep(std::move(*done.front().result.state))));
                         } catch (...) {
                           exchange->respond(error_response(as_http_error(std::current_exception())));
                         }
                       }});
}

void create(Context& context, Call& call, const CreateBody& body) {
  ServedModel& model = context.models.find(body.model, Task::LanguageModel);
  engine::Request request;
  request.input = engine::prompt_tokens(model.text(), body.text);
  read_text(context, call, model, std::move(request), body.timeout,
            [&context, &model, owner = call.owner](engine::SavedState state) {
              return context.states.create(owner, model, std::move(state));
            });
}

void read_more(Context& context, Call& call, const ReadBody& body) {
  const std::string id = call.parameters["id"];
  ServedModel& model = context.models.find(context.states.model_of(call.owner, id), Task::LanguageModel);
  engine::SavedState from = *context.states.find(call.owner, id, model.name());
  const std::vector<int32_t> tokens = engine::prompt_tokens(model.text(), body.text);
  from.tokens.insert(from.tokens.end(), tokens.begin(), tokens.end());
  engine::Request request;
  request.input = std::move(from);
  read_text(context, call, model, std::move(request), body.timeout,
            [&context, id, owner = call.owner](engine::SavedState state) {
              context.states.update(owner, id, std::move(state));
              return context.states.info(owner, id);
            });
}

Route route_of(const char* method, const char* path, const char* summary, json response) {
  Route route;
  route.method = method;
  route.path = path;
  route.summary = summary;
  route.response = std::move(response);
  return route;
}

}  // namespace

void add_state_routes(RouteTable& routes, Context& context) {
  routes.add<CreateBody>(route_of("POST", "/v1/states", "Reads a text into a state", state_schema()),
                         [&context](Call& call, CreateBody& body) { create(context, call, body); });
  routes.add<ReadBody>(
      route_of("POST", "/v1/states/{id}/read", "Reads more text into a state", state_schema()),
      [&context](Call& call, ReadBody& body) { read_more(context, call, body); });
  routes.add<MarkBody>(
      route_of("POST", "/v1/states/{id}/marks", "Marks where a state is, to roll back to", state_schema()),
      [&context](Call& call, MarkBody& body) {
        respond(call.exchange, as_json(context.states.mark(call.owner, call.parameters["id"], body.name)));
      });
  routes.add<RollBackBody>(
      route_of("POST", "/v1/states/{id}/rollback", "Puts a state back to a mark", state_schema()),
      [&context](Call& call, RollBackBody& body) {
        respond(call.exchange,
                as_json(context.states.roll_back(call.owner, call.parameters["id"], body.mark)));
      });

  Route fork =
      route_of("POST", "/v1/states/{id}/fork", "A copy of a state, with an id of its own", state_schema());
  fork.handle = [&context](Call& call) {
    respond(call.exchange, as_json(context.states.fork(call.owner, call.parameters["id"])));
  };
  routes.add(std::move(fork));

  Route one = route_of("GET", "/v1/states/{id}", "What a state has read", state_schema());
  one.handle = [&context](Call& call) {
    respond(call.exchange, as_json(context.states.info(call.owner, call.parameters["id"])));
  };
  routes.add(std::move(one));

  Route list = route_of(
      "GET", "/v1/states", "The states of this key",
      {{"type", "object"}, {"properties", {{"data", {{"type", "array"}, {"items", state_schema()}}}}}});
  list.handle = [&context](Call& call) {
    json data = json::array();
    for (const StateStore::Info& info : context.states.list(call.owner)) data.push_back(as_json(info));
    respond(call.exchange, {{"object", "list"}, {"data", data}});
  };
  routes.add(std::move(list));

  Route remove = route_of("DELETE", "/v1/states/{id}", "Deletes a state and its marks", {{"type", "object"}});
  remove.handle = [&context](Call& call) {
    context.states.remove(call.owner, call.parameters["id"]);
    respond(call.exchange, {{"id", call.parameters["id"]}, {"deleted", true}});
  };
  routes.add(std::move(remove));
}

}  // namespace memsizer::serve
