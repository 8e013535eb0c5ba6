#include "text/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <span>
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

// Where bytes come from.
class LineReader::Input {
 public:
  virtual ~Input() = default;

  // Bytes read into `room`; 0 at the end. `lines` have been read before, for messages.
  virtual size_t read(std::span<char> room, int64_t lines) = 0;
  virtual void stop() = 0;
};

class LineReader::File final : public Input {
 public:
  explicit File(const std::filesystem::path& path) : path_(path) {
    // Without O_NONBLOCK, opening a pipe nobody writes to would wait for ever instead of being refused.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) fail(path, errno);
    try {
      require_regular_file(descriptor, path);
    } catch (...) {
      ::close(descriptor);
      throw;
    }
    handle_ = ::gzdopen(descriptor, "rb");
    if (!handle_) {
      ::close(descriptor);
      throw std::bad_alloc();
    }
    ::gzbuffer(handle_, kHeadBytes);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override { ::gzclose(handle_); }

  size_t read(std::span<char> room, int64_t lines) override {
    if (stopped_) return 0;
    const int bytes = ::gzread(handle_, room.data(), static_cast<unsigned>(room.size()));
    int code = Z_OK;
    std::string_view problem = ::gzerror(handle_, &code);
    if (code == Z_ERRNO) fail(path_, errno);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    // zlib opens its messages with a name it made up for the descriptor.
    if (const size_t colon = problem.find(": "); colon != std::string_view::npos)
      problem.remove_prefix(colon + 2);
    // What precedes the damage is handed out first, so a cut file shows at its end.
    if (bytes < 0) fail_damaged(problem, lines);
    if (bytes == 0 && code == Z_BUF_ERROR) fail_damaged("it ends in the middle", lines);
    return static_cast<size_t>(bytes);
  }

  void stop() override { stopped_ = true; }

 private:
  [[noreturn]] void fail_damaged(std::string_view problem, int64_t lines) const {
    throw UserError("'{}' is a damaged gzip file, readable up to line {} ({}); copy or compress it again",
                    path_.string(), lines, problem);
  }

  std::filesystem::path path_;
  gzFile handle_ = nullptr;
  bool stopped_ = false;
};

class LineReader::Descriptor final : public Input {
 public:
  Descriptor(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {
    stopped_ = ::eventfd(0, EFD_CLOEXEC);
    if (stopped_ < 0) throw_read_error(errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() override { ::close(stopped_); }

  size_t read(std::span<char> room, int64_t /*lines*/) override {
    for (;;) {
      std::array<pollfd, 2> waiting = {{{descriptor_, POLLIN, 0}, {stopped_, POLLIN, 0}}};
      if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) throw_read_error(errno);
      if (waiting[1].revents != 0) return 0;
      if (waiting[0].revents == 0) continue;
      const ssize_t bytes = ::read(descriptor_, room.data(), room.size());
      if (bytes >= 0) return static_cast<size_t>(bytes);
      if (errno != EINTR && errno != EAGAIN) throw_read_error(errno);
    }
  }

  void stop() override {
    const uint64_t one = 1;
    while (::write(stopped_, &one, sizeof one) < 0 && errno == EINTR) {
    }
  }

 private:
  [[noreturn]] void throw_read_error(int error) const {
    throw UserError("cannot read {}: {}; give it text from a file or another program", name_,
                    std::generic_category().message(error));
  }

  int descriptor_;
  std::string name_;
  int stopped_ = -1;
};

LineReader::LineReader(const std::filesystem::path& path, std::string name)
    : name_(std::move(name)),
      input_(std::make_unique<File>(path)),
      buffer_(std::make_unique<char[]>(kHeadBytes)) {
  begin();
}

LineReader::LineReader(int descriptor, std::string name)
    : name_(std::move(name)),
      input_(std::make_unique<Descriptor>(descriptor, name_)),
      buffer_(std::make_unique<char[]>(kHeadBytes)) {}

LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;
LineReader::~LineReader() = default;

void LineReader::stop() {
  input_->stop();
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (!begun_) begin();
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

bool LineReader::refill(size_t kept) {
  // A terminal's end of text is not asked for twice.
  const size_t bytes = ended_ ? 0 : input_->read({buffer_.get() + kept, kHeadBytes - kept}, lines_);
  ended_ = bytes == 0;
  rest_ = {buffer_.get(), kept + bytes};
  return !ended_;
}

void LineReader::begin() {
  begun_ = true;
  // A pipe may give the mark in pieces.
  while (refill(rest_.size()) && rest_.size() < kByteOrderMark.size() && kByteOrderMark.starts_with(rest_)) {
  }
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

}  // namespace memsizer::text
