#include "report/event_writer.h"

#include <event.pb.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "report/crc32c.h"
#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::report {
namespace {

namespace fs = std::filesystem;
using testing::Event;
using testing::has_text;
using testing::message_of;
using testing::TempDir;

std::vector<fs::path> files_in(const fs::path& directory) {
  std::set<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory)) paths.insert(entry.path());
  return {paths.begin(), paths.end()};
}

uint64_t take_number(std::string& bytes, size_t count) {
  EXPECT_GE(bytes.size(), count);
  uint64_t value = 0;
  for (size_t i = 0; i < count && i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  bytes.erase(0, count);
  return value;
}

// The events of a file, after checking its framing to the last byte.
std::vector<Event> events_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<Event> events;
  while (!bytes.empty()) {
    const std::string length_bytes = bytes.substr(0, 8);
    const uint64_t length = take_number(bytes, 8);
    EXPECT_EQ(take_number(bytes, 4), masked_crc32c(length_bytes));
    if (length > bytes.size()) {
      ADD_FAILURE() << "a record of " << length << " bytes, but " << bytes.size() << " left";
      break;
    }
    const std::string data = bytes.substr(0, length);
    bytes.erase(0, length);
    EXPECT_EQ(take_number(bytes, 4), masked_crc32c(data));
    EXPECT_TRUE(events.emplace_back().ParseFromString(data));
  }
  return events;
}

std::vector<Event> only_events(const fs::path& directory) {
  const std::vector<fs::path> files = files_in(directory);
  EXPECT_EQ(files.size(), 1U);
  return events_of(files.at(0));
}

TEST(EventWriter, FirstRecordIsTheVersion) {
  const TempDir dir;
  const EventWriter writer(dir.path());
  const std::vector<Event> events = only_events(dir.path());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].file_version(), "brain.Event:2");
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(events[0].wall_time(), now, 60);
}

TEST(EventWriter, ScalarsReadBack) {
  const TempDir dir;
  EventWriter writer(dir.path());
  writer.scalar("train/loss", 3.25, 100);
  writer.scalar("größe", -1.5, int64_t{1} << 40);
  writer.scalar("zero", 0, 0);
  writer.flush();
  const std::vector<Event> events = only_events(dir.path());
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[1].step(), 100);
  ASSERT_EQ(events[1].summary().value_size(), 1);
  EXPECT_EQ(events[1].summary().value(0).tag(), "train/loss");
  EXPECT_EQ(events[1].summary().value(0).simple_value(), 3.25F);
  EXPECT_EQ(events[2].step(), int64_t{1} << 40);
  EXPECT_EQ(events[2].summary().value(0).tag(), "größe");
  // Even a zero is there: TensorBoard asks which field is set.
  EXPECT_EQ(events[3].summary().value(0).value_case(), testing::Summary::Value::kSimpleValue);
}

TEST(EventWriter, ValuesBeyondFloat) {
  const TempDir dir;
  EventWriter writer(dir.path());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {1e300, -1e300, infinity, std::nan(""), 1e-300}) writer.scalar("x", value, 1);
  writer.flush();
  const std::vector<Event> events = only_events(dir.path());
  ASSERT_EQ(events.size(), 6U);
  const auto value = [&](size_t i) { return events[i].summary().value(0).simple_value(); };
  EXPECT_EQ(value(1), infinity);
  EXPECT_EQ(value(2), -infinity);
  EXPECT_EQ(value(3), infinity);
  EXPECT_TRUE(std::isnan(value(4)));
  EXPECT_EQ(value(5), 0);
}

TEST(EventWriter, TextIsATensorOfTheTextPlugin) {
  const TempDir dir;
  EventWriter writer(dir.path());
  const std::string long_text(100'000, 'x');
  writer.text("sample", "**bold**\nGrüße", 7);
  writer.text("sample", long_text, 8);
  writer.flush();
  const std::vector<Event> events = only_events(dir.path());
  ASSERT_EQ(events.size(), 3U);
  const auto& value = events[1].summary().value(0);
  EXPECT_EQ(events[1].step(), 7);
  EXPECT_EQ(value.tag(), "sample");
  EXPECT_EQ(value.metadata().plugin_data().plugin_name(), "text");
  EXPECT_EQ(value.metadata().data_class(), 2);
  EXPECT_EQ(value.tensor().dtype(), 7);
  EXPECT_TRUE(value.tensor().has_tensor_shape());
  ASSERT_EQ(value.tensor().string_val_size(), 1);
  EXPECT_EQ(value.tensor().string_val(0), "**bold**\nGrüße");
  EXPECT_EQ(events[2].summary().value(0).tensor().string_val(0), long_text);
}

TEST(EventWriter, HostileTextBecomesUtf8) {
  const TempDir dir;
  EventWriter writer(dir.path());
  writer.scalar("tag\xff\n", 1, -1);
  writer.text("", "\xc3\x01", 1);
  writer.flush();
  const std::vector<Event> events = only_events(dir.path());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1].summary().value(0).tag(), "tag\ufffd ");
  EXPECT_EQ(events[1].step(), -1);
  EXPECT_EQ(events[2].summary().value(0).tensor().string_val(0), "\ufffd\ufffd");
}

TEST(EventWriter, EachWriterHasAFileOfItsOwn) {
  const TempDir dir;
  EventWriter first(dir / "runs/a");
  EventWriter second(dir / "runs/a");
  first.scalar("x", 1, 1);
  first.flush();
  const std::vector<fs::path> files = files_in(dir / "runs/a");
  ASSERT_EQ(files.size(), 2U);
  for (const fs::path& file : files) {
    EXPECT_TRUE(file.filename().string().starts_with("events.out.tfevents.")) << file;
    EXPECT_TRUE(has_text(file.filename().string(), ".memsizer."));
  }
  EXPECT_EQ(events_of(files[0]).size() + events_of(files[1]).size(), 3U);
}

TEST(EventWriter, UnusablePlaces) {
  const TempDir dir;
  std::ofstream(dir / "file") << "x";
  EXPECT_TRUE(has_text(message_of([&] { EventWriter(dir / "file"); }), "choose another place"));
  EXPECT_TRUE(has_text(message_of([&] { EventWriter(dir / "file" / "below"); }), "choose another place"));
}

}  // namespace
}  // namespace memsizer::report
