#include "train/checkpoint_checksums.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/content_hash.h"
#include "core/error.h"
#include "core/mapped_file.h"
#include "core/safetensors.h"
#include "train/run_folder.h"

namespace memsizer::train {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const CheckpointFiles& files, const std::string& found) {
  throw UserError("checkpoint {} is damaged: {}; delete it to go on from the one before",
                  files.folder.string(), found);
}

std::map<std::string, std::string> checksums_of(const CheckpointFiles& files) {
  std::map<std::string, std::string> checksums;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(files.folder, error)) {
    if (entry.path() == files.checksums()) continue;
    ContentHash hash;
    hash.update(MappedFile::open(entry.path()).bytes());
    checksums[entry.path().filename().string()] = hash.hex();
  }
  if (error) throw UserError("cannot read {}: {}", files.folder.string(), error.message());
  return checksums;
}

// Nothing if it is not what write_checksums writes.
std::optional<std::map<std::string, std::string>> stored_checksums(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  std::map<std::string, std::string> checksums;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return std::nullopt;
    checksums[name] = value.get<std::string>();
  }
  return checksums;
}

}  // namespace

void write_checksums(const CheckpointFiles& files) {
  write_text(files.checksums(), nlohmann::json(checksums_of(files)).dump(2));
}

void verify_checksums(const CheckpointFiles& files) {
  std::error_code error;
  if (!fs::exists(files.checksums(), error)) return;
  const auto expected = stored_checksums(files.checksums());
  if (!expected) refuse(files, "checksums.json is not what was written");
  const std::map<std::string, std::string> found = checksums_of(files);
  for (const auto& [name, checksum] : *expected) {
    const auto file = found.find(name);
    if (file == found.end()) refuse(files, fmt::format("{} is missing", printable_name(name)));
    if (file->second != checksum) {
      refuse(files, fmt::format("the checksum of {} is {}, expected {}", printable_name(name), file->second,
                                printable_name(checksum)));
    }
  }
  for (const auto& [name, checksum] : found) {
    if (!expected->contains(name)) refuse(files, fmt::format("{} is not of it", printable_name(name)));
  }
}

}  // namespace memsizer::train
