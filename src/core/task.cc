#include "core/task.h"

#include <array>

namespace memsizer {

template <>
std::span<const std::pair<Task, std::string_view>> enum_names<Task>() {
  static constexpr auto names =
      std::to_array<std::pair<Task, std::string_view>>({{Task::Translation, "translation"},
                                                        {Task::Summarization, "summarization"},
                                                        {Task::LanguageModel, "language-model"}});
  return names;
}

}  // namespace memsizer
