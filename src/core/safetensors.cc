#include "core/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/names.h"
#include "core/safetensors_bytes.h"
#include "core/utf8.h"

namespace memsizer {
namespace {

constexpr size_t kLengthBytes = 8;
// The limit of the reference implementation, which protects readers from absurd lengths.
constexpr size_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxDimensions = 8;
// Paths are the user's own, and their end matters most.
constexpr size_t kMaxSourceBytes = 1000;
constexpr std::string_view kMetadataKey = "__metadata__";

struct Entry {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct Header {
  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;
};

[[noreturn]] void fail(std::string_view source, const std::string& problem) {
  throw UserError("'{}' is not a valid safetensors file: {}; copy or export the file again",
                  printable_name(source, kMaxSourceBytes), problem);
}

std::string tensor_text(std::string_view name) {
  return fmt::format("tensor '{}'", printable_name(name));
}

// Bytes of a tensor, or nothing if the elements do not fit int64_t or the bytes do not fit size_t.
std::optional<uint64_t> checked_bytes(std::span<const int64_t> shape, DType dtype) {
  int64_t elements = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0 || __builtin_mul_overflow(elements, dimension, &elements)) return std::nullopt;
  }
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(elements), dtype_bytes(dtype), &bytes))
    return std::nullopt;
  return bytes;
}

// Collects the header while it is being parsed and refuses what does not belong at the first token of it:
// nothing is ever nested more than three deep, however hostile the file.
class HeaderSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderSax(std::string_view source) : source_(source) {}

  Header take() { return std::move(header_); }

  bool start_object(size_t) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(size_t) override;
  bool end_array() override;
  bool string(string_t& value) override;
  bool number_unsigned(number_unsigned_t value) override;

  // nlohmann calls this one for numbers with a minus sign only.
  bool number_integer(number_integer_t value) override { unexpected(fmt::format("{}", value)); }
  bool number_float(number_float_t, const string_t& text) override { unexpected(printable_name(text)); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool null() override { unexpected("null"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) override {
    fail(source_, fmt::format("the header is not valid UTF-8 JSON, error at byte {} of it", position));
  }

 private:
  enum class Place { Outside, Header, Metadata, Tensor, Shape, Offsets };

  void begin_header_item(const string_t& name);
  void begin_tensor_field(const string_t& name);
  void finish_tensor();
  void add_dimension(uint64_t value);
  void add_offset(uint64_t value);
  [[noreturn]] void unexpected(std::string_view found) const;
  [[noreturn]] void fail_tensor(std::string_view problem) const {
    fail(source_, fmt::format("{}: {}", tensor_text(item_), problem));
  }
  std::string where() const;
  std::string_view expected() const;

  std::string_view source_;
  Header header_;
  Place place_ = Place::Outside;
  std::set<std::string> items_seen_;
  std::string item_;   // the key inside the header
  std::string field_;  // the key inside the metadata or a tensor
  std::set<std::string> fields_seen_;
  Entry entry_;
  std::vector<uint64_t> offsets_;
};

bool HeaderSax::start_object(size_t) {
  if (place_ == Place::Outside) {
    place_ = Place::Header;
  } else if (place_ == Place::Header) {
    place_ = item_ == kMetadataKey ? Place::Metadata : Place::Tensor;
    fields_seen_.clear();
    entry_ = Entry();
    entry_.name = item_;
    offsets_.clear();
  } else {
    unexpected("an object");
  }
  return true;
}

bool HeaderSax::key(string_t& name) {
  if (place_ == Place::Header) {
    begin_header_item(name);
  } else if (place_ == Place::Tensor) {
    begin_tensor_field(name);
  } else {
    field_ = name;
  }
  return true;
}

void HeaderSax::begin_header_item(const string_t& name) {
  if (!items_seen_.insert(name).second) {
    fail(source_, fmt::format("found '{}' twice in the header, expected it once", printable_name(name)));
  }
  item_ = name;
}

void HeaderSax::begin_tensor_field(const string_t& name) {
  if (name != "dtype" && name != "shape" && name != "data_offsets") {
    fail_tensor(
        fmt::format("found field '{}', expected only dtype, shape and data_offsets", printable_name(name)));
  }
  if (!fields_seen_.insert(name).second) fail_tensor(fmt::format("found {} twice, expected it once", name));
  field_ = name;
}

bool HeaderSax::end_object() {
  if (place_ == Place::Tensor) finish_tensor();
  place_ = place_ == Place::Header ? Place::Outside : Place::Header;
  return true;
}

void HeaderSax::finish_tensor() {
  for (const char* field : {"dtype", "shape", "data_offsets"}) {
    if (!fields_seen_.contains(field)) {
      fail_tensor(fmt::format("found no {}, expected dtype, shape and data_offsets", field));
    }
  }
  header_.entries.push_back(std::move(entry_));
}

bool HeaderSax::start_array(size_t) {
  if (place_ == Place::Tensor && field_ == "shape") {
    place_ = Place::Shape;
  } else if (place_ == Place::Tensor && field_ == "data_offsets") {
    place_ = Place::Offsets;
  } else {
    unexpected("an array");
  }
  return true;
}

bool HeaderSax::end_array() {
  if (place_ == Place::Offsets) {
    if (offsets_.size() != 2) {
      fail_tensor(fmt::format("found {} data_offsets, expected 2", offsets_.size()));
    }
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
  }
  place_ = Place::Tensor;
  return true;
}

bool HeaderSax::string(string_t& value) {
  if (place_ == Place::Metadata) {
    if (!header_.metadata.emplace(field_, value).second) {
      fail(source_,
           fmt::format("found '{}' twice in {}, expected it once", printable_name(field_), kMetadataKey));
    }
  } else if (place_ == Place::Tensor && field_ == "dtype") {
    const std::optional<DType> dtype = parse_dtype(value);
    if (!dtype) {
      fail_tensor(fmt::format("found dtype '{}', expected BOOL or an integer or floating point type like F32",
                              printable_name(value)));
    }
    entry_.dtype = *dtype;
  } else {
    unexpected("a string");
  }
  return true;
}

bool HeaderSax::number_unsigned(number_unsigned_t value) {
  if (place_ == Place::Shape) {
    add_dimension(value);
  } else if (place_ == Place::Offsets) {
    add_offset(value);
  } else {
    unexpected(fmt::format("{}", value));
  }
  return true;
}

void HeaderSax::add_dimension(uint64_t value) {
  if (entry_.shape.size() == kMaxDimensions) {
    fail_tensor(fmt::format("found more than {0} dimensions, expected at most {0}", kMaxDimensions));
  }
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    fail_tensor(fmt::format("found a dimension of {}, expected less than 2^63", value));
  }
  entry_.shape.push_back(static_cast<int64_t>(value));
}

