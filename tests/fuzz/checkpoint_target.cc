// A checkpoint's folder from elsewhere: whatever is in one of its files, the folder is as it was written or
// refused by a UserError of one line. The first byte of the input says which file has the rest.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/safetensors.h"
#include "fuzz/safetensors_mutation.h"
#include "model/model_checksum.h"
#include "model/model_file.h"
#include "train/checkpoint_checksums.h"
#include "train/checkpoints.h"
#include "train/trainer_state.h"

namespace {

namespace fs = std::filesystem;
using namespace memsizer;
using train::CheckpointFiles;

void put(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One folder for all inputs, removed at the end. Its checksums are made once: they are flushed to disk.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "memsizer-fuzz-XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    files_.folder = name;
    for (const fs::path& path : {files_.model(), files_.optimizer(), files_.state()}) put(path, "{}");
    train::write_checksums(files_);
    for (const fs::path& path : {files_.model(), files_.optimizer(), files_.state(), files_.checksums()})
      written_.emplace_back(path, read(path));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(files_.folder, ignored);
  }

  const CheckpointFiles& files() const { return files_; }
  // Path and content of each file.
  const std::vector<std::pair<fs::path, std::string>>& written() const { return written_; }

 private:
  CheckpointFiles files_;
  std::vector<std::pair<fs::path, std::string>> written_;
};

template <typename Call>
bool holds(const Call& call) {
  try {
    call();
    return true;
  } catch (const UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
    return false;
  }
}

// What a resumed run reads, each file by itself: of an older checkpoint nothing was verified before.
void read_all(const CheckpointFiles& files) {
  holds([&] { train::TrainerState::read(files.state()); });
  holds([&] {
    const SafetensorsFile optimizer = SafetensorsFile::open(files.optimizer());
    for (const std::string& name : optimizer.names()) optimizer.tensor(name);
  });
  holds([&] {
    const SafetensorsFile model = SafetensorsFile::open(files.model());
    verify_checksum(model);
    read_description(model);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  const CheckpointFiles& files = folder.files();
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto& [changed, written] = folder.written()[data[0] % folder.written().size()];
  put(changed, rest);
  const bool same = rest == written;
  const bool verified = holds([&] { train::verify_checksums(files); });
  // Another text of the same checksums is as good.
  if (verified && !same && changed != files.checksums()) std::abort();
  if (!verified && same) std::abort();
  read_all(files);
  put(changed, written);
  return 0;
}

// The byte in front of a safetensors file stays where it is.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (size < 2 || max_size < 2 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  return 1 + memsizer::fuzz::mutate_safetensors(data + 1, size - 1, max_size - 1, seed / 8);
}
