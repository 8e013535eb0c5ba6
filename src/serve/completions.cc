#include "serve/completions.h"

#include <chrono>

#include "engine/prompt_text.h"
#include "serve/completion_body.h"
#include "serve/event_stream.h"
#include "serve/random_id.h"
#include "serve/running_texts.h"
#include "text/detokenizer.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;

int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// One request for completions, while its texts run.
struct Completion {
  Context& context;
  std::shared_ptr<Exchange> exchange;
  std::string owner;
  CompletionBody body;
  ServedModel& model;
  std::string id = "cmpl-" + random_id();
  int64_t created = unix_seconds();
  std::vector<std::vector<int32_t>> prompts = {};  // tokens, without what a state has read
  std::vector<std::string> echoes = {};            // per prompt; empty: none
  EventStream events = {};
  std::vector<bool> begun = {};  // which choices have sent text

  json base() const {
    return {{"id", id}, {"object", "text_completion"}, {"created", created}, {"model", model.name()}};
  }
};

void check_body(const CompletionBody& body, const ServedModel& model) {
  if (body.prompt.items.empty() && body.state.empty())
    throw HttpError(400, "'prompt' is missing: give a text to go on from, or a state", "prompt");
  if (body.best_of && *body.best_of != body.n)
    throw HttpError(400, "'best_of' differs from 'n'; leave it out", "best_of");
  if (body.suffix && !body.suffix->empty())
    throw HttpError(400, "'suffix' is not supported; leave it out", "suffix");
  if (body.logprobs && body.echo)
    throw HttpError(400, "'logprobs' are of the output alone; leave out 'echo'", "logprobs");
  if (body.top_p == 0.0)
    throw HttpError(400, "'top_p' is 0; it must be above 0, or use temperature 0", "top_p");
  const bool whole = !body.stream || body.logprobs;
  if (whole && body.max_tokens > model.limits().max_tokens) {
    throw HttpError(400,
                    fmt::format("'max_tokens' is {}; a whole answer has at most {}: ask for fewer, or for a "
                                "stream without logprobs",
                                body.max_tokens, model.limits().max_tokens),
                    "max_tokens");
  }
  if (body.min_tokens > body.max_tokens)
    throw HttpError(400, "'min_tokens' is more than 'max_tokens'; lower it", "min_tokens");
  for (const std::string& stop : body.stop ? body.stop->items : std::vector<std::string>()) {
    if (stop.empty() || stop.size() > 256)
      throw HttpError(400, "'stop' has a text of no bytes or more than 256; give shorter ones", "stop");
  }
  const bool one = body.prompt.items.size() <= 1 && body.n == 1;
  if (body.update_state && (body.state.empty() || !one))
    throw HttpError(400, "'update_state' needs a 'state', one prompt and n = 1", "update_state");
}

GenerationOptions options_of(const CompletionBody& body, const engine::TextModel& text) {
  GenerationOptions options = engine::default_options(text.description());
  options.sample = true;
  options.max_length_ratio = 0.0;
  options.max_length = body.max_tokens;
  options.min_length = body.min_tokens;
  options.temperature = body.temperature == 0.0 ? 1.0 : std::max(body.temperature, 1e-3);
  options.top_k = body.temperature == 0.0 ? 1 : body.top_k;
  options.top_p = body.temperature == 0.0 ? 1.0 : body.top_p;
  options.repetition_penalty = body.repetition_penalty;
  options.no_repeat_ngram = body.no_repeat_ngram;
  options.seed = body.seed ? *body.seed : random_number();
  return options;
}

