#include "text/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace memsizer::text {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

const char* advice(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "check the path (data.directory and the file's name)";
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

void require_regular_file(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) {
    throw UserError("cannot read '{}': found a directory, expected a text file; name a file inside it",
                    path.string());
  }
  if (!S_ISREG(status.st_mode)) {
    throw UserError(
        "cannot read '{}': found a pipe or device, expected a text file, as it is read more than once; save "
        "its content to a file first",
        path.string());
  }
}

}  // namespace

struct LineReader::File {
  explicit File(const std::filesystem::path& path) {
    // Without O_NONBLOCK, opening a pipe nobody writes to would wait for ever instead of being refused.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail(path, errno);
    try {
      require_regular_file(descriptor, path);
    } catch (...) {
      ::close(descriptor);
      throw;
    }
    handle = ::gzdopen(descriptor, "rb");
    if (!handle) {
      ::close(descriptor);
      throw std::bad_alloc();
    }
    ::gzbuffer(handle, kHeadBytes);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::gzclose(handle); }

  gzFile handle = nullptr;
};

LineReader::LineReader(const std::filesystem::path& path, std::string name)
    : path_(path),
      name_(std::move(name)),
      file_(std::make_unique<File>(path)),
      buffer_(std::make_unique<char[]>(kHeadBytes)) {
  refill();
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

bool LineReader::next(std::string& line) {
  line.clear();
  if (rest_.empty() && !refill()) return false;
  for (;;) {
    const size_t end = rest_.find('\n');
    line += rest_.substr(0, end);
    if (end != std::string_view::npos) {
      rest_.remove_prefix(end + 1);
      break;
    }
    if (!refill()) break;
  }
  if (line.ends_with('\r')) line.pop_back();
  ++lines_;
  return true;
}

std::string LineReader::place() const {
  return fmt::format("{}:{}", name_, lines_);
}

bool LineReader::refill() {
  const int bytes = ::gzread(file_->handle, buffer_.get(), kHeadBytes);
  int code = Z_OK;
  std::string_view problem = ::gzerror(file_->handle, &code);
  if (code == Z_ERRNO) fail(path_, errno);
  // zlib opens its messages with a name it made up for the descriptor.
  if (const size_t colon = problem.find(": "); colon != std::string_view::npos)
    problem.remove_prefix(colon + 2);
  // What precedes the damage is handed out first, so a cut file shows at its end.
  if (bytes < 0) fail_damaged(problem);
  if (bytes == 0 && code == Z_BUF_ERROR) fail_damaged("it ends in the middle");
  rest_ = {buffer_.get(), static_cast<size_t>(bytes)};
  return bytes > 0;
}

void LineReader::fail_damaged(std::string_view problem) const {
  throw UserError("'{}' is a damaged gzip file, readable up to line {} ({}); copy or compress it again",
                  path_.string(), lines_, problem);
}

}  // namespace memsizer::text
