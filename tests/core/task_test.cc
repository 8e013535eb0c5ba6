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

}  // namespace
}  // namespace memsizer
