// MemSizer: sequence generation in linear time and constant memory.
//
//   #include <memsizer/memsizer.hpp>
//   #include <iostream>
//
//   int main() {
//     const memsizer::Model model("model.safetensors");
//
//     // Whole lines: translations, summaries, or what a language model writes after a prompt.
//     memsizer::GenerationOptions options = model.default_options();
//     options.beam = 4;
//     for (const memsizer::Result& result : model.generate({"A man rides a horse.", "Two dogs."}, options))
//       std::cout << result.outputs.front().text << "\n";
//
//     // Token by token, with the state in your hands: it is a value of known size.
//     memsizer::Session session = model.start("A man rides a horse.");
//     session.read({memsizer::kEndToken});
//     memsizer::Session fork = session;  // both go on from here, each its own way
//     session.read({17});
//     std::cout << fork.scores().size() << " scores, " << fork.state_bytes() << " bytes of state\n";
//     const std::vector<std::byte> saved = session.save();  // to go on another day
//     memsizer::Session again = model.load_session(saved);
//   }
//
// Everything that goes wrong for a reason a user can mend is a memsizer::Error that says what was found, what
// was expected and what to do. A Model can be used by several threads at once; a Session by one, and copies
// of it by others at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "memsizer/generation_options.hpp"

#if defined(__GNUC__)
#define MEMSIZER_API __attribute__((visibility("default")))
#else
#define MEMSIZER_API
#endif

namespace memsizer {

class MEMSIZER_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Every text begins and ends with it.
inline constexpr int32_t kEndToken = 2;

struct LoadOptions {
  int threads = 0;              // of each worker; 0: the physical cores, shared among the workers
  int workers = 1;              // batches computed at once, on shared weights
  int64_t batch_tokens = 4096;  // of the sources or prompts in a batch
  int64_t batch_rows = 64;      // lines in a batch
};

struct Output {
  std::string text;
  double score = 0.0;  // log-probability, divided by a power of the length in a search
  std::vector<int32_t> tokens;
  std::vector<float> token_scores;
};

struct Result {
  std::vector<Output> outputs;  // best first
  int64_t source_tokens = 0;    // before any truncation
};

class Session;

class MEMSIZER_API Model {
 public:
  explicit Model(const std::string& path, const LoadOptions& options = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  bool is_language_model() const;
  int64_t vocab() const;
  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(std::span<const int32_t> tokens) const;

  // Those of the recipe the model was trained with; a language model draws up to 100 tokens.
  GenerationOptions default_options() const;

  // One result per line, in their order. A line's result does not depend on the lines beside it, nor on what
  // other threads ask of the model at the same time.
  std::vector<Result> generate(std::span<const std::string> lines, const GenerationOptions& options) const;
  std::vector<Result> generate(std::initializer_list<std::string> lines,
                               const GenerationOptions& options) const {
    return generate(std::span<const std::string>(lines.begin(), lines.size()), options);
  }

  // Draws text after a prompt (or for a source), whatever options.sample says, and hands it over as it comes,
  // in pieces that never cut through a character; false stops it.
  void stream(std::string_view line, const GenerationOptions& options,
              const std::function<bool(std::string_view piece)>& on_text) const;

  // A session that has read this source (and no target token yet), or an empty one of a language model.
  Session start(std::string_view source = {}) const;
  // One that Session::save made, of this model; its scores are known after the next read.
  Session load_session(std::span<const std::byte> bytes) const;

 private:
  friend class Session;
  struct Inside;
  std::shared_ptr<Inside> inside_;
};

// The state of one generation: a value, to copy, keep and throw away. Recurrent models take the same few
// bytes for it however much they have read.
class MEMSIZER_API Session {
 public:
  Session(const Session& other);
  Session& operator=(const Session& other);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Reads more target tokens, one or many.
  void read(std::span<const int32_t> tokens);
  void read(std::initializer_list<int32_t> tokens) {
    read(std::span<const int32_t>(tokens.begin(), tokens.size()));
  }

  // Of the token that follows those read: logits, or log-probabilities of a model with adaptive softmax.
  // Empty before the first token was read.
  std::span<const float> scores() const;

  // The state as bytes, which Model::load_session takes.
  std::vector<std::byte> save() const;

  int64_t tokens_read() const;
  size_t state_bytes() const;

 private:
  friend class Model;
  struct Inside;
  explicit Session(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace memsizer
