#include "train/changed_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"

namespace memsizer::train {
namespace {

// An option that a run keeps to its end, and what would be wrong otherwise.
struct KeptOption {
  std::string_view path;
  std::string_view reason;
};

constexpr std::string_view kOrder = "the order of the batches depends on it";
constexpr std::string_view kCorpus = "the training data depend on it";
constexpr std::string_view kTokenizer = "the run keeps its tokenizer";

// With a checkpoint.
constexpr std::array kKeptOptions = {
    KeptOption{"task.kind", "the scores depend on it"},
    KeptOption{"data.format", kCorpus},
    KeptOption{"data.source_key", kCorpus},
    KeptOption{"data.target_key", kCorpus},
    KeptOption{"data.normalize_space", kCorpus},
    KeptOption{"data.max_source_tokens", kCorpus},
    KeptOption{"data.max_target_tokens", kCorpus},
    KeptOption{"data.max_ratio", kCorpus},
    KeptOption{"data.over_long", kCorpus},
    KeptOption{"data.invalid_utf8", kCorpus},
    KeptOption{"data.empty_side", kCorpus},
    KeptOption{"optimizer.kind", "the optimizer's state is of that kind"},
    KeptOption{"training.max_tokens", kOrder},
    KeptOption{"training.block_tokens", kOrder},
    KeptOption{"training.sort_window", kOrder},
    KeptOption{"training.seed", kOrder},
    KeptOption{"validation.metric", "the best checkpoint so far was chosen by it"},
};

// From the beginning: the folder has the tokenizer that they made. Where another one is read from does not
// matter any more.
bool makes_tokenizer(std::string_view path) {
  return path.starts_with("data.tokenizer.") && !path.ends_with("model");
}

std::string_view reason_to_keep(const OptionRef& begun, const OptionRef& now, bool restored) {
  if (makes_tokenizer(now.path)) return kTokenizer;
  if (!restored) return "";
  if (now.path == "training.ema_decay" && (begun.get() == 0.0) != (now.get() == 0.0))
    return "a checkpoint has the running average or has it not";
  const auto kept = std::ranges::find(kKeptOptions, now.path, &KeptOption::path);
  return kept == kKeptOptions.end() ? "" : kept->reason;
}

}  // namespace

std::vector<std::string> changed_options(Recipe begun, Recipe now, bool restored, const std::string& folder) {
  const std::vector<OptionRef> before = collect_options(begun, "");
  std::vector<std::string> changes;
  for (const OptionRef& option : collect_options(now, "")) {
    if (option.path.starts_with("model.")) continue;
    const OptionRef& old = *find_option(before, option.path);
    if (old.get() == option.get()) continue;
    const std::string_view reason = reason_to_keep(old, option, restored);
    if (!reason.empty()) {
      throw UserError(
          "{} is {}, but the run in {} was begun with {}, and {}; resume with the old value, or choose "
          "another "
          "folder with --out",
          option.path, option.get().dump(), folder, old.get().dump(), reason);
    }
    changes.push_back(
        fmt::format("{} is {} from here on, it was {}", option.path, option.get().dump(), old.get().dump()));
  }
  return changes;
}

}  // namespace memsizer::train
