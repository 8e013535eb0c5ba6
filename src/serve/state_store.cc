#include "serve/state_store.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include "core/atomic_file.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/mapped_file.h"
#include "core/safetensors_bytes.h"
#include "runtime/saved_state.h"
#include "serve/http_error.h"
#include "serve/random_id.h"

namespace memsizer::serve {
namespace {

constexpr auto kSuffix = ".state";
constexpr size_t kLongestMark = 64;
constexpr size_t kMostMarks = 64;
constexpr size_t kIdDigits = 32;

bool is_id(std::string_view id) {
  return id.size() == kIdDigits &&
         std::ranges::all_of(id, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_mark(std::string_view name) {
  return !name.empty() && name.size() <= kLongestMark && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

int64_t bytes_of(const StateStore::Snapshot& snapshot) {
  return static_cast<int64_t>(snapshot->state.bytes() + snapshot->state.source_bytes());
}

StateStore::Snapshot snapshot_of(engine::SavedState state) {
  return std::make_shared<const engine::SavedState>(std::move(state));
}

double age_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(path, error);
  if (error) return 0.0;
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - written).count();
}

}  // namespace

StateStore::StateStore(const StateLimits& limits, const ServedModels& models,
                       std::vector<std::string>& warnings)
    : limits_(limits) {
  if (limits_.folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(limits_.folder, error);
  if (error || !std::filesystem::is_directory(limits_.folder)) {
    throw UserError("could not use the folder {} for states ({}); give another --states", limits_.folder,
                    error ? error.message() : "it is no folder");
  }
  load_folder(models, warnings);
}

void StateStore::load_folder(const ServedModels& models, std::vector<std::string>& warnings) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(limits_.folder)) {
    if (file.path().extension() == kSuffix) paths.push_back(file.path());
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    try {
      load_file(path, models);
    } catch (const std::exception& problem) {
      warnings.push_back(
          fmt::format("{}: not loaded, left as it is: {}", path.filename().string(), problem.what()));
    }
  }
  // A mark whose state was lost belongs to nothing.
  std::erase_if(entries_, [](const auto& item) { return !item.second.current; });
}

void StateStore::load_file(const std::filesystem::path& path, const ServedModels& models) {
  // OWNER.ID.state, or OWNER.ID.MARK.state
  const std::string stem = path.stem().string();
  const size_t first = stem.find('.');
  const size_t second = first == std::string::npos ? first : stem.find('.', first + 1);
  const std::string id = first == std::string::npos ? "" : stem.substr(first + 1, second - first - 1);
  const std::string mark = second == std::string::npos ? "" : stem.substr(second + 1);
  if (!is_id(id) || (!mark.empty() && !is_mark(mark)))
    throw UserError("its name is none that a server gives");
  if (age_of(path) > limits_.expiry_seconds) {
    std::filesystem::remove(path);
    return;
  }
  const MappedFile file = MappedFile::open(path);
  const SafetensorsContent content = parse_safetensors(file.bytes(), path.filename().string());
  const auto hash = content.metadata.find("model");
  ServedModel* model = hash == content.metadata.end() ? nullptr : models.with_hash(hash->second);
  if (!model) throw UserError("it is of a model that is not loaded");
  runtime::SavedRow row = runtime::load_row(model->text().model(), file.bytes(), path.filename().string());
  if (!row.next) throw UserError("it has no token to read next");
  const Snapshot snapshot = snapshot_of({std::move(row.state), {*row.next}});
  if (used_bytes() + bytes_of(snapshot) > limits_.quota_bytes)
    throw UserError("the quota of states is used up");
  Entry& entry = entries_[id];
  entry.owner = stem.substr(0, first);
  entry.model = model;
  entry.used = steady_seconds() - age_of(path);
  (mark.empty() ? entry.current : entry.marks[mark]) = snapshot;
}

std::filesystem::path StateStore::path_of(const std::string& owner, const std::string& id,
                                          const std::string& mark) const {
  return std::filesystem::path(limits_.folder) /
         (owner + "." + id + (mark.empty() ? "" : "." + mark) + kSuffix);
}

void StateStore::write(const Entry& entry, const std::string& id, const std::string& mark,
                       const Snapshot& snapshot) const {
  if (limits_.folder.empty()) return;
  try {
    AtomicFile file(path_of(entry.owner, id, mark));
    file.write(
        runtime::save_state(entry.model->text().model(), snapshot->state, 0, snapshot->tokens.front()));
    file.commit();
  } catch (const UserError&) {
    // The message has a path of the server, which is not the client's business.
    throw HttpError(507,
                    "the state could not be written to the server's disk; free some space, then try again");
  }
}

void StateStore::erase_files(const std::string& id, const Entry& entry) const {
  if (limits_.folder.empty()) return;
  std::error_code ignored;
  for (const auto& [mark, snapshot] : entry.marks)
    std::filesystem::remove(path_of(entry.owner, id, mark), ignored);
  std::filesystem::remove(path_of(entry.owner, id, ""), ignored);
}

StateStore::Entry& StateStore::entry(const std::string& owner, const std::string& id) {
  expire();
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.owner != owner)
    throw HttpError(404, "there is no such state; it may have expired: make one with POST /v1/states",
                    "state");
  found->second.used = steady_seconds();
  if (!limits_.folder.empty()) {
    std::error_code ignored;
    std::filesystem::last_write_time(path_of(owner, id, ""), std::filesystem::file_time_type::clock::now(),
                                     ignored);
  }
  return found->second;
}

