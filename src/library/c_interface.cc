#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "memsizer/memsizer.h"
#include "memsizer/memsizer.hpp"

struct memsizer_model {
  memsizer::Model model;
};

struct memsizer_results {
  std::vector<memsizer::Result> results;
};

struct memsizer_session {
  memsizer::Session session;
};

namespace {

void write_error(const char* text, char* error, size_t size) {
  if (!error || size == 0) return;
  const size_t length = std::min(std::strlen(text), size - 1);
  std::memcpy(error, text, length);
  error[length] = '\0';
}

// Calls, and turns whatever is thrown into a message and `failed`.
template <typename Value, typename Call>
Value guarded(Value failed, char* error, size_t size, const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    write_error("not enough memory", error, size);
  } catch (const std::exception& thrown) {
    write_error(thrown.what(), error, size);
  } catch (...) {
    write_error("internal error of an unknown kind", error, size);
  }
  return failed;
}

void require(const void* pointer, const char* name) {
  if (!pointer) throw memsizer::Error(std::string(name) + " is NULL");
}

// All fields have this size, so that an older struct ends where a field ends.
constexpr size_t kFieldBytes = 8;
constexpr size_t kMostOptionBytes = 4096;
static_assert(sizeof(memsizer_options) == 18 * kFieldBytes);

void require_size(size_t size) {
  if (size > kFieldBytes && size <= kMostOptionBytes && size % kFieldBytes == 0) return;
  throw memsizer::Error("the options say that their size is " + std::to_string(size) + "; it must be " +
                        std::to_string(sizeof(memsizer_options)) +
                        " or what another version has: fill them in with memsizer_default_options");
}

memsizer_options c_options(const memsizer::GenerationOptions& from) {
  return {.size = sizeof(memsizer_options),
          .sample = from.sample ? 1 : 0,
          .beam = from.beam,
          .n_best = from.n_best,
          .length_penalty = from.length_penalty,
          .temperature = from.temperature,
          .top_k = from.top_k,
          .top_p = from.top_p,
          .repetition_penalty = from.repetition_penalty,
          .seed = from.seed,
          .max_length_ratio = from.max_length_ratio,
          .max_length = from.max_length,
          .min_length = from.min_length,
          .no_repeat_ngram = from.no_repeat_ngram,
          .max_source_tokens = from.max_source_tokens,
          .normalize_scores = from.normalize_scores ? 1 : 0,
          .unk_penalty = from.unk_penalty,
          .shortlist = from.shortlist ? 1 : 0};
}

// The caller's options, and the model's own where the caller knows no such field.
memsizer::GenerationOptions options_of(const memsizer_model* model, const memsizer_options* given) {
  if (!given) throw memsizer::Error("options are NULL; fill them in with memsizer_default_options");
  size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  require_size(size);
  memsizer_options from = c_options(model->model.default_options());
  std::memcpy(&from, given, std::min(size, sizeof from));
  memsizer::GenerationOptions to;
  to.sample = from.sample != 0;
  to.beam = from.beam;
  to.n_best = from.n_best;
  to.length_penalty = from.length_penalty;
  to.temperature = from.temperature;
  to.top_k = from.top_k;
  to.top_p = from.top_p;
  to.repetition_penalty = from.repetition_penalty;
  to.seed = from.seed;
  to.max_length_ratio = from.max_length_ratio;
  to.max_length = from.max_length;
  to.min_length = from.min_length;
  to.no_repeat_ngram = from.no_repeat_ngram;
  to.max_source_tokens = from.max_source_tokens;
  to.normalize_scores = from.normalize_scores != 0;
  to.unk_penalty = from.unk_penalty;
  to.shortlist = from.shortlist != 0;
  return to;
}

const memsizer::Output* output_at(const memsizer_results* results, size_t line, size_t rank) {
  if (!results || line >= results->results.size()) return nullptr;
  const auto& outputs = results->results[line].outputs;
  return rank < outputs.size() ? &outputs[rank] : nullptr;
}

}  // namespace

const char* memsizer_version(void) {
  return MEMSIZER_VERSION;
}

memsizer_model* memsizer_load(const char* path, int threads, int workers, char* error, size_t error_size) {
  return guarded<memsizer_model*>(nullptr, error, error_size, [&] {
    require(path, "path");
    return new memsizer_model{memsizer::Model(path, {.threads = threads, .workers = workers})};
  });
}