void HeaderSax::add_offset(uint64_t value) {
  if (offsets_.size() == 2) fail_tensor("found more than 2 data_offsets, expected 2");
  offsets_.push_back(value);
}

void HeaderSax::unexpected(std::string_view found) const {
  fail(source_, fmt::format("{}: found {}, expected {}", where(), found, expected()));
}

std::string HeaderSax::where() const {
  std::string item = item_ == kMetadataKey ? item_ : tensor_text(item_);
  switch (place_) {
    case Place::Outside:
      return "header";
    case Place::Header:
      return item;
    case Place::Metadata:
      return fmt::format("{} '{}'", item, printable_name(field_));
    default:
      return fmt::format("{}, {}", item, field_);
  }
}

std::string_view HeaderSax::expected() const {
  switch (place_) {
    case Place::Outside:
      return "an object";
    case Place::Header:
      return item_ == kMetadataKey ? "an object of strings" : "an object with dtype, shape and data_offsets";
    case Place::Metadata:
      return "a string";
    case Place::Tensor:
      return field_ == "dtype" ? "a string" : "an array of integers";
    default:
      return "a non-negative 64-bit integer";
  }
}

// The JSON text of the header, its length checked.
std::string_view header_text(std::span<const std::byte> bytes, std::string_view source) {
  if (bytes.size() < kLengthBytes) {
    fail(source, fmt::format("found {} bytes, expected at least {}", bytes.size(), kLengthBytes));
  }
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  if (length > kMaxHeaderBytes) {
    fail(source, fmt::format("found a header length of {}, expected at most {}", length, kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) {
    fail(source, fmt::format("found a header length of {} in a file of {} bytes, expected at most {}", length,
                             bytes.size(), bytes.size() - kLengthBytes));
  }
  return {reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length};
}

Header parse_header(std::string_view text, std::string_view source) {
  if (!text.starts_with('{')) fail(source, "found no '{' at the start of the header, expected a JSON object");
  // nlohmann takes a zero byte for the end of the input and would ignore what follows it.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    fail(source, fmt::format("found a zero byte at byte {} of the header, expected UTF-8 JSON", zero));
  }
  HeaderSax sax(source);
  nlohmann::json::sax_parse(text.begin(), text.end(), &sax);
  return sax.take();
}

void check_size(const Entry& entry, uint64_t data_bytes, std::string_view source) {
  const auto fail_entry = [&](const std::string& problem) {
    fail(source, fmt::format("{}: {}", tensor_text(entry.name), problem));
  };
  if (entry.begin > entry.end || entry.end > data_bytes) {
    fail_entry(fmt::format("found data_offsets [{}, {}], expected begin <= end <= {}, the size of the data",
                           entry.begin, entry.end, data_bytes));
  }
  const std::optional<uint64_t> bytes = checked_bytes(entry.shape, entry.dtype);
  if (!bytes) {
    fail_entry(
        fmt::format("found shape [{}], expected fewer than 2^63 elements", fmt::join(entry.shape, ", ")));
  }
  if (*bytes != entry.end - entry.begin) {
    fail_entry(fmt::format("found {} bytes of data, expected {} for {} [{}]", entry.end - entry.begin, *bytes,
                           dtype_name(entry.dtype), fmt::join(entry.shape, ", ")));
  }
}

// Entries in the order of their data must join without overlap or hole and end where the file ends.
void check_layout(std::span<const Entry> entries, uint64_t data_bytes, std::string_view source) {
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      fail(source, fmt::format("{} starts at data byte {}, {} the data before it; expected it at byte {}",
                               tensor_text(entry.name), entry.begin,
                               entry.begin < position ? "overlapping" : "leaving a hole after", position));
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    fail(source, fmt::format("found {} bytes of data, expected {} for the tensors of the header", data_bytes,
                             position));
  }
}

