#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/generator.h"
#include "model/state_size.h"
#include "serve/admission.h"

namespace memsizer::serve {

struct ModelLimits {
  int64_t slots = 64;          // texts computed at once
  int64_t queue = 256;         // texts that wait
  int64_t max_tokens = 4096;   // of an output that is answered whole
  int64_t max_context = 8192;  // tokens of a text, of a model whose state grows with it
  int64_t max_beam = 8;        // that a request may ask for
  int64_t long_tokens = 1024;  // texts that may become longer take at most half of the slots
  int threads = 0;             // 0: the physical cores
};

// A model that is served: its weights, its running batch, and who may enter it.
class ServedModel {
 public:
  // `given` is NAME=FILE, or a file, which is then the name too. Throws UserError.
  static std::unique_ptr<ServedModel> load(const std::string& given, const ModelLimits& limits);

  const std::string& name() const { return name_; }
  const ModelLimits& limits() const { return limits_; }
  Task task() const { return text_->description().task; }
  const engine::TextModel& text() const { return *text_; }
  engine::Generator& generator() { return *generator_; }
  Admission& admission() { return admission_; }

  // Of a translator whose name is such as en-de.
  struct Languages {
    std::string source;
    std::string target;
  };
  const std::optional<Languages>& languages() const { return languages_; }

  // Of one text; and what it would be if the model kept keys and values of every token.
  const StateSize& state_size() const { return state_size_; }
  const StateSize& cache_size() const { return cache_size_; }
  bool grows() const { return state_size_.bytes_per_target_token > 0; }
  // Bytes that a text has in memory after so many tokens.
  int64_t state_bytes(int64_t target_tokens, int64_t source_tokens) const {
    return state_size_.at(target_tokens, source_tokens);
  }

  // The beam of requests that do not name one, and the widest one.
  int64_t widest_beam() const;

 private:
  ServedModel(std::string name, std::unique_ptr<engine::TextModel> text, const ModelLimits& limits);

  std::string name_;
  ModelLimits limits_;
  std::unique_ptr<engine::TextModel> text_;
  std::unique_ptr<engine::Generator> generator_;
  Admission admission_;
  std::optional<Languages> languages_;
  StateSize state_size_;
  StateSize cache_size_;
};

// The models of a server.
class ServedModels {
 public:
  // Throws UserError if two have one name.
  ServedModels(const std::vector<std::string>& given, const ModelLimits& limits);

  const std::vector<std::unique_ptr<ServedModel>>& all() const { return models_; }

  // The one that a request names, or the first one for the task if it names none. Throws HttpError.
  ServedModel& find(const std::string& name, Task task) const;
  // The translator for a pair of languages; "auto" is any source. Throws HttpError.
  ServedModel& translator(const std::string& source, const std::string& target) const;
  // The one with the hash; null if there is none.
  ServedModel* with_hash(const std::string& hash) const;

 private:
  std::vector<std::unique_ptr<ServedModel>> models_;
};

// What an interface calls the task of a model.
std::string task_name(Task task);

}  // namespace memsizer::serve
