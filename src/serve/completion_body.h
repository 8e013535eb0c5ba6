#pragma once

#include "serve/body.h"

namespace memsizer::serve {

struct StreamOptions {
  bool include_usage = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("include_usage", self.include_usage, "a last event with the numbers of tokens");
  }
};

struct CompletionBody {
  std::string model;
  Prompts prompt;
  int64_t max_tokens = 16;
  int64_t min_tokens = 0;
  double temperature = 1.0;
  double top_p = 1.0;
  int64_t top_k = 0;
  double repetition_penalty = 1.0;
  int64_t no_repeat_ngram = 0;
  int64_t n = 1;
  std::optional<int64_t> best_of;
  bool stream = false;
  std::optional<StreamOptions> stream_options;
  std::optional<int64_t> logprobs;
  bool echo = false;
  std::optional<Texts> stop;
  std::optional<int64_t> seed;
  double presence_penalty = 0.0;
  double frequency_penalty = 0.0;
  std::optional<std::string> suffix;
  std::string user;
  std::string state;
  bool update_state = false;
  std::optional<double> timeout;

  static constexpr size_t kMostPrompts = 64;
  static constexpr int64_t kMostChoices = 16;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("model", self.model, "a language model of /v1/models; the first one if not given");
    visit("prompt", self.prompt, "what the text goes on from", Limits{.most = kMostPrompts});
    visit("max_tokens", self.max_tokens,
          "longest output in tokens; a stream may have more than a whole answer",
          Limits{.low = 1, .high = 1 << 20});
    visit("min_tokens", self.min_tokens, "shortest output in tokens", Limits{.low = 0, .high = 1 << 20});
    visit("temperature", self.temperature, "0 takes the likeliest token", Limits{.low = 0, .high = 2});
    visit("top_p", self.top_p, "draw from the likeliest tokens of this probability together",
          Limits{.low = 0, .high = 1});
    visit("top_k", self.top_k, "draw from this many likeliest tokens; 0 is all",
          Limits{.low = 0, .high = 1 << 20});
    visit("repetition_penalty", self.repetition_penalty,
          "tokens of the text so far become less likely; 1 is off", Limits{.low = 0.01, .high = 100});
    visit("no_repeat_ngram", self.no_repeat_ngram, "no n-gram of this length twice; 0 allows all",
          Limits{.low = 0, .high = 1000});
    visit("n", self.n, "outputs per prompt", Limits{.low = 1, .high = kMostChoices});
    visit("best_of", self.best_of, "must be n: outputs are not chosen among",
          Limits{.low = 1, .high = kMostChoices});
    visit("stream", self.stream, "text as server-sent events, as it comes");
    visit("stream_options", self.stream_options, "of a stream");
    visit("logprobs", self.logprobs, "log-probabilities of the tokens, and of this many likeliest ones",
          Limits{.low = 0, .high = 5});
    visit("echo", self.echo, "the prompt before the output");
    visit("stop", self.stop, "texts that end the output and are not part of it", Limits{.most = 4});
    visit("seed", self.seed, "of the random numbers; the same seed gives the same output",
          Limits{.low = 0, .high = 9007199254740991.0});
    visit("presence_penalty", self.presence_penalty, "must be 0; use repetition_penalty",
          Limits{.low = 0, .high = 0});
    visit("frequency_penalty", self.frequency_penalty, "must be 0; use repetition_penalty",
          Limits{.low = 0, .high = 0});
    visit("suffix", self.suffix, "must not be given: text is not inserted");
    visit("user", self.user, "not used");
    visit("state", self.state, "the id of a state to go on from (/v1/states)");
    visit("update_state", self.update_state, "the state then includes the prompt and the output");
    visit("timeout", self.timeout, "seconds that it may take; the server's own limit if that is less",
          Limits{.low = 0.001, .high = 86400});
  }
};

}  // namespace memsizer::serve
