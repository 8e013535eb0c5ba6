#pragma once

#include <string>

#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace memsizer::testing {

// Model files that live as long as this.
class TinyModels {
 public:
  TinyModels() {
    write_tiny_model(dir_ / "translator", tiny_description());
    ModelDescription description = tiny_description();
    description.task = Task::LanguageModel;
    description.config.architecture = Architecture::LanguageModel;
    description.config.embedding.tie = Tying::Decoder;
    write_tiny_model(dir_ / "language_model", description);
    description.config.embedding.positions = PositionTable::Learned;
    description.config.embedding.max_positions = 8;
    write_tiny_model(dir_ / "short", description);
  }

  std::string translator() const { return (dir_ / "translator").string(); }
  std::string language_model() const { return (dir_ / "language_model").string(); }
  // A language model that can read eight tokens.
  std::string short_one() const { return (dir_ / "short").string(); }

 private:
  TempDir dir_;
};

}  // namespace memsizer::testing
