#include "serve/lines.h"

#include <algorithm>

#include "serve/event_stream.h"
#include "serve/line_bodies.h"
#include "serve/running_texts.h"
#include "text/white_space.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;

// One request for lines of text, while they run.
struct Lines {
  ServedModel& model;
  std::shared_ptr<Exchange> exchange;
  ErrorForm errors;
  std::vector<size_t> first = {};  // line of each text
  size_t count = 0;                // of lines
  bool stream = false;
  EventStream events = {};
  // Makes the answer from the texts and their alternatives.
  std::function<json(const std::vector<std::string>& texts,
                     const std::vector<std::vector<std::string>>& others)>
      answer = nullptr;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else if (c != '\r') {
      lines.back() += c;
    }
  }
  return lines;
}

GenerationOptions options_of(const ServedModel& model, const LineOptions& asked, int64_t n_best) {
  GenerationOptions options = engine::default_options(model.text().description());
  if (asked.beam) {
    if (*asked.beam > model.widest_beam()) {
      throw HttpError(
          400, fmt::format("'beam' is {}; this server allows {}", *asked.beam, model.widest_beam()), "beam");
    }
    options.beam = *asked.beam;
  }
  options.beam = std::max(options.beam, n_best);
  options.n_best = n_best;
  if (asked.max_tokens) {
    if (*asked.max_tokens > model.limits().max_tokens) {
      throw HttpError(400,
                      fmt::format("'max_tokens' is {}; this server allows {}", *asked.max_tokens,
                                  model.limits().max_tokens),
                      "max_tokens");
    }
    options.max_length = *asked.max_tokens;
    options.max_length_ratio = 0.0;
  }
  if (asked.stream) {
    if (asked.beam && *asked.beam > 1)
      throw HttpError(400, "a search is certain of its text at the end only; leave out 'beam' or 'stream'",
                      "beam");
    // What is certain of a search is known at its end: a stream takes the likeliest token each time.
    options.sample = true;
    options.top_k = 1;
    options.top_p = 1.0;
    options.temperature = 1.0;
    options.n_best = 1;
  }
  return options;
}

json notes_of(const Lines& lines, const std::vector<RunningTexts::Done>& done, const RunningTexts& texts) {
  int64_t read = 0;
  int64_t generated = 0;
  for (const RunningTexts::Done& one : done) {
    read += one.result.tokens_read;
    if (!one.result.outputs.empty()) generated += std::ssize(one.result.outputs.front().tokens);
  }
  return {{"model", lines.model.name()},
          {"prompt_tokens", read},
          {"completion_tokens", generated},
          {"first_text_ms", texts.first_text_seconds() * 1e3}};
}

// What a line's state takes at the end, and what a cache of keys and values would: of the longest line.
json measured(const Lines& lines, const std::vector<RunningTexts::Done>& done, const RunningTexts& texts) {
  json result = notes_of(lines, done, texts);
  int64_t state = 0;
  int64_t cache = 0;
  for (const RunningTexts::Done& one : done) {
    if (one.result.outputs.empty()) continue;
    const int64_t tokens = std::ssize(one.result.outputs.front().tokens);
    state = std::max(state, lines.model.state_bytes(tokens, one.result.tokens_read));
    cache = std::max(cache, lines.model.cache_size().at(tokens, one.result.tokens_read));
  }
  result["state_bytes"] = state;
  result["cache_bytes"] = cache;
  result["ms"] = texts.seconds() * 1e3;
  result["truncated"] = std::ranges::any_of(
      done, [](const RunningTexts::Done& one) { return one.result.tokens_read < one.result.source_tokens; });
  return result;
}