std::string json_string(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("safetensors: not UTF-8: " + printable_name(text));
  }
}

void check_writable(const NamedTensor& tensor) {
  const auto refuse = [&](const std::string& problem) {
    throw std::invalid_argument(
        fmt::format("safetensors: tensor '{}': {}", printable_name(tensor.name), problem));
  };
  if (tensor.name == kMetadataKey) refuse("the name is reserved");
  if (tensor.shape.size() > kMaxDimensions) refuse(fmt::format("{} dimensions", tensor.shape.size()));
  const std::optional<uint64_t> bytes = checked_bytes(tensor.shape, tensor.dtype);
  if (!bytes || *bytes != tensor.data.size()) {
    refuse(fmt::format("{} bytes of data for {} [{}]", tensor.data.size(), dtype_name(tensor.dtype),
                       fmt::join(tensor.shape, ", ")));
  }
}

// The header's items as JSON text, metadata first.
std::vector<std::string> header_items(std::span<const NamedTensor> tensors,
                                      const std::map<std::string, std::string>& metadata) {
  std::vector<std::string> items;
  if (!metadata.empty()) {
    std::vector<std::string> pairs;
    pairs.reserve(metadata.size());
    for (const auto& [key, value] : metadata) {
      pairs.push_back(fmt::format("{}:{}", json_string(key), json_string(value)));
    }
    items.push_back(fmt::format("\"{}\":{{{}}}", kMetadataKey, fmt::join(pairs, ",")));
  }
  std::set<std::string_view> names;
  uint64_t position = 0;
  for (const NamedTensor& tensor : tensors) {
    check_writable(tensor);
    if (!names.insert(tensor.name).second) {
      throw std::invalid_argument(fmt::format("safetensors: tensor '{}' twice", printable_name(tensor.name)));
    }
    const uint64_t end = position + tensor.data.size();
    items.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                                json_string(tensor.name), dtype_name(tensor.dtype),
                                fmt::join(tensor.shape, ","), position, end));
    position = end;
  }
  return items;
}

}  // namespace

