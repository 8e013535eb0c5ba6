#include "core/task.h"

#include <gtest/gtest.h>

#include "core/enum_value.h"
#include "support/messages.h"

namespace memsizer {
namespace {

TEST(Task, HasOneNameInRecipesAndFiles) {
  EXPECT_EQ(enum_name(Task::Translation), "translation");
  EXPECT_EQ(enum_name(Task::Summarization), "summarization");
  EXPECT_EQ(enum_name(Task::LanguageModel), "language-model");
  for (const auto& [task, name] : enum_names<Task>()) EXPECT_EQ(enum_value<Task>(name), task);
  EXPECT_EQ(enum_value<Task>("translate"), std::nullopt);
}

TEST(Task, AnUnknownNameIsTheUsersMistake) {
  const std::string message = testing::message_of([] { named_value<Task>("task", "translatoin"); });
  EXPECT_EQ(message,
            "task 'translatoin' is not known; did you mean 'translation'?; known are translation, "
            "summarization, language-model");
}

TEST(Task, OfAFileIsWhatItNamesIfItsArchitectureCanDoThat) {
  using enum Architecture;
  EXPECT_EQ(task_of(EncoderDecoder, "translation"), Task::Translation);
  EXPECT_EQ(task_of(EncoderDecoder, "summarization"), Task::Summarization);
  EXPECT_EQ(task_of(Architecture::LanguageModel, "language-model"), Task::LanguageModel);
  for (const std::string_view other : {"", "paraphrase", "language-model"})
    EXPECT_EQ(task_of(EncoderDecoder, other), Task::Translation) << other;
  for (const std::string_view other : {"", "paraphrase", "translation", "summarization"})
    EXPECT_EQ(task_of(Architecture::LanguageModel, other), Task::LanguageModel) << other;
}

}  // namespace
}  // namespace memsizer
