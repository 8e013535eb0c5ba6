// A body from elsewhere, as JSON and as a form: it is read, or refused with one line, and what is refused can
// be answered.
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "fuzz/mutation.h"
#include "serve/completion_body.h"
#include "serve/line_bodies.h"
#include "serve/stop_text.h"

namespace {

using namespace memsizer::serve;

template <typename Read>
void must_read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const HttpError& error) {
    if (error.status() != 400 || std::strchr(error.what(), '\n')) std::abort();
    error_response(error);
    error_response(error, ErrorForm::Text);
  }
}

template <typename Body>
void read_both(std::string_view text) {
  must_read_or_refuse([&] {
    Body body;
    read_body(parse_json(text), Source::Json, body);
  });
  must_read_or_refuse([&] {
    Body body;
    read_body(parse_form(text), Source::Form, body);
  });
}

// Text in pieces is what it is at once, up to the stop.
void check_stops(std::string_view text) {
  const std::string stop(text.substr(0, text.size() % 4 + 1));
  if (stop.empty()) return;
  StopText filter({stop});
  std::string told;
  for (const char c : text.substr(stop.size())) told += filter.push({&c, 1});
  told += filter.finish();
  const std::string_view rest = text.substr(stop.size());
  if (told != rest.substr(0, rest.find(stop))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_both<CompletionBody>(text);
  read_both<TranslateBody>(text);
  read_both<SummarizeBody>(text);
  check_stops(text);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned) {
  return LLVMFuzzerMutate(data, size, max_size);
}