void memsizer_free_model(memsizer_model* model) {
  delete model;
}

int64_t memsizer_vocab(const memsizer_model* model) {
  return model ? model->model.vocab() : 0;
}

int memsizer_default_options(const memsizer_model* model, memsizer_options* options, size_t size, char* error,
                             size_t error_size) {
  return guarded(1, error, error_size, [&] {
    require(model, "model");
    require(options, "options");
    require_size(size);
    memsizer_options defaults = c_options(model->model.default_options());
    defaults.size = size;
    // A newer caller's fields that this library does not know are ignored; they are not left to chance.
    std::memset(options, 0, size);
    std::memcpy(options, &defaults, std::min(size, sizeof defaults));
    return 0;
  });
}

memsizer_results* memsizer_generate(const memsizer_model* model, const char* const* lines, size_t count,
                                    const memsizer_options* options, char* error, size_t error_size) {
  return guarded<memsizer_results*>(nullptr, error, error_size, [&] {
    require(model, "model");
    if (count > 0) require(lines, "lines");
    std::vector<std::string> texts;
    for (size_t i = 0; i < count; ++i) {
      require(lines[i], "a line");
      texts.emplace_back(lines[i]);
    }
    return new memsizer_results{model->model.generate(texts, options_of(model, options))};
  });
}

void memsizer_free_results(memsizer_results* results) {
  delete results;
}

size_t memsizer_outputs(const memsizer_results* results, size_t line) {
  return results && line < results->results.size() ? results->results[line].outputs.size() : 0;
}

const char* memsizer_text(const memsizer_results* results, size_t line, size_t rank) {
  const memsizer::Output* output = output_at(results, line, rank);
  return output ? output->text.c_str() : nullptr;
}

double memsizer_score(const memsizer_results* results, size_t line, size_t rank) {
  const memsizer::Output* output = output_at(results, line, rank);
  return output ? output->score : 0.0;
}

int memsizer_stream(const memsizer_model* model, const char* line, const memsizer_options* options,
                    int (*on_text)(const char* piece, size_t bytes, void* data), void* data, char* error,
                    size_t error_size) {
  return guarded(1, error, error_size, [&] {
    require(model, "model");
    require(line, "line");
    require(reinterpret_cast<const void*>(on_text), "on_text");
    model->model.stream(line, options_of(model, options), [&](std::string_view piece) {
      return on_text(piece.data(), piece.size(), data) != 0;
    });
    return 0;
  });
}

memsizer_session* memsizer_start(const memsizer_model* model, const char* source, char* error,
                                 size_t error_size) {
  return guarded<memsizer_session*>(nullptr, error, error_size, [&] {
    require(model, "model");
    return new memsizer_session{model->model.start(source ? source : "")};
  });
}

memsizer_session* memsizer_fork(const memsizer_session* session, char* error, size_t error_size) {
  return guarded<memsizer_session*>(nullptr, error, error_size, [&] {
    require(session, "session");
    return new memsizer_session{session->session};
  });
}

int memsizer_read(memsizer_session* session, const int32_t* tokens, size_t count, char* error,
                  size_t error_size) {
  return guarded(1, error, error_size, [&] {
    require(session, "session");
    if (count > 0) require(tokens, "tokens");
    session->session.read(std::span<const int32_t>(tokens, count));
    return 0;
  });
}

size_t memsizer_save(const memsizer_session* session, void* bytes, size_t room, char* error,
                     size_t error_size) {
  return guarded(size_t{0}, error, error_size, [&] {
    require(session, "session");
    const std::vector<std::byte> saved = session->session.save();
    if (bytes && room >= saved.size()) std::memcpy(bytes, saved.data(), saved.size());
    return saved.size();
  });
}

memsizer_session* memsizer_load_session(const memsizer_model* model, const void* bytes, size_t count,
                                        char* error, size_t error_size) {
  return guarded<memsizer_session*>(nullptr, error, error_size, [&] {
    require(model, "model");
    require(bytes, "bytes");
    return new memsizer_session{
        model->model.load_session(std::span(static_cast<const std::byte*>(bytes), count))};
  });
}

const float* memsizer_scores(const memsizer_session* session) {
  return session && !session->session.scores().empty() ? session->session.scores().data() : nullptr;
}

size_t memsizer_state_bytes(const memsizer_session* session) {
  return session ? session->session.state_bytes() : 0;
}

void memsizer_free_session(memsizer_session* session) {
  delete session;
}