StateStore::Info StateStore::info_of(const std::string& id, const Entry& entry) const {
  Info info;
  info.id = id;
  info.model = entry.model->name();
  info.tokens = entry.current->state.seen().front();
  info.bytes = bytes_of(entry.current);
  for (const auto& [name, snapshot] : entry.marks) {
    info.marks.push_back(name);
    info.bytes += bytes_of(snapshot);
  }
  info.idle_seconds = steady_seconds() - entry.used;
  return info;
}

int64_t StateStore::used_bytes() const {
  int64_t bytes = 0;
  for (const auto& [id, entry] : entries_) {
    if (entry.current) bytes += bytes_of(entry.current);
    for (const auto& [name, snapshot] : entry.marks) bytes += bytes_of(snapshot);
  }
  return bytes;
}

void StateStore::require_room(int64_t bytes) const {
  const int64_t used = used_bytes();
  if (used + bytes <= limits_.quota_bytes) return;
  throw HttpError(507,
                  fmt::format("a state of {} bytes does not fit beside the {} of {} that are in use; delete "
                              "states first",
                              bytes, used, limits_.quota_bytes));
}

void StateStore::expire() {
  const double now = steady_seconds();
  for (auto item = entries_.begin(); item != entries_.end();) {
    if (now - item->second.used <= limits_.expiry_seconds) {
      ++item;
      continue;
    }
    erase_files(item->first, item->second);
    item = entries_.erase(item);
  }
}

StateStore::Info StateStore::create(const std::string& owner, ServedModel& model, engine::SavedState state) {
  const std::scoped_lock lock(mutex_);
  expire();
  Entry entry{owner, &model, snapshot_of(std::move(state)), {}, steady_seconds()};
  require_room(bytes_of(entry.current));
  const std::string id = random_id();
  write(entry, id, "", entry.current);
  return info_of(id, entries_[id] = std::move(entry));
}

void StateStore::update(const std::string& owner, const std::string& id, engine::SavedState state) {
  const std::scoped_lock lock(mutex_);
  Entry& changed = entry(owner, id);
  const Snapshot snapshot = snapshot_of(std::move(state));
  require_room(bytes_of(snapshot) - bytes_of(changed.current));
  write(changed, id, "", snapshot);
  changed.current = snapshot;
}

StateStore::Info StateStore::fork(const std::string& owner, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const Entry& from = entry(owner, id);
  require_room(bytes_of(from.current));
  Entry copy{owner, from.model, from.current, {}, steady_seconds()};
  const std::string new_id = random_id();
  write(copy, new_id, "", copy.current);
  return info_of(new_id, entries_[new_id] = std::move(copy));
}

StateStore::Info StateStore::mark(const std::string& owner, const std::string& id, const std::string& name) {
  if (!is_mark(name)) {
    throw HttpError(400, fmt::format("a mark is named by 1 to {} letters, digits, '-' and '_'", kLongestMark),
                    "name");
  }
  const std::scoped_lock lock(mutex_);
  Entry& marked = entry(owner, id);
  if (marked.marks.size() >= kMostMarks && !marked.marks.contains(name))
    throw HttpError(400, fmt::format("the state has {} marks, as many as it can have", kMostMarks), "name");
  require_room(bytes_of(marked.current));
  write(marked, id, name, marked.current);
  marked.marks[name] = marked.current;
  return info_of(id, marked);
}

StateStore::Info StateStore::roll_back(const std::string& owner, const std::string& id,
                                       const std::string& mark) {
  const std::scoped_lock lock(mutex_);
  Entry& changed = entry(owner, id);
  const auto found = changed.marks.find(mark);
  if (found == changed.marks.end()) throw HttpError(404, "the state has no mark of that name", "mark");
  write(changed, id, "", found->second);
  changed.current = found->second;
  return info_of(id, changed);
}

void StateStore::remove(const std::string& owner, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  erase_files(id, entry(owner, id));
  entries_.erase(id);
}

StateStore::Info StateStore::info(const std::string& owner, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return info_of(id, entry(owner, id));
}

std::vector<StateStore::Info> StateStore::list(const std::string& owner) {
  const std::scoped_lock lock(mutex_);
  expire();
  std::vector<Info> infos;
  for (const auto& [id, entry] : entries_) {
    if (entry.owner == owner) infos.push_back(info_of(id, entry));
  }
  return infos;
}

StateStore::Snapshot StateStore::find(const std::string& owner, const std::string& id,
                                      const std::string& model) {
  const std::scoped_lock lock(mutex_);
  const Entry& found = entry(owner, id);
  if (!model.empty() && found.model->name() != model) {
    throw HttpError(
        400,
        fmt::format("the state is of model '{}', not of '{}'; name that model", found.model->name(), model),
        "model");
  }
  return found.current;
}

std::string StateStore::model_of(const std::string& owner, const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return entry(owner, id).model->name();
}

int64_t StateStore::bytes() {
  const std::scoped_lock lock(mutex_);
  return used_bytes();
}

int64_t StateStore::count() {
  const std::scoped_lock lock(mutex_);
  expire();
  return std::ssize(entries_);
}

}  // namespace memsizer::serve
