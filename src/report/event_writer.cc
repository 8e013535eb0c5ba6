#include "report/event_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/error.h"
#include "report/crc32c.h"
#include "report/shown_text.h"

namespace memsizer::report {
namespace {

namespace fs = std::filesystem;

// Of TensorFlow's types.proto and summary.proto.
constexpr uint64_t kStringType = 7;
constexpr uint64_t kTensorData = 2;

void append_little_endian(std::string& bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

// A protobuf message being encoded. The field numbers its users give are those of TensorFlow's event.proto,
// summary.proto and tensor.proto; tests/report/event.proto has them in one place.
class Message {
 public:
  Message& varint(uint32_t field, uint64_t value) {
    append_key(field, 0);
    append_varint(value);
    return *this;
  }

  Message& number(uint32_t field, double value) {
    append_key(field, 1);
    append_little_endian(bytes_, std::bit_cast<uint64_t>(value), 8);
    return *this;
  }

  Message& number(uint32_t field, float value) {
    append_key(field, 5);
    append_little_endian(bytes_, std::bit_cast<uint32_t>(value), 4);
    return *this;
  }

  Message& bytes(uint32_t field, std::string_view value) {
    append_key(field, 2);
    append_varint(value.size());
    bytes_ += value;
    return *this;
  }

  Message& message(uint32_t field, const Message& value) { return bytes(field, value.bytes_); }

  const std::string& encoded() const { return bytes_; }

 private:
  void append_key(uint32_t field, uint32_t wire_type) { append_varint(field << 3 | wire_type); }

  void append_varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(0x80 | (value & 0x7f)));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Message event_at(int64_t step) {
  return Message().number(1, now_seconds()).varint(2, static_cast<uint64_t>(step));
}

Message event_of(const Message& value, int64_t step) {
  return event_at(step).message(5, Message().message(1, value));
}

// Converting a double beyond float's range is undefined.
float to_float(double value) {
  if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max()) {
    return std::copysign(std::numeric_limits<float>::infinity(), value < 0 ? -1.0F : 1.0F);
  }
  return static_cast<float>(value);
}

// TensorBoard reads the files of a folder in the order of their names, so time comes first; the number at the
// end keeps apart what one process starts within a second.
fs::path new_path(const fs::path& directory) {
  const auto seconds = static_cast<int64_t>(now_seconds());
  fs::path path;
  int number = 0;
  do {
    path =
        directory / fmt::format("events.out.tfevents.{:010}.memsizer.{}.{}", seconds, ::getpid(), number++);
  } while (fs::exists(path));
  return path;
}

}  // namespace

EventWriter::EventWriter(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error || !fs::is_directory(directory, error)) {
    throw UserError(
        "cannot write event files to '{}': found no directory and could not create one{}{}; choose another "
        "place",
        directory.string(), error ? ": " : "", error ? error.message() : "");
  }
  path_ = new_path(directory);
  file_.open(path_, std::ios::binary);
  check_written();
  record(event_at(0).bytes(3, "brain.Event:2").encoded());
  flush();
}

void EventWriter::scalar(std::string_view tag, double value, int64_t step) {
  record(event_of(Message().bytes(1, clean_line(tag)).number(2, to_float(value)), step).encoded());
}

void EventWriter::text(std::string_view tag, std::string_view markdown, int64_t step) {
  const Message plugin = Message().bytes(1, "text");
  const Message metadata = Message().message(1, plugin).varint(4, kTensorData);
  // Without dimensions in its shape the tensor is one string.
  const Message tensor =
      Message().varint(1, kStringType).message(2, Message()).bytes(8, clean_text(markdown));
  record(
      event_of(Message().bytes(1, clean_line(tag)).message(8, tensor).message(9, metadata), step).encoded());
}

void EventWriter::flush() {
  file_.flush();
  check_written();
}

void EventWriter::record(std::string_view event) {
  std::string length;
  append_little_endian(length, event.size(), 8);
  std::string framed = length;
  append_little_endian(framed, masked_crc32c(length), 4);
  framed += event;
  append_little_endian(framed, masked_crc32c(event), 4);
  file_.write(framed.data(), static_cast<std::streamsize>(framed.size()));
  check_written();
}

void EventWriter::check_written() const {
  if (file_) return;
  throw UserError(
      "cannot write '{}': expected a writable place with space left; check its permissions and the space, or "
      "choose another",
      path_.string());
}

}  // namespace memsizer::report
