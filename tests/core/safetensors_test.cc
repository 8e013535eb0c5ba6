#include "core/safetensors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.h"
#include "support/temp_dir.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::TempDir;

constexpr std::array kAllDTypes = {DType::Bool, DType::U8,   DType::I8,  DType::U16, DType::I16,
                                   DType::F16,  DType::BF16, DType::U32, DType::I32, DType::F32,
                                   DType::U64,  DType::I64,  DType::F64};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string length_prefix(uint64_t length) {
  std::string prefix;
  for (int i = 0; i < 8; ++i) prefix.push_back(static_cast<char>(length >> (8 * i) & 0xff));
  return prefix;
}

// A whole file of this header and `data_bytes` of data.
std::string file_of(const std::string& header, size_t data_bytes = 0) {
  return length_prefix(header.size()) + header + std::string(data_bytes, '\7');
}

SafetensorsContent parse(const std::string& file) {
  return parse_safetensors(bytes_of(file), "model.safetensors");
}

// The message of the error, after checking what holds for all of them: one short line that names the file.
std::string error_of(const std::string& file) {
  try {
    parse(file);
  } catch (const UserError& error) {
    std::string message = error.what();
    EXPECT_TRUE(message.starts_with("'model.safetensors' ")) << message;
    EXPECT_LT(message.size(), 600U) << message;
    for (const char c : message) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7f) << message;
    return message;
  }
  ADD_FAILURE() << "expected a UserError";
  return "";
}

void expect_error(const std::string& file, const std::string& part) {
  const std::string message = error_of(file);
  EXPECT_NE(message.find(part), std::string::npos) << "expected \"" << part << "\" in: " << message;
}

// A header with the one tensor 'a'.
std::string one_tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

// A small file that has every kind of thing in it.
std::string sample_file() {
  const TempDir dir;
  const std::string floats(24, '\1');
  const std::string flags(3, '\0');
  const std::vector<NamedTensor> tensors = {{"weight", DType::F32, {2, 3}, bytes_of(floats)},
                                            {"flags", DType::Bool, {3}, bytes_of(flags)},
                                            {"nothing", DType::I64, {0, 7}, {}},
                                            {"scale", DType::F64, {}, bytes_of(floats).first(8)}};
  write_safetensors(dir / "f", tensors, {{"format", "1"}, {"note", "a \"b\"\n\xc3\xa9"}});
  return read(dir / "f");
}

TEST(DType, NamesAndSizesAgreeWithTheFormat) {
  for (const DType dtype : kAllDTypes) EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype);
  EXPECT_EQ(dtype_name(DType::Bool), "BOOL");
  EXPECT_EQ(dtype_name(DType::BF16), "BF16");
  EXPECT_EQ(dtype_bytes(DType::Bool), 1U);
  EXPECT_EQ(dtype_bytes(DType::BF16), 2U);
  EXPECT_EQ(dtype_bytes(DType::F32), 4U);
  EXPECT_EQ(dtype_bytes(DType::I64), 8U);
  EXPECT_FALSE(parse_dtype("f32"));
  EXPECT_FALSE(parse_dtype(""));
}

TEST(MappedFile, MapsAFileAndMoves) {
  const TempDir dir;
  put(dir / "f", "hello");
  MappedFile file = MappedFile::open(dir / "f");
  const std::byte* address = file.bytes().data();
  MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes().data(), address);
  put(dir / "g", "other");
  moved = MappedFile::open(dir / "g");
  EXPECT_EQ(text_of(moved.bytes()), "other");
}

TEST(MappedFile, MapsAnEmptyFile) {
  const TempDir dir;
  put(dir / "f", "");
  EXPECT_TRUE(MappedFile::open(dir / "f").bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNotAFile) {
  const TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(MappedFile::open(dir / "missing"), UserError);
  EXPECT_THROW(MappedFile::open(dir / "pipe"), UserError);
  EXPECT_THROW(MappedFile::open(dir.path()), UserError);
  EXPECT_THROW(MappedFile::open(""), UserError);
}

TEST(MappedFile, SaysWhatIsWrong) {
  const TempDir dir;
  try {
    MappedFile::open(dir / "missing");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(),
              "cannot read '" + (dir / "missing").string() + "': No such file or directory; check the path");
  }
}

