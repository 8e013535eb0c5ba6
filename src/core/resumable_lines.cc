#include "core/resumable_lines.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/mapped_file.h"

namespace memsizer {
namespace {

constexpr auto kFormat = "memsizer-partial";
constexpr int64_t kVersion = 1;
// What a power cut may cost.
constexpr int64_t kLinesBetweenSyncs = 1024;

std::string header_of(const ResumableLines::Settings& settings) {
  const nlohmann::json header = {{"format", kFormat}, {"version", kVersion}, {"settings", settings}};
  return header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

ResumableLines::ResumableLines(const std::filesystem::path& path, const Settings& settings)
    : path_(path), partial_(path.string() + ".partial") {
  // A place where the file cannot appear in the end is refused now.
  const AtomicFile possible(path);
  open_partial();
  try {
    read_partial(settings);
    if (first_byte_ == 0) begin_partial(settings);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

ResumableLines::~ResumableLines() {
  if (file_ >= 0) ::close(file_);
}

void ResumableLines::open_partial() {
  file_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail("opening", errno);
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw UserError("'{}' is being written by another process; wait for it or choose another output",
                  partial_.string());
}

void ResumableLines::read_partial(const Settings& settings) {
  int64_t complete = 0;
  {
    const MappedFile mapped = MappedFile::open(partial_);
    const std::string_view text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
    const size_t header_end = text.find('\n');
    if (header_end != std::string_view::npos) {
      require_settings(std::string(text.substr(0, header_end)), settings);
      first_byte_ = static_cast<int64_t>(header_end) + 1;
      complete = static_cast<int64_t>(text.rfind('\n')) + 1;
      lines_ = std::ranges::count(text, '\n') - 1;
    }
  }
  // The last line may have been cut through.
  if (::ftruncate(file_, complete) != 0) fail("truncating", errno);
}

void ResumableLines::require_settings(const std::string& header, const Settings& settings) const {
  const nlohmann::json found = nlohmann::json::parse(header, nullptr, /*allow_exceptions=*/false);
  if (!found.is_object() || found.value("format", nlohmann::json()) != kFormat ||
      found.value("version", nlohmann::json()) != kVersion || !found.contains("settings")) {
    throw UserError("'{}' was not begun by this version of memsizer; remove it or choose another output",
                    partial_.string());
  }
  if (header + "\n" == header_of(settings)) return;
  std::string differs = "other settings";
  for (const auto& [name, value] : settings) {
    const nlohmann::json& begun = found["settings"];
    if (begun.is_object() && begun.value(name, nlohmann::json()) == nlohmann::json(value)) continue;
    differs = "another " + name;
    break;
  }
  throw UserError(
      "'{}' was begun with {}; give the arguments it was begun with to go on, or remove it to start from "
      "the beginning",
      partial_.string(), differs);
}

void ResumableLines::begin_partial(const Settings& settings) {
  const std::string header = header_of(settings);
  write(header);
  first_byte_ = static_cast<int64_t>(header.size());
}

void ResumableLines::add(std::string_view line) {
  write(std::string(line) + "\n");
  ++lines_;
  if (lines_ % kLinesBetweenSyncs == 0 && ::fdatasync(file_) != 0) fail("flushing", errno);
}

void ResumableLines::commit() {
  AtomicFile file(path_);
  copy_to(file);
  file.commit();
  ::unlink(partial_.c_str());
  ::close(file_);
  file_ = -1;
}

void ResumableLines::copy_to(AtomicFile& file) {
  std::vector<std::byte> buffer(size_t{1} << 20);
  for (int64_t at = first_byte_;;) {
    const ssize_t count = ::pread(file_, buffer.data(), buffer.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("reading", errno);
    if (count == 0) return;
    file.write(std::span(buffer).first(static_cast<size_t>(count)));
    at += count;
  }
}

void ResumableLines::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("writing", errno);
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void ResumableLines::fail(std::string_view doing, int error) const {
  throw UserError("cannot write '{}': {} failed: {}; mend that and run the same command to go on",
                  partial_.string(), doing, std::generic_category().message(error));
}

}  // namespace memsizer