std::vector<engine::Request> requests_of(const Completion& completion) {
  const CompletionBody& body = completion.body;
  const GenerationOptions options = options_of(body, completion.model.text());
  std::shared_ptr<const engine::SavedState> state;
  if (!body.state.empty())
    state = completion.context.states.find(completion.owner, body.state, completion.model.name());
  std::vector<engine::Request> requests;
  for (const std::vector<int32_t>& prompt : completion.prompts) {
    for (int64_t i = 0; i < body.n; ++i) {
      engine::Request& request = requests.emplace_back();
      if (state) {
        engine::SavedState from = *state;
        from.tokens.insert(from.tokens.end(), prompt.begin(), prompt.end());
        request.input = std::move(from);
      } else {
        request.input = prompt;
      }
      request.options = options;
      request.stream = requests.size() - 1;
      request.alternatives = body.logprobs.value_or(0);
      request.keep_text = !body.stream || body.logprobs || body.update_state;
    }
  }
  return requests;
}

const char* finish_reason(const RunningTexts::Done& done) {
  const bool length = !done.stopped && !done.result.outputs.empty() &&
                      done.result.outputs.front().finish == decode::Finish::Length;
  return length ? "length" : "stop";
}

// The tokens that the text has, each with its part of the text.
json logprobs_of(const Completion& completion, const RunningTexts::Done& done) {
  const text::Tokenizer& tokenizer = completion.model.text().tokenizer();
  json tokens = json::array();
  json scores = json::array();
  json best = json::array();
  json offsets = json::array();
  size_t offset = 0;
  const engine::Output& output = done.result.outputs.front();
  text::Detokenizer detokenizer(tokenizer);
  for (size_t i = 0; i < output.tokens.size() && (offset < done.text.size() || !done.stopped); ++i) {
    if (output.tokens[i] == static_cast<int32_t>(kEos)) break;
    const std::string part = detokenizer.push(output.tokens[i]);
    tokens.push_back(part);
    scores.push_back(output.token_scores[i]);
    offsets.push_back(offset);
    offset += part.size();
    json alternatives = json::object();
    if (!output.alternatives.empty()) {
      for (const decode::Alternative& alternative : output.alternatives[i])
        alternatives[tokenizer.piece(alternative.token)] = alternative.score;
    }
    best.push_back(std::move(alternatives));
  }
  return {{"tokens", tokens},
          {"token_logprobs", scores},
          {"top_logprobs", *completion.body.logprobs > 0 ? best : json(nullptr)},
          {"text_offset", offsets}};
}