TEST(Safetensors, RoundTripOfEveryDType) {
  const TempDir dir;
  std::vector<std::string> data;
  std::vector<NamedTensor> tensors;
  data.reserve(kAllDTypes.size());
  for (const DType dtype : kAllDTypes) {
    std::string& bytes = data.emplace_back();
    for (size_t i = 0; i < 15 * dtype_bytes(dtype); ++i)
      bytes.push_back(static_cast<char>(i * 37 + data.size()));
    const std::string name(dtype_name(dtype));
    tensors.push_back({name + ".matrix", dtype, {3, 5}, bytes_of(bytes)});
    tensors.push_back({name + ".scalar", dtype, {}, bytes_of(bytes).first(dtype_bytes(dtype))});
    tensors.push_back({name + ".empty", dtype, {4, 0, 2}, {}});
  }
  write_safetensors(dir / "f", tensors, {});

  const SafetensorsFile file = SafetensorsFile::open(dir / "f");
  EXPECT_EQ(file.path(), dir / "f");
  EXPECT_TRUE(file.metadata().empty());
  ASSERT_EQ(file.names().size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView& view = file.tensor(tensors[i].name);
    EXPECT_EQ(view.dtype, tensors[i].dtype);
    EXPECT_EQ(view.shape, tensors[i].shape);
    EXPECT_EQ(text_of(view.data), text_of(tensors[i].data));
    EXPECT_EQ(static_cast<size_t>(view.elements()) * dtype_bytes(view.dtype), view.data.size());
  }
  EXPECT_EQ(file.tensor("F32.scalar").elements(), 1);
  EXPECT_EQ(file.tensor("F32.empty").elements(), 0);
}

TEST(Safetensors, KeepsOrderMetadataAndOddNames) {
  const TempDir dir;
  const std::string data = "abcdef";
  const std::string odd("\n\"\\\0\xc3\xa9", 6);
  const std::vector<NamedTensor> tensors = {{"z", DType::U8, {2}, bytes_of(data).first(2)},
                                            {odd, DType::U8, {3}, bytes_of(data).subspan(2, 3)},
                                            {"", DType::U8, {1}, bytes_of(data).last(1)}};
  const std::map<std::string, std::string> metadata = {{"", "x"}, {odd, odd}, {"config", "{\"k\": 1}"}};
  write_safetensors(dir / "f", tensors, metadata);
  const SafetensorsFile file = SafetensorsFile::open(dir / "f");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"z", odd, ""}));
  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(text_of(file.tensor(odd).data), "cde");
  EXPECT_TRUE(file.contains(odd));
  EXPECT_FALSE(file.contains("y"));
}