int64_t TensorView::elements() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

SafetensorsContent parse_safetensors(std::span<const std::byte> bytes, std::string_view source_name) {
  const std::string_view text = header_text(bytes, source_name);
  const std::span<const std::byte> data = bytes.subspan(kLengthBytes + text.size());
  Header header = parse_header(text, source_name);
  for (const Entry& entry : header.entries) check_size(entry, data.size(), source_name);
  // Stable, so that empty tensors at one offset keep the order of the header.
  std::stable_sort(header.entries.begin(), header.entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_layout(header.entries, data.size(), source_name);

  SafetensorsContent content{.metadata = std::move(header.metadata), .names = {}, .tensors = {}};
  for (Entry& entry : header.entries) {
    content.names.push_back(entry.name);
    content.tensors.emplace(std::move(entry.name),
                            TensorView{.dtype = entry.dtype,
                                       .shape = std::move(entry.shape),
                                       .data = data.subspan(entry.begin, entry.end - entry.begin)});
  }
  return content;
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path, Storage storage)
    : path_(path), storage_(std::move(storage)) {
  const auto* mapped = std::get_if<MappedFile>(&storage_);
  const std::span<const std::byte> bytes =
      mapped ? mapped->bytes() : std::span<const std::byte>(std::get<std::vector<std::byte>>(storage_));
  content_ = parse_safetensors(bytes, path.string());
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  return {path, MappedFile::open(path)};
}

SafetensorsFile SafetensorsFile::parse(std::vector<std::byte> bytes, const std::filesystem::path& path) {
  return {path, std::move(bytes)};
}

const TensorView& SafetensorsFile::tensor(std::string_view name) const {
  const auto found = content_.tensors.find(name);
  if (found != content_.tensors.end()) return found->second;
  // Much longer names are no candidates, and in a hostile file they would take the search for ever.
  std::vector<std::string> candidates;
  std::copy_if(names().begin(), names().end(), std::back_inserter(candidates),
               [&](const std::string& candidate) { return candidate.size() <= 2 * name.size() + 2; });
  for (std::string& candidate : candidates) candidate = printable_name(candidate);
  throw UserError("'{}' has no tensor '{}'{}", printable_name(path_.string(), kMaxSourceBytes),
                  printable_name(name), did_you_mean(name, candidates));
}

std::string safetensors_header(std::span<const NamedTensor> tensors,
                               const std::map<std::string, std::string>& metadata) {
  std::string json = fmt::format("{{{}}}", fmt::join(header_items(tensors, metadata), ","));
  json.append((8 - json.size() % 8) % 8, ' ');
  if (json.size() > kMaxHeaderBytes) {
    throw std::invalid_argument(fmt::format("safetensors: header of {} bytes", json.size()));
  }
  std::string encoded;
  for (size_t i = 0; i < kLengthBytes; ++i)
    encoded.push_back(static_cast<char>(json.size() >> (8 * i) & 0xff));
  return encoded + json;
}

void write_safetensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string header = safetensors_header(tensors, metadata);
  AtomicFile file(path);
  file.write(header);
  for (const NamedTensor& tensor : tensors) file.write(tensor.data);
  file.commit();
}

std::string printable_name(std::string_view name, size_t max_bytes) {
  std::string text;
  while (!name.empty()) {
    if (text.size() >= max_bytes) return text + "...";
    const CodePoint character = first_code_point(name);
    if (character.code < 0x20 || character.code == 0x7f) {
      text += fmt::format("\\x{:02x}", static_cast<uint32_t>(character.code));
    } else if (character.code >= 0x80 && character.code < 0xa0) {
      // They drive terminals too.
      text += fmt::format("\\u{:04x}", static_cast<uint32_t>(character.code));
    } else {
      text += name.substr(0, character.bytes);
    }
    name.remove_prefix(character.bytes);
  }
  return text;
}

}  // namespace memsizer