json choice_of(const Completion& completion, size_t index, const std::string& text,
               const RunningTexts::Done* done) {
  json choice = {{"text", text}, {"index", index}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
  if (!done) return choice;
  choice["finish_reason"] = finish_reason(*done);
  if (completion.body.logprobs) choice["logprobs"] = logprobs_of(completion, *done);
  return choice;
}

struct Usage {
  int64_t prompt = 0;
  int64_t generated = 0;

  json as_json() const {
    return {
        {"prompt_tokens", prompt}, {"completion_tokens", generated}, {"total_tokens", prompt + generated}};
  }
};

Usage usage_of(const Completion& completion, const std::vector<RunningTexts::Done>& done) {
  Usage usage;
  for (const auto& prompt : completion.prompts) usage.prompt += std::ssize(prompt);
  for (const RunningTexts::Done& one : done) {
    for (const engine::Output& output : one.result.outputs)
      usage.generated += output.forgotten + std::ssize(output.tokens);
  }
  return usage;
}

// What our own clients want to know beside OpenAI's form.
json measured(const Completion& completion, const RunningTexts& texts, const Usage& usage) {
  const int64_t tokens = usage.prompt + usage.generated;
  return {{"state_bytes", completion.model.state_bytes(tokens, 0)},
          {"cache_bytes", completion.model.cache_size().at(tokens, 0)},
          {"first_text_ms", texts.first_text_seconds() * 1e3},
          {"ms", texts.seconds() * 1e3}};
}

json notes_of(const Completion& completion, const RunningTexts& texts, const Usage& usage) {
  return {{"model", completion.model.name()},
          {"prompt_tokens", usage.prompt},
          {"completion_tokens", usage.generated},
          {"first_text_ms", texts.first_text_seconds() * 1e3}};
}

// A state that has read the output too. Reading it is a request of its own.
void update_state(const std::shared_ptr<Completion>& completion, const RunningTexts::Done& done,
                  std::function<void(std::exception_ptr)> then) {
  const auto state =
      completion->context.states.find(completion->owner, completion->body.state, completion->model.name());
  engine::Request request;
  engine::SavedState from = *state;
  from.tokens.insert(from.tokens.end(), completion->prompts.front().begin(),
                     completion->prompts.front().end());
  for (const int32_t token : done.result.outputs.front().tokens) {
    if (token != static_cast<int32_t>(kEos)) from.tokens.push_back(token);
  }
  request.input = std::move(from);
  request.options = options_of(completion->body, completion->model.text());
  request.read_only = true;
  RunningTexts::start(completion->model, completion->context.metrics, completion->exchange,
                      {std::move(request)}, {}, completion->context.deadline,
                      {nullptr, [completion, then = std::move(then)](RunningTexts& texts) {
                         std::exception_ptr error;
                         try {
                           auto read = texts.take();
                           completion->context.states.update(completion->owner, completion->body.state,
                                                             std::move(*read.front().result.state));
                         } catch (...) {
                           error = std::current_exception();
                         }
                         then(error);
                       }});
}

void answer_whole(const std::shared_ptr<Completion>& completion, const std::vector<RunningTexts::Done>& done,
                  const RunningTexts& texts) {
  json choices = json::array();
  for (size_t i = 0; i < done.size(); ++i) {
    const size_t prompt = i / static_cast<size_t>(completion->body.n);
    const std::string echo = completion->body.echo ? completion->echoes[prompt] : "";
    choices.push_back(choice_of(*completion, i, echo + done[i].text, &done[i]));
  }
  const Usage usage = usage_of(*completion, done);
  json answer = completion->base();
  answer["choices"] = choices;
  answer["usage"] = usage.as_json();
  answer["memsizer"] = measured(*completion, texts, usage);
  HttpResponse response;
  response.body = dump_json(answer);
  response.notes = notes_of(*completion, texts, usage);
  completion->exchange->respond(std::move(response));
}

void stream_pieces(const std::shared_ptr<Completion>& completion,
                   const std::vector<RunningTexts::Piece>& pieces) {
  std::string events;
  for (const RunningTexts::Piece& piece : pieces) {
    std::string text = piece.piece;
    if (completion->body.echo && !completion->begun[piece.text])
      text = completion->echoes[piece.text / static_cast<size_t>(completion->body.n)] + text;
    completion->begun[piece.text] = true;
    json chunk = completion->base();
    chunk["choices"] = json::array({choice_of(*completion, piece.text, text, nullptr)});
    events += event(chunk);
  }
  completion->events.send(*completion->exchange, std::move(events));
}

void end_stream(const std::shared_ptr<Completion>& completion, const std::vector<RunningTexts::Done>& done,
                const RunningTexts& texts) {
  const Usage usage = usage_of(*completion, done);
  std::string events;
  for (size_t i = 0; i < done.size(); ++i) {
    json chunk = completion->base();
    const bool echo = completion->body.echo && !completion->begun[i];
    const std::string text = echo ? completion->echoes[i / static_cast<size_t>(completion->body.n)] : "";
    chunk["choices"] = json::array({choice_of(*completion, i, text, &done[i])});
    if (i + 1 == done.size()) chunk["memsizer"] = measured(*completion, texts, usage);
    events += event(chunk);
  }
  if (completion->body.stream_options && completion->body.stream_options->include_usage) {
    json chunk = completion->base();
    chunk["choices"] = json::array();
    chunk["usage"] = usage.as_json();
    events += event(chunk);
  }
  completion->events.end(*completion->exchange, events + kLastEvent, notes_of(*completion, texts, usage));
}

void answer_error(const std::shared_ptr<Completion>& completion, const std::exception_ptr& error) {
  completion->events.fail(*completion->exchange, as_http_error(error), ErrorForm::Object);
}

void answer(const std::shared_ptr<Completion>& completion, RunningTexts& texts) {
  try {
    auto done = std::make_shared<std::vector<RunningTexts::Done>>(texts.take());
    const auto finish = [completion, done, self = texts.shared_from_this()](const std::exception_ptr& error) {
      if (error) return answer_error(completion, error);
      completion->body.stream ? end_stream(completion, *done, *self) : answer_whole(completion, *done, *self);
    };
    completion->body.update_state ? update_state(completion, done->front(), finish) : finish(nullptr);
  } catch (...) {
    answer_error(completion, std::current_exception());
  }
}

void complete(Context& context, Call& call, CompletionBody& body) {
  if (body.model.empty() && !body.state.empty()) body.model = context.states.model_of(call.owner, body.state);
  ServedModel& model = context.models.find(body.model, Task::LanguageModel);
  check_body(body, model);
  const auto completion =
      std::make_shared<Completion>(Completion{context, call.exchange, call.owner, std::move(body), model});
  if (completion->body.prompt.items.empty()) completion->body.prompt.items.emplace_back(std::string());
  for (const Prompts::One& prompt : completion->body.prompt.items) {
    const auto* text = std::get_if<std::string>(&prompt);
    completion->prompts.push_back(text ? engine::prompt_tokens(model.text(), *text)
                                       : std::get<std::vector<int32_t>>(prompt));
    if (completion->body.echo)
      completion->echoes.push_back(text ? *text : model.text().decode(completion->prompts.back()));
  }
  std::vector<engine::Request> requests = requests_of(*completion);
  completion->begun.resize(requests.size());
  RunningTexts::Callbacks callbacks;
  if (completion->body.stream) {
    callbacks.on_pieces = [completion](const std::vector<RunningTexts::Piece>& pieces) {
      stream_pieces(completion, pieces);
    };
  }
  callbacks.on_done = [completion](RunningTexts& texts) { answer(completion, texts); };
  const std::vector<std::string> stops =
      completion->body.stop ? completion->body.stop->items : std::vector<std::string>();
  RunningTexts::start(model, context.metrics, call.exchange, std::move(requests), stops,
                      context.deadline_of(completion->body.timeout), std::move(callbacks));
}

json completion_schema() {
  const json integer = {{"type", "integer"}};
  const json text = {{"type", "string"}};
  const json choice = {
      {"type", "object"},
      {"required", {"text", "index", "logprobs", "finish_reason"}},
      {"properties",
       {{"text", text},
        {"index", integer},
        {"logprobs", {{"type", "object"}, {"nullable", true}}},
        {"finish_reason", {{"type", "string"}, {"nullable", true}, {"enum", {"stop", "length", nullptr}}}}}}};
  const json usage = {
      {"type", "object"},
      {"properties",
       {{"prompt_tokens", integer}, {"completion_tokens", integer}, {"total_tokens", integer}}}};
  return {{"type", "object"},
          {"required", {"id", "object", "created", "model", "choices"}},
          {"properties",
           {{"id", text},
            {"object", text},
            {"created", integer},
            {"model", text},
            {"choices", {{"type", "array"}, {"items", choice}}},
            {"usage", usage},
            {"memsizer", {{"type", "object"}}}}}};
}

}  // namespace

void add_completion_routes(RouteTable& routes, Context& context) {
  Route route;
  route.method = "POST";
  route.path = "/v1/completions";
  route.summary = "Goes on from prompts with a language model, whole or as server-sent events";
  route.response = completion_schema();
  routes.add<CompletionBody>(std::move(route),
                             [&context](Call& call, CompletionBody& body) { complete(context, call, body); });
}

}  // namespace memsizer::serve