TEST(Safetensors, EmptyTensorsKeepTheirOrderToo) {
  const TempDir dir;
  const std::vector<NamedTensor> tensors = {
      {"b", DType::F32, {0}, {}}, {"a", DType::F32, {0}, {}}, {"c", DType::F32, {0}, {}}};
  write_safetensors(dir / "f", tensors, {});
  EXPECT_EQ(SafetensorsFile::open(dir / "f").names(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST(Safetensors, RoundTripOfNoTensors) {
  const TempDir dir;
  write_safetensors(dir / "f", {}, {});
  EXPECT_EQ(read(dir / "f"), file_of("{}      "));
  EXPECT_TRUE(SafetensorsFile::open(dir / "f").names().empty());
}

TEST(Safetensors, ViewsSurviveAMoveOfTheFile) {
  const TempDir dir;
  put(dir / "f", sample_file());
  SafetensorsFile file = SafetensorsFile::open(dir / "f");
  const TensorView view = file.tensor("weight");
  const SafetensorsFile moved = std::move(file);
  EXPECT_EQ(text_of(view.data), std::string(24, '\1'));
  EXPECT_EQ(moved.tensor("weight").data.data(), view.data.data());
}

TEST(Safetensors, WritesTheSameBytesAlignedToEight) {
  EXPECT_EQ(sample_file(), sample_file());
  const TempDir dir;
  for (size_t name_bytes = 1; name_bytes <= 16; ++name_bytes) {
    const std::string data = "data";
    const std::vector<NamedTensor> tensors = {{std::string(name_bytes, 'n'), DType::U8, {4}, bytes_of(data)}};
    write_safetensors(dir / "f", tensors, {});
    const std::string file = read(dir / "f");
    EXPECT_EQ((file.size() - 4) % 8, 0U);
    EXPECT_TRUE(file.ends_with("data"));
  }
}

TEST(Safetensors, ReadsDataNotAlignedAndNotInTheOrderOfTheHeader) {
  const SafetensorsContent content =
      parse(file_of(R"({"late":{"dtype":"F32","shape":[1],"data_offsets":[1,5]},)"
                    R"("early":{"data_offsets":[0,1],"shape":[1],"dtype":"U8"}}   )",
                    5));
  EXPECT_EQ(content.names, (std::vector<std::string>{"early", "late"}));
  EXPECT_EQ(content.tensors.at("late").data.size(), 4U);
}

TEST(Safetensors, UnknownTensorNamesTheNearest) {
  const TempDir dir;
  put(dir / "f", sample_file());
  const SafetensorsFile file = SafetensorsFile::open(dir / "f");
  try {
    file.tensor("wieght");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), "'" + (dir / "f").string() + "' has no tensor 'wieght'; did you mean 'weight'?");
  }
  EXPECT_THROW(file.tensor(""), UserError);
}

TEST(Safetensors, OpenSaysWhatIsWrongWithTheFile) {
  const TempDir dir;
  put(dir / "f", "short");
  EXPECT_THROW(SafetensorsFile::open(dir / "f"), UserError);
  EXPECT_THROW(SafetensorsFile::open(dir / "missing"), UserError);
  EXPECT_THROW(SafetensorsFile::open(dir.path()), UserError);
}

TEST(SafetensorsHostile, TruncationAtEveryLength) {
  const std::string file = sample_file();
  ASSERT_NO_THROW(parse(file));
  for (size_t length = 0; length < file.size(); ++length) {
    // A copy of its own lets the address sanitizer see any read beyond the end.
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_THROW(parse_safetensors(std::as_bytes(std::span(cut)), "cut"), UserError) << length;
  }
  EXPECT_THROW(parse(file + "x"), UserError);
}

TEST(SafetensorsHostile, HeaderLength) {
  expect_error("", "found 0 bytes, expected at least 8");
  expect_error("1234567", "found 7 bytes");
  expect_error(length_prefix(3) + "{}", "header length of 3 in a file of 10 bytes, expected at most 2");
  expect_error(length_prefix(100'000'001) + "{}", "header length of 100000001, expected at most 100000000");
  expect_error(length_prefix(UINT64_MAX) + "{}", "header length of 18446744073709551615");
  expect_error(length_prefix(0), "found no '{'");
}

TEST(SafetensorsHostile, HeaderThatIsNoJsonObject) {
  for (const char* header : {"[]", " {}", "\"\"", "1", "null", "\xef\xbb\xbf{}"}) {
    expect_error(file_of(header), "found no '{' at the start of the header");
  }
  for (const char* header : {"{", "{}}", "{} x", "{\"a\"}", "{\"a\":}", "{,}", "{a:1}", "{\"a\xff\":1}",
                             "{\"\\ud800\":1}", "{\"a\n\":1}", "{}/**/", "{\"a\":1e999}"}) {
    expect_error(file_of(header), "not valid UTF-8 JSON");
  }
  expect_error(file_of(std::string("{}\0garbage", 10)), "found a zero byte at byte 2");
}

TEST(SafetensorsHostile, DeepNesting) {
  constexpr size_t kDepth = 5'000'000;
  const std::string brackets(kDepth, '[');
  expect_error(file_of(brackets), "found no '{'");
  expect_error(file_of("{\"a\":" + brackets), "found an array, expected an object with dtype");
  expect_error(file_of(one_tensor("\"U8\"", brackets, "[0,0]")), "found an array, expected a non-negative");
  expect_error(file_of("{\"__metadata__\":{\"x\":" + brackets), "found an array, expected a string");
  std::string objects;
  for (size_t i = 0; i < kDepth / 5; ++i) objects += "{\"a\":";
  expect_error(file_of(objects), "found field 'a'");
}

TEST(SafetensorsHostile, DuplicateKeys) {
  const std::string tensor = R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  expect_error(file_of("{" + tensor + "," + tensor + "}"), "found 'a' twice in the header");
  expect_error(file_of(R"({"__metadata__":{},"__metadata__":{}})"), "found '__metadata__' twice");
  expect_error(file_of(R"({"__metadata__":{"k":"1","k":"1"}})"), "found 'k' twice in __metadata__");
  expect_error(file_of(R"({"a":{"dtype":"U8","dtype":"U8"}})"), "found dtype twice");
}

TEST(SafetensorsHostile, Metadata) {
  EXPECT_EQ(parse(file_of(R"({"__metadata__":{}})")).metadata.size(), 0U);
  expect_error(file_of(R"({"__metadata__":[]})"),
               "__metadata__: found an array, expected an object of strings");
  expect_error(file_of(R"({"__metadata__":null})"), "found null, expected an object of strings");
  expect_error(file_of(R"({"__metadata__":{"k":1}})"), "__metadata__ 'k': found 1, expected a string");
  expect_error(file_of(R"({"__metadata__":{"k":{}}})"), "found an object, expected a string");
  expect_error(file_of(R"({"__metadata__":{"k":true}})"), "found true, expected a string");
}

TEST(SafetensorsHostile, TensorFields) {
  expect_error(file_of(R"({"a":1})"), "tensor 'a': found 1, expected an object with dtype");
  expect_error(file_of(R"({"a":"x"})"), "found a string, expected an object");
  expect_error(file_of(R"({"a":{}})"), "found no dtype");
  expect_error(file_of(R"({"a":{"dtype":"U8","shape":[0]}})"), "found no data_offsets");
  expect_error(file_of(R"({"a":{"dtype":"U8","data_offsets":[0,0]}})"), "found no shape");
  expect_error(file_of(R"({"a":{"dtype":"U8","extra":1}})"), "found field 'extra'");
  expect_error(file_of(one_tensor("3", "[0]", "[0,0]")), "dtype: found 3, expected a string");
  expect_error(file_of(one_tensor("\"U8\"", "\"0\"", "[0,0]")), "found a string, expected an array");
  expect_error(file_of(one_tensor("\"U8\"", "[0]", "{}")), "found an object, expected an array");
}

TEST(SafetensorsHostile, UnknownDType) {
  for (const char* dtype : {"\"F8_E4M3\"", "\"f32\"", "\"\"", "\"F32 \""}) {
    expect_error(file_of(one_tensor(dtype, "[0]", "[0,0]")), "found dtype '");
  }
}

TEST(SafetensorsHostile, Shape) {
  for (const char* value :
       {"-1", "-0", "1.5", "1e2", "18446744073709551616", "true", "null", "\"1\"", "{}"}) {
    expect_error(file_of(one_tensor("\"U8\"", "[" + std::string(value) + "]", "[0,0]")),
                 "expected a non-negative 64-bit integer");
  }
  expect_error(file_of(one_tensor("\"U8\"", "[9223372036854775808]", "[0,0]")), "expected less than 2^63");
  for (const char* shape :
       {"[9223372036854775807,2]", "[4294967296,4294967296]", "[4294967296,2147483648,0]",
        "[4611686018427387904,4]", "[1,1,1,1,1,1,9223372036854775807,9223372036854775807]"}) {
    expect_error(file_of(one_tensor("\"U8\"", shape, "[0,0]")), "expected fewer than 2^63 elements");
  }
  // 2^61 elements of 8 bytes: the elements can be counted, the bytes cannot.
  expect_error(file_of(one_tensor("\"F64\"", "[2305843009213693952]", "[0,0]")), "expected fewer than 2^63");
  EXPECT_NO_THROW(parse(file_of(one_tensor("\"U8\"", "[1,1,1,1,1,1,1,1]", "[0,1]"), 1)));
  expect_error(file_of(one_tensor("\"U8\"", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), 1), "more than 8 dimensions");
}

TEST(SafetensorsHostile, Offsets) {
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[4,0]"), 4),
               "data_offsets [4, 0], expected begin <= end");
  expect_error(file_of(one_tensor("\"U8\"", "[5]", "[0,5]"), 4), "data_offsets [0, 5]");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[18446744073709551615,3]"), 4), "data_offsets [1844");
  expect_error(file_of(one_tensor("\"U8\"", "[0]", "[18446744073709551615,18446744073709551615]"), 4),
               "found");
  expect_error(file_of(one_tensor("\"F32\"", "[2]", "[0,4]"), 4),
               "found 4 bytes of data, expected 8 for F32 [2]");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[]"), 4), "found 0 data_offsets, expected 2");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[0]"), 4), "found 1 data_offsets, expected 2");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[0,4,4]"), 4), "more than 2 data_offsets");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[0,-4]"), 4), "expected a non-negative 64-bit integer");
}

