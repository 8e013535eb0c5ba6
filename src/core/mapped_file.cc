#include "core/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/memory_error.h"

namespace memsizer {
namespace {

class ScopedDescriptor {
 public:
  explicit ScopedDescriptor(int descriptor) : descriptor_(descriptor) {}
  ScopedDescriptor(const ScopedDescriptor&) = delete;
  ScopedDescriptor& operator=(const ScopedDescriptor&) = delete;
  ~ScopedDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

const char* advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "check the path";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its directories";
    default:
      return "check that the file is on a working disk";
  }
}

[[noreturn]] void fail(const std::filesystem::path& path, int error) {
  throw UserError("cannot read '{}': {}; {}", path.string(), std::generic_category().message(error),
                  advice(error));
}

size_t regular_file_size(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) {
    throw UserError("cannot read '{}': found a directory, expected a file; name a file inside it",
                    path.string());
  }
  if (!S_ISREG(status.st_mode)) {
    throw UserError(
        "cannot read '{}': found a pipe or device, expected a regular file; save its content to a file first",
        path.string());
  }
  return static_cast<size_t>(status.st_size);
}

}  // namespace

MappedFile MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe nobody writes to would wait for ever instead of being refused.
  const ScopedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail(path, errno);
  const size_t size = regular_file_size(file.get(), path);
  // mmap refuses a length of zero.
  if (size == 0) return MappedFile({});
  const void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED && errno == ENOMEM) throw not_enough_memory(path, size);
  if (address == MAP_FAILED) fail(path, errno);
  return MappedFile({static_cast<const std::byte*>(address), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedFile::~MappedFile() {
  unmap();
}

void MappedFile::unmap() noexcept {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

}  // namespace memsizer