// The texts again, of their lines.
std::vector<std::string> joined(const Lines& lines, const std::vector<RunningTexts::Done>& done,
                                size_t output) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < lines.first.size(); ++i) {
    const size_t end = i + 1 < lines.first.size() ? lines.first[i + 1] : lines.count;
    std::string text;
    for (size_t line = lines.first[i]; line < end; ++line) {
      if (line > lines.first[i]) text += '\n';
      const auto& outputs = done[line].result.outputs;
      if (!outputs.empty()) text += outputs[std::min(output, outputs.size() - 1)].text;
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

void finish(const std::shared_ptr<Lines>& lines, RunningTexts& texts) {
  try {
    const std::vector<RunningTexts::Done> done = texts.take();
    if (lines->stream) {
      return lines->events.end(
          *lines->exchange, event({{"done", true}, {"memsizer", measured(*lines, done, texts)}}) + kLastEvent,
          notes_of(*lines, done, texts));
    }
    size_t most = 1;
    for (const RunningTexts::Done& one : done) most = std::max(most, one.result.outputs.size());
    std::vector<std::vector<std::string>> others(lines->first.size());
    for (size_t output = 1; output < most; ++output) {
      const std::vector<std::string> all = joined(*lines, done, output);
      for (size_t i = 0; i < all.size(); ++i) others[i].push_back(all[i]);
    }
    json answer = lines->answer(joined(*lines, done, 0), others);
    answer["memsizer"] = measured(*lines, done, texts);
    HttpResponse response;
    response.body = dump_json(answer);
    response.notes = notes_of(*lines, done, texts);
    lines->exchange->respond(std::move(response));
  } catch (...) {
    lines->events.fail(*lines->exchange, as_http_error(std::current_exception()), lines->errors);
  }
}

void run(Context& context, const std::shared_ptr<Lines>& lines, const Texts& texts, const LineOptions& asked,
         int64_t n_best, bool split) {
  const GenerationOptions options = options_of(lines->model, asked, n_best);
  std::vector<engine::Request> requests;
  for (const std::string& text : texts.items) {
    lines->first.push_back(requests.size());
    // A document is one source: its line ends are white space.
    for (std::string& line : split ? lines_of(text) : std::vector<std::string>{text::on_one_line(text)}) {
      engine::Request& request = requests.emplace_back();
      request.input = std::move(line);
      request.options = options;
      request.stream = requests.size() - 1;
    }
  }
  lines->count = requests.size();
  lines->stream = asked.stream;
  if (requests.empty()) throw HttpError(400, "the list has no text; send one at least");
  RunningTexts::Callbacks callbacks;
  if (asked.stream) {
    callbacks.on_pieces = [lines](const std::vector<RunningTexts::Piece>& pieces) {
      std::string events;
      for (const RunningTexts::Piece& piece : pieces)
        events += event({{"line", piece.text}, {"text", piece.piece}});
      lines->events.send(*lines->exchange, std::move(events));
    };
  }
  callbacks.on_done = [lines](RunningTexts& running) { finish(lines, running); };
  RunningTexts::start(lines->model, context.metrics, lines->exchange, std::move(requests), {},
                      context.deadline_of(asked.timeout), std::move(callbacks));
}

void translate(Context& context, Call& call, TranslateBody& body) {
  if (context.keys.needed() && call.owner.empty()) {
    if (!context.keys.owner_of(body.api_key))
      throw HttpError(401, "this server needs a key; send 'Authorization: Bearer KEY', or a field api_key");
  }
  if (body.format != "text")
    throw HttpError(400, "'format' must be \"text\"; take the markup out first", "format");
  if (body.model.empty() && body.target.empty())
    throw HttpError(400, "'target' is missing: give a language code, or a model", "target");
  ServedModel& model = body.model.empty() ? context.models.translator(body.source, body.target)
                                          : context.models.find(body.model, Task::Translation);
  const auto lines = std::make_shared<Lines>(Lines{model, call.exchange, call.errors});
  lines->answer = [list = body.q.list, alternatives = body.alternatives > 0](
                      const std::vector<std::string>& texts,
                      const std::vector<std::vector<std::string>>& others) {
    json answer;
    answer["translatedText"] = list ? json(texts) : json(texts.front());
    if (alternatives) answer["alternatives"] = list ? json(others) : json(others.front());
    return answer;
  };
  run(context, lines, body.q, body, 1 + body.alternatives, true);
}

void summarize(Context& context, Call& call, SummarizeBody& body) {
  ServedModel& model = context.models.find(body.model, Task::Summarization);
  const auto lines = std::make_shared<Lines>(Lines{model, call.exchange, call.errors});
  lines->answer = [list = body.text.list](const std::vector<std::string>& texts,
                                          const std::vector<std::vector<std::string>>&) {
    return json{{"summary", list ? json(texts) : json(texts.front())}};
  };
  run(context, lines, body.text, body, 1, false);
}

json language_list(const Context& context) {
  json languages = json::array();
  const auto entry = [&](const std::string& code) -> json& {
    for (json& language : languages) {
      if (language["code"] == code) return language;
    }
    languages.push_back({{"code", code}, {"name", code}, {"targets", json::array()}});
    return languages.back();
  };
  for (const auto& model : context.models.all()) {
    if (!model->languages()) continue;
    json& targets = entry(model->languages()->source)["targets"];
    const json target = model->languages()->target;
    if (std::ranges::find(targets, target) == targets.end()) targets.push_back(target);
  }
  return languages;
}

json text_or_list() {
  const json text = {{"type", "string"}};
  return {{"oneOf", json::array({text, {{"type", "array"}, {"items", text}}})}};
}

}  // namespace

void add_line_routes(RouteTable& routes, Context& context) {
  Route route;
  route.method = "POST";
  route.path = "/translate";
  route.summary = "Translates texts, one sentence per line";
  route.access = Access::KeyInBody;
  route.errors = ErrorForm::Text;
  route.form = true;
  route.response = {{"type", "object"},
                    {"required", {"translatedText"}},
                    {"properties",
                     {{"translatedText", text_or_list()},
                      {"alternatives", {{"type", "array"}, {"items", json::object()}}},
                      {"memsizer", {{"type", "object"}}}}}};
  routes.add<TranslateBody>(route,
                            [&context](Call& call, TranslateBody& body) { translate(context, call, body); });

  Route summary;
  summary.method = "POST";
  summary.path = "/summarize";
  summary.summary = "Summarises documents";
  summary.response = {{"type", "object"},
                      {"required", {"summary"}},
                      {"properties", {{"summary", text_or_list()}, {"memsizer", {{"type", "object"}}}}}};
  routes.add<SummarizeBody>(summary,
                            [&context](Call& call, SummarizeBody& body) { summarize(context, call, body); });

  Route languages;
  languages.method = "GET";
  languages.path = "/languages";
  languages.summary = "The languages that can be translated, of models with names such as en-de";
  languages.access = Access::Open;
  languages.errors = ErrorForm::Text;
  const json text = {{"type", "string"}};
  languages.response = {
      {"type", "array"},
      {"items",
       {{"type", "object"},
        {"required", {"code", "name", "targets"}},
        {"properties",
         {{"code", text}, {"name", text}, {"targets", {{"type", "array"}, {"items", text}}}}}}}};
  languages.handle = [&context](Call& call) {
    HttpResponse response;
    response.body = dump_json(language_list(context));
    call.exchange->respond(std::move(response));
  };
  routes.add(std::move(languages));
}

}  // namespace memsizer::serve
