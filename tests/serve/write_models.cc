// Writes small models for the tests of the server: write_models DIR
#include <cstdio>
#include <filesystem>

#include "support/tiny_model.h"

int main(int argc, char** argv) {
  using namespace memsizer;
  if (argc != 2) return std::fprintf(stderr, "usage: write_models DIR\n"), 2;
  const std::filesystem::path dir = argv[1];
  ModelDescription description = testing::tiny_description();
  testing::write_tiny_model(dir / "translator.safetensors", description);
  description.task = Task::Summarization;
  testing::write_tiny_model(dir / "summarizer.safetensors", description);
  description.task = Task::LanguageModel;
  description.config.architecture = Architecture::LanguageModel;
  description.config.embedding.tie = Tying::Decoder;
  testing::write_tiny_model(dir / "lm.safetensors", description);
  description.config.decoder.self = mechanism_named("softmax");
  testing::write_tiny_model(dir / "softmax.safetensors", description);
}
