// A cache of tokens from elsewhere: whatever its bytes, it is a corpus that can be read to its end, or it is
// not taken.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/content_hash.h"
#include "fuzz/mutation.h"
#include "text/token_file.h"

namespace {

namespace fs = std::filesystem;
using memsizer::text::TokenFile;

const std::string kKey(32, 'k');
// The places of the header that are put right (src/text/token_file.h has its form).
constexpr size_t kFileBytesAt = 16;
constexpr size_t kKeyAt = 24;
constexpr size_t kSectionsAt = 56;
constexpr size_t kSections = 6;
constexpr size_t kChecksumAt = kSectionsAt + 16 * kSections;
constexpr size_t kHeaderBytes = kChecksumAt + 8;

uint64_t number_at(const std::string& bytes, size_t place) {
  uint64_t number = 0;
  std::memcpy(&number, bytes.data() + place, sizeof(number));
  return number;
}

void put_number(std::string& bytes, size_t place, uint64_t number) {
  std::memcpy(bytes.data() + place, &number, sizeof(number));
}

uint64_t checksum_of(std::string_view bytes) {
  memsizer::ContentHash hash;
  hash.update(bytes);
  return hash.checksum();
}

// Nearly every mutation breaks a checksum; what comes after them must be enough alone.
std::string with_checksums(std::string bytes) {
  if (bytes.size() < kHeaderBytes) return bytes;
  bytes.replace(kKeyAt, kKey.size(), kKey);
  put_number(bytes, kFileBytesAt, bytes.size());
  size_t begin = kHeaderBytes;
  for (size_t i = 0; i < kSections; ++i) {
    const uint64_t size = number_at(bytes, kSectionsAt + 16 * i);
    if (size > bytes.size() - begin) break;
    put_number(bytes, kSectionsAt + 16 * i + 8, checksum_of(std::string_view(bytes).substr(begin, size)));
    begin += size;
  }
  put_number(bytes, kChecksumAt, checksum_of(std::string_view(bytes).substr(0, kChecksumAt)));
  return bytes;
}

// A file for all inputs, removed at the end.
class Scratch {
 public:
  Scratch() : name_((fs::temp_directory_path() / "memsizer-fuzz-XXXXXX").string()) {
    const int file = ::mkstemp(name_.data());
    if (file < 0) std::abort();
    ::close(file);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { ::unlink(name_.c_str()); }

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

void read_all(const std::string& bytes) {
  static const Scratch scratch;
  std::ofstream(scratch.name(), std::ios::binary) << bytes;
  const auto file = TokenFile::open(scratch.name(), kKey);
  if (!file) return;
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < file->size(); ++i) {
    for (const auto& side : {file->source(i), file->target(i)})
      tokens.insert(tokens.end(), side.begin(), side.end());
    tokens.push_back(static_cast<int32_t>(file->line(i)));
  }
  if (tokens.size() < file->targets().size()) std::abort();
  file->report().lines();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_all(bytes);
  read_all(with_checksums(bytes));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
