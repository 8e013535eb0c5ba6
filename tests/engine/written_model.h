#pragma once

#include <memory>

#include "engine/text_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace memsizer::engine {

// A model of these weights, by way of a file.
inline std::unique_ptr<TextModel> written_model(const ModelDescription& description) {
  const testing::TempDir dir;
  testing::write_tiny_model(dir / "model", description);
  return TextModel::load(dir / "model");
}

inline ModelDescription tiny_language_model(Mechanism mechanism) {
  ModelDescription description = testing::tiny_description();
  description.task = Task::LanguageModel;
  description.config.architecture = Architecture::LanguageModel;
  description.config.embedding.tie = Tying::Decoder;
  description.config.decoder.self = mechanism;
  return description;
}

inline ModelDescription tiny_translator(Mechanism mechanism) {
  ModelDescription description = testing::tiny_description();
  description.config.decoder.self = description.config.decoder.cross = mechanism;
  return description;
}

}  // namespace memsizer::engine