TEST(SafetensorsHostile, OverlapsAndHoles) {
  const auto two = [](const std::string& first, const std::string& second) {
    return file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                       R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                   8);
  };
  EXPECT_NO_THROW(parse(two("[4,8]", "[0,4]")));
  expect_error(two("[0,4]", "[0,4]"), "tensor 'b' starts at data byte 0, overlapping");
  expect_error(two("[0,4]", "[3,7]"), "overlapping the data before it; expected it at byte 4");
  expect_error(two("[1,5]", "[4,8]"), "leaving a hole");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[1,5]"), 5), "leaving a hole");
  expect_error(file_of(one_tensor("\"U8\"", "[4]", "[0,4]"), 5), "found 5 bytes of data, expected 4");
  expect_error(file_of("{}", 1), "found 1 bytes of data, expected 0");
}

TEST(SafetensorsHostile, NamesInMessagesAreEscapedAndCut) {
  expect_error(file_of(R"({"a\u0000\n\u001b[2Jb\u007f\u009b":1})"),
               R"(tensor 'a\x00\x0a\x1b[2Jb\x7f\u009b': found 1)");
  expect_error(file_of("{\"" + std::string(1'000'000, 'n') + "\":1}"), std::string(120, 'n') + "...'");
  expect_error(file_of(one_tensor("\"" + std::string(1'000'000, '\xc3') + "\"", "[0]", "[0,0]")), "UTF-8");
  expect_error(file_of(one_tensor("\"U8\"", "[" + std::string(1'000'000, '9') + "]", "[0,0]")), "");
  EXPECT_EQ(printable_name("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(printable_name("ab\xc3\xa9\xc3\xa9", 3), "ab\xc3\xa9...");
  EXPECT_LT(printable_name(std::string(1000, '\x80')).size(), 130U);
}

// Either a result whose views lie inside the file, or a UserError; anything else fails the test.
void expect_sound(const std::vector<char>& file) {
  try {
    const SafetensorsContent content = parse_safetensors(std::as_bytes(std::span(file)), "mutant");
    size_t total = 0;
    for (const auto& [name, view] : content.tensors) {
      total += text_of(view.data).size();
    }
    EXPECT_LE(total, file.size());
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
}

TEST(SafetensorsHostile, RandomMutations) {
  const std::string valid = sample_file();
  std::mt19937 random(1234);
  const auto below = [&](size_t limit) { return random() % limit; };
  // The zero byte that ends it is one of them.
  constexpr char kAlphabet[] = "{}[]\",:0123456789-eE.\\ \ntfn\x80\xff";
  for (int round = 0; round < 6000; ++round) {
    std::vector<char> file(valid.begin(), valid.end());
    const size_t changes = 1 + below(3);
    for (size_t i = 0; i < changes; ++i) {
      const auto at = file.begin() + static_cast<std::ptrdiff_t>(below(file.size()));
      switch (below(4)) {
        case 0:
          *at = static_cast<char>(*at ^ (1 << below(8)));
          break;
        case 1:
          *at = kAlphabet[below(std::size(kAlphabet))];
          break;
        case 2:
          file.erase(at);
          break;
        default:
          file.insert(at, kAlphabet[below(std::size(kAlphabet))]);
      }
    }
    expect_sound(file);
  }
}

TEST(SafetensorsWriter, RefusesWhatNoReaderWouldTake) {
  const TempDir dir;
  const std::string data(8, 'x');
  const auto refused = [&](const std::vector<NamedTensor>& tensors,
                           const std::map<std::string, std::string>& metadata = {}) {
    EXPECT_THROW(write_safetensors(dir / "f", tensors, metadata), std::invalid_argument);
  };
  refused({{"a", DType::F32, {3}, bytes_of(data)}});
  refused({{"a", DType::F32, {-2}, bytes_of(data)}});
  refused({{"a", DType::F32, {INT64_MAX, 4}, bytes_of(data)}});
  refused({{"a", DType::U8, {1, 1, 1, 1, 1, 1, 1, 1, 8}, bytes_of(data)}});
  refused({{"__metadata__", DType::U8, {8}, bytes_of(data)}});
  refused({{"a", DType::U8, {8}, bytes_of(data)}, {"a", DType::U8, {8}, bytes_of(data)}});
  refused({{"\xff", DType::U8, {8}, bytes_of(data)}});
  refused({}, {{"k", "\xff"}});
  EXPECT_TRUE(fs::is_empty(dir.path()));
}

TEST(SafetensorsWriter, LeavesTheOldFileWhenTheDiskIsFull) {
  const TempDir dir;
  const std::string old_file = sample_file();
  put(dir / "f", old_file);
  const std::string data(100'000, 'x');
  const std::vector<NamedTensor> tensors = {{"a", DType::U8, {100'000}, bytes_of(data)}};

  // A file size limit fails a write half-way, as a full disk does.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit limit = old_limit;
  limit.rlim_cur = 50'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_THROW(write_safetensors(dir / "f", tensors, {}), UserError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  static_cast<void>(std::signal(SIGXFSZ, old_handler));

  EXPECT_EQ(read(dir / "f"), old_file);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace memsizer
