#include "core/task.h"

#include <array>

#include "core/enum_value.h"

namespace memsizer {

template <>
std::span<const std::pair<Task, std::string_view>> enum_names<Task>() {
  static constexpr auto names =
      std::to_array<std::pair<Task, std::string_view>>({{Task::Translation, "translation"},
                                                        {Task::Summarization, "summarization"},
                                                        {Task::LanguageModel, "language-model"}});
  return names;
}

Task task_of(Architecture architecture) {
  return architecture == Architecture::LanguageModel ? Task::LanguageModel : Task::Translation;
}

Task task_of(Architecture architecture, std::string_view name) {
  const Task usual = task_of(architecture);
  const Task named = enum_value<Task>(name).value_or(usual);
  const bool fits = (named == Task::LanguageModel) == (usual == Task::LanguageModel);
  return fits ? named : usual;
}

}  // namespace memsizer
