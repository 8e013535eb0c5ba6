#include "text/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "core/error.h"

namespace memsizer::text {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

}  // namespace

Spool::Spool(const std::filesystem::path& directory) : directory_(directory) {
  std::string name = (directory / ".memsizer-spool-XXXXXX").string();
  file_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (file_ < 0) fail("creating a file", errno);
  ::unlink(name.c_str());
  buffer_.reserve(kBufferBytes);
}

Spool::~Spool() {
  if (file_ >= 0) ::close(file_);
}

void Spool::write(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  hash_.update(bytes);
  while (!bytes.empty()) {
    const size_t taken = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (buffer_.size() == kBufferBytes) flush();
  }
}

void Spool::flush() {
  std::span<const std::byte> rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail("writing", errno);
    if (written > 0) rest = rest.subspan(static_cast<size_t>(written));
  }
  buffer_.clear();
}

void Spool::copy_to(AtomicFile& file) {
  flush();
  std::vector<std::byte> chunk(kBufferBytes);
  for (uint64_t position = 0; position < bytes_;) {
    const ssize_t got = ::pread(file_, chunk.data(), chunk.size(), static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("reading back", got < 0 ? errno : EIO);
    file.write(std::span(chunk).first(static_cast<size_t>(got)));
    position += static_cast<uint64_t>(got);
  }
}

void Spool::fail(const char* doing, int error) const {
  throw UserError(
      "cannot keep tokenised text in '{}': {} failed: {}; set data.cache to a folder with space that can be "
      "written",
      directory_.string(), doing, std::generic_category().message(error));
}

}  // namespace memsizer::text
