/* MemSizer for C, and for every language that can call C.
 *
 *   #include <memsizer/memsizer.h>
 *   #include <stdio.h>
 *
 *   int main(void) {
 *     char error[256];
 *     memsizer_model* model = memsizer_load("model.safetensors", 0, 1, error, sizeof error);
 *     if (!model) return fprintf(stderr, "%s\n", error), 2;
 *     memsizer_options options;
 *     memsizer_default_options(model, &options, sizeof options, NULL, 0);
 *     const char* lines[] = {"A man rides a horse.", "Two dogs."};
 *     memsizer_results* results = memsizer_generate(model, lines, 2, &options, error, sizeof error);
 *     if (!results) return fprintf(stderr, "%s\n", error), 2;
 *     for (size_t i = 0; i < 2; ++i) printf("%s\n", memsizer_text(results, i, 0));
 *     memsizer_free_results(results);
 *     memsizer_free_model(model);
 *   }
 *
 * Functions that can fail write one line to `error` (truncated to its size, always ended; may be NULL) and
 * return NULL or a number other than 0. No exception leaves the library. A model can be used by several
 * threads at once; a session by one, and forks of it by others at the same time. All text is UTF-8.
 */
#ifndef MEMSIZER_MEMSIZER_H
#define MEMSIZER_MEMSIZER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MEMSIZER_C_API __attribute__((visibility("default")))
#else
#define MEMSIZER_C_API
#endif

typedef struct memsizer_model memsizer_model;
typedef struct memsizer_results memsizer_results;
typedef struct memsizer_session memsizer_session;

/* How text is generated; generation_options.hpp says what each is. memsizer_default_options fills it in. It
 * may grow at its end: `size` says what the caller knows of it, fields beyond have their defaults. */
typedef struct memsizer_options {
  size_t size;
  int64_t sample; /* 0 or 1 */
  int64_t beam;
  int64_t n_best;
  double length_penalty;
  double temperature;
  int64_t top_k;
  double top_p;
  double repetition_penalty;
  int64_t seed;
  double max_length_ratio;
  int64_t max_length;
  int64_t min_length;
  int64_t no_repeat_ngram;
  int64_t max_source_tokens;
  int64_t normalize_scores; /* 0 or 1 */
  double unk_penalty;
  int64_t shortlist; /* 0 or 1 */
} memsizer_options;

MEMSIZER_C_API const char* memsizer_version(void);

/* threads 0: the physical cores, shared among the workers. */
MEMSIZER_C_API memsizer_model* memsizer_load(const char* path, int threads, int workers, char* error,
                                             size_t error_size);
MEMSIZER_C_API void memsizer_free_model(memsizer_model* model);
MEMSIZER_C_API int64_t memsizer_vocab(const memsizer_model* model);
/* The model's own options; `size` is that of the struct: sizeof *options. */
MEMSIZER_C_API int memsizer_default_options(const memsizer_model* model, memsizer_options* options,
                                            size_t size, char* error, size_t error_size);

MEMSIZER_C_API memsizer_results* memsizer_generate(const memsizer_model* model, const char* const* lines,
                                                   size_t count, const memsizer_options* options, char* error,
                                                   size_t error_size);
MEMSIZER_C_API void memsizer_free_results(memsizer_results* results);
/* Outputs of a line, best first; NULL and 0 beyond the last. Texts live as long as the results. */
MEMSIZER_C_API size_t memsizer_outputs(const memsizer_results* results, size_t line);
MEMSIZER_C_API const char* memsizer_text(const memsizer_results* results, size_t line, size_t rank);
MEMSIZER_C_API double memsizer_score(const memsizer_results* results, size_t line, size_t rank);

/* Draws text and hands it over piece by piece, never cutting through a character; on_text returns 0 to stop.
 */
MEMSIZER_C_API int memsizer_stream(const memsizer_model* model, const char* line,
                                   const memsizer_options* options,
                                   int (*on_text)(const char* piece, size_t bytes, void* data), void* data,
                                   char* error, size_t error_size);

/* Token by token. The model must outlive its sessions. */
MEMSIZER_C_API memsizer_session* memsizer_start(const memsizer_model* model, const char* source, char* error,
                                                size_t error_size);
MEMSIZER_C_API memsizer_session* memsizer_fork(const memsizer_session* session, char* error,
                                               size_t error_size);
MEMSIZER_C_API int memsizer_read(memsizer_session* session, const int32_t* tokens, size_t count, char* error,
                                 size_t error_size);
/* The state as bytes, to go on from another day. Returns how many there are and writes them if `room`
 * suffices; 0 is a failure. */
MEMSIZER_C_API size_t memsizer_save(const memsizer_session* session, void* bytes, size_t room, char* error,
                                    size_t error_size);
/* A session from such bytes, of the same model; its scores are known after the next read. */
MEMSIZER_C_API memsizer_session* memsizer_load_session(const memsizer_model* model, const void* bytes,
                                                       size_t count, char* error, size_t error_size);
/* The scores [vocab] of the token that follows; NULL before the first token was read. */
MEMSIZER_C_API const float* memsizer_scores(const memsizer_session* session);
MEMSIZER_C_API size_t memsizer_state_bytes(const memsizer_session* session);
MEMSIZER_C_API void memsizer_free_session(memsizer_session* session);

#ifdef __cplusplus
}
#endif

#endif
