#include "train/checkpoints.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

#include "core/error.h"
#include "train/checkpoint_checksums.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kUnfinished = ".unfinished-";
constexpr std::string_view kPrevious = ".previous-";  // gives way to a new one of the same step
constexpr std::string_view kReplaced = ".replaced-";  // is being deleted

// Makes a folder's entries (a new file, a rename) outlast a power failure.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!done) throw UserError("cannot flush {} to disk: {}", folder.string(), std::strerror(error));
}

void rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) throw UserError("cannot rename {} to {}: {}", from.string(), to.string(), error.message());
}

int64_t step_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) return -1;
  int64_t step = -1;
  const char* begin = name.data() + kPrefix.size();
  const char* end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(begin, end, step);
  return error == std::errc() && parsed == end ? step : -1;
}

}  // namespace

void Checkpoints::open() const {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error || ::access(directory_.c_str(), W_OK) != 0) {
    throw UserError("cannot write checkpoints to {}: {}; choose another folder with --out",
                    directory_.string(), error ? error.message() : std::strerror(errno));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    const std::string name = entry.path().filename().string();
    // Killed between the two renames of a replacement: the old one is the only one.
    if (name.starts_with(kPrevious) && !fs::exists(directory_ / name.substr(kPrevious.size()))) {
      fs::rename(entry.path(), directory_ / name.substr(kPrevious.size()), error);
    } else if (name.starts_with(kUnfinished) || name.starts_with(kPrevious) || name.starts_with(kReplaced)) {
      fs::remove_all(entry.path(), error);
    }
  }
}

void Checkpoints::save(int64_t step, const std::function<void(const CheckpointFiles& files)>& write) {
  const fs::path final_path = files(step).folder;
  const fs::path unfinished = directory_ / fmt::format("{}{}", kUnfinished, final_path.filename().string());
  const fs::path previous = directory_ / fmt::format("{}{}", kPrevious, final_path.filename().string());
  std::error_code ignored;
  try {
    fs::remove_all(unfinished, ignored);
    fs::create_directory(unfinished);
    write({unfinished});
    write_checksums({unfinished});
    sync_folder(unfinished);
    put_in_place(unfinished, final_path, previous);
  } catch (const fs::filesystem_error& error) {
    fs::remove_all(unfinished, ignored);
    throw UserError("cannot write checkpoint {}: {}; earlier checkpoints are untouched", final_path.string(),
                    error.code().message());
  } catch (...) {
    fs::remove_all(unfinished, ignored);
    throw;
  }
}

void Checkpoints::put_in_place(const fs::path& unfinished, const fs::path& final_path,
                               const fs::path& previous) const {
  std::error_code ignored;
  const bool replaces = fs::exists(final_path);
  if (replaces) rename_folder(final_path, previous);
  try {
    rename_folder(unfinished, final_path);
  } catch (...) {
    if (replaces) fs::rename(previous, final_path, ignored);
    throw;
  }
  fs::remove_all(previous, ignored);
  sync_folder(directory_);
}

std::vector<int64_t> Checkpoints::steps() const {
  std::vector<int64_t> steps;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_)) {
    const int64_t step = step_of(entry.path().filename().string());
    if (step >= 0 && entry.is_directory()) steps.push_back(step);
  }
  std::ranges::sort(steps);
  return steps;
}

CheckpointFiles Checkpoints::files(int64_t step) const {
  return {directory_ / fmt::format("{}{:08}", kPrefix, step)};
}

void Checkpoints::prune(int64_t keep, int64_t best) {
  const std::vector<int64_t> all = steps();
  for (size_t i = 0; i + static_cast<size_t>(keep) < all.size(); ++i) {
    if (all[i] == best) continue;
    // Renamed first: a half-deleted folder must not look like a checkpoint.
    const fs::path old = files(all[i]).folder;
    const fs::path gone = directory_ / fmt::format("{}{}", kReplaced, old.filename().string());
    std::error_code ignored;
    fs::rename(old, gone, ignored);
    fs::remove_all(gone, ignored);
  }
}

}  // namespace memsizer::train
