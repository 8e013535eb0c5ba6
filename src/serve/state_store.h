#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/generation.h"
#include "serve/served_model.h"

namespace memsizer::serve {

struct StateLimits {
  std::string folder;               // where states survive the server; empty: they do not
  int64_t quota_bytes = 256 << 20;  // of all states and marks
  double expiry_seconds = 86400.0;  // without use
};

// States that texts were read into. Each has an id that nobody can guess, and an owner: to others it does not
// exist. A state is a value: a mark is a copy of it, and so is a fork. With a folder, whatever a call returns
// is on disk, each state and mark in a file that is complete or not there.
class StateStore {
 public:
  using Snapshot = std::shared_ptr<const engine::SavedState>;

  // Loads what the folder has for these models; the rest stays there, and `warnings` says why. Throws
  // UserError if the folder cannot be used.
  StateStore(const StateLimits& limits, const ServedModels& models, std::vector<std::string>& warnings);

  struct Info {
    std::string id;
    std::string model;
    int64_t tokens = 0;  // read, the last one included
    int64_t bytes = 0;   // its marks included
    std::vector<std::string> marks;
    double idle_seconds = 0.0;
  };

  // All throw HttpError where there is no such state of this owner, or no room.
  Info create(const std::string& owner, ServedModel& model, engine::SavedState state);
  void update(const std::string& owner, const std::string& id, engine::SavedState state);
  Info fork(const std::string& owner, const std::string& id);
  Info mark(const std::string& owner, const std::string& id, const std::string& name);
  Info roll_back(const std::string& owner, const std::string& id, const std::string& mark);
  void remove(const std::string& owner, const std::string& id);
  Info info(const std::string& owner, const std::string& id);
  std::vector<Info> list(const std::string& owner);
  // The state, to go on from; `model` must be its model, unless it is empty.
  Snapshot find(const std::string& owner, const std::string& id, const std::string& model);
  std::string model_of(const std::string& owner, const std::string& id);

  int64_t bytes();
  int64_t count();

 private:
  struct Entry {
    std::string owner;
    ServedModel* model = nullptr;
    Snapshot current;
    std::map<std::string, Snapshot> marks;
    double used = 0.0;
  };

  void load_folder(const ServedModels& models, std::vector<std::string>& warnings);
  void load_file(const std::filesystem::path& path, const ServedModels& models);
  std::filesystem::path path_of(const std::string& owner, const std::string& id,
                                const std::string& mark) const;
  void write(const Entry& entry, const std::string& id, const std::string& mark,
             const Snapshot& snapshot) const;
  void erase_files(const std::string& id, const Entry& entry) const;

  // With the lock held.
  Entry& entry(const std::string& owner, const std::string& id);
  Info info_of(const std::string& id, const Entry& entry) const;
  void require_room(int64_t bytes) const;
  void expire();
  int64_t used_bytes() const;

  StateLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace memsizer::serve
