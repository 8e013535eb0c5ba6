#pragma once

#include "serve/body.h"

namespace memsizer::serve {

// What translation and summarization have in common.
struct LineOptions {
  std::string model;
  std::optional<int64_t> beam;
  std::optional<int64_t> max_tokens;
  bool stream = false;
  std::optional<double> timeout;

  template <typename Self, typename Visitor>
  static void visit_all(Self& self, Visitor&& visit) {
    visit("model", self.model, "a model of /v1/models; one for the task if not given");
    visit("beam", self.beam, "hypotheses kept in the search; the model's own if not given",
          Limits{.low = 1, .high = 1000});
    visit("max_tokens", self.max_tokens, "longest output of a line, in tokens",
          Limits{.low = 1, .high = 1 << 20});
    visit("stream", self.stream, "text as server-sent events, as it comes; always the likeliest next token");
    visit("timeout", self.timeout, "seconds that it may take; the server's own limit if that is less",
          Limits{.low = 0.001, .high = 86400});
  }
};

struct TranslateBody : LineOptions {
  Texts q;
  std::string source = "auto";
  std::string target;
  std::string format = "text";
  int64_t alternatives = 0;
  std::string api_key;

  static constexpr size_t kMostTexts = 256;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("q", self.q, "text to translate, one sentence per line, or a list of texts",
          Limits{.required = true, .most = kMostTexts});
    visit("source", self.source, "language code, or auto");
    visit("target", self.target, "language code; may be left out if a model is named");
    visit("format", self.format, "text");
    visit("alternatives", self.alternatives, "other translations to give back", Limits{.low = 0, .high = 7});
    visit("api_key", self.api_key, "a key, if it is not in a header");
    visit_all(self, visit);
  }
};

struct SummarizeBody : LineOptions {
  Texts text;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("text", self.text, "a document, or a list of documents",
          Limits{.required = true, .most = TranslateBody::kMostTexts});
    visit_all(self, visit);
  }
};

}  // namespace memsizer::serve
