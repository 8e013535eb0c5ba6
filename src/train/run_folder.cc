#include "train/run_folder.h"

#include <system_error>

#include "core/atomic_file.h"
#include "core/error.h"

namespace memsizer::train {

namespace fs = std::filesystem;

FileLock RunFolder::open(bool resume) const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_)) {
    throw UserError("cannot create the folder {}: {}; choose another with --out", path_.string(),
                    error ? error.message() : "a file of that name is in the way");
  }
  FileLock entered(lock(), path_.string(), "wait until it ends, or choose another folder with --out");
  if (!resume && holds_run()) {
    throw UserError(
        "{} holds a training run already; go on with it by --resume, or choose another folder with --out",
        path_.string());
  }
  // What a killed run was writing; none writes here but the one that holds the lock.
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    if (AtomicFile::is_temporary(entry.path())) fs::remove(entry.path(), error);
  }
  return entered;
}

void write_text(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace memsizer::train
