#include "text/token_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#include "core/atomic_file.h"
#include "core/content_hash.h"
#include "core/error.h"

namespace memsizer::text {
namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view kMagic = "MSTOKENS";
constexpr uint32_t kVersion = 1;
constexpr size_t kKeyBytes = 32;

enum Section { kSourceOffsets, kTargetOffsets, kLines, kSources, kTargets, kReport, kSections };

struct SectionInfo {
  uint64_t bytes;
  uint64_t checksum;
};

struct Header {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t sections;
  uint64_t file_bytes;
  std::array<char, kKeyBytes> key;
  std::array<SectionInfo, kSections> section;
  uint64_t checksum;  // of all before it
};
static_assert(std::has_unique_object_representations_v<Header> && sizeof(Header) % sizeof(int64_t) == 0);

std::span<const std::byte> bytes_of(const Header& header) {
  return std::as_bytes(std::span(&header, 1));
}

uint64_t checksum_of(std::span<const std::byte> bytes) {
  ContentHash hash;
  hash.update(bytes);
  return hash.checksum();
}

uint64_t header_checksum(const Header& header) {
  return checksum_of(bytes_of(header).first(offsetof(Header, checksum)));
}

std::string report_text(const CorpusReport& report) {
  nlohmann::json findings = nlohmann::json::object();
  for (const auto& [kind, finding] : report.findings) {
    findings[kind] = {{"count", finding.count}, {"places", finding.places}};
  }
  const nlohmann::json json = {{"examples", report.examples},
                               {"source_tokens", report.source_tokens},
                               {"target_tokens", report.target_tokens},
                               {"findings", std::move(findings)}};
  // File names need not be UTF-8.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A number with an exponent is not what was written, and need not fit.
std::optional<int64_t> count_of(const nlohmann::json& json) {
  if (!json.is_number_unsigned()) return std::nullopt;
  return json.get<int64_t>();
}

std::optional<CorpusReport> parse_report(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    const auto examples = count_of(json.at("examples"));
    const auto source_tokens = count_of(json.at("source_tokens"));
    const auto target_tokens = count_of(json.at("target_tokens"));
    if (!examples || !source_tokens || !target_tokens) return std::nullopt;
    CorpusReport report;
    report.examples = *examples;
    report.source_tokens = *source_tokens;
    report.target_tokens = *target_tokens;
    for (const auto& [kind, finding] : json.at("findings").items()) {
      const auto count = count_of(finding.at("count"));
      if (!count) return std::nullopt;
      report.findings[kind] = {.count = *count,
                               .places = finding.at("places").get<std::vector<std::string>>()};
    }
    return report;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// The header if the file has the right form and size; the sections are not looked at.
std::optional<Header> parse_header(std::span<const std::byte> file, std::string_view key) {
  Header header{};
  if (file.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic) return std::nullopt;
  if (header.version != kVersion || header.sections != kSections) return std::nullopt;
  if (header.checksum != header_checksum(header)) return std::nullopt;
  if (header.file_bytes != file.size()) return std::nullopt;
  if (std::string_view(header.key.data(), header.key.size()) != key) return std::nullopt;
  uint64_t left = file.size() - sizeof(header);
  for (const SectionInfo& section : header.section) {
    if (section.bytes > left) return std::nullopt;
    left -= section.bytes;
  }
  if (left != 0) return std::nullopt;
  return header;
}

template <typename T>
std::span<const T> items_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Whether the offsets cut all of the tokens into `examples` pieces.
bool cuts(std::span<const int64_t> offsets, size_t examples, size_t tokens) {
  return offsets.size() == examples + 1 && offsets.front() == 0 &&
         std::is_sorted(offsets.begin(), offsets.end()) && static_cast<uint64_t>(offsets.back()) == tokens;
}

}  // namespace

std::optional<TokenFile> TokenFile::open(const std::filesystem::path& path, std::string_view key) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  try {
    TokenFile file(MappedFile::open(path));
    if (file.read(key)) return file;
  } catch (const UserError&) {
    // Unreadable is as good as damaged.
  }
  return std::nullopt;
}

bool TokenFile::read(std::string_view key) {
  const std::span<const std::byte> bytes = file_.bytes();
  const std::optional<Header> header = parse_header(bytes, key);
  if (!header) return false;
  std::array<std::span<const std::byte>, kSections> section;
  size_t position = sizeof(Header);
  for (size_t i = 0; i < kSections; ++i) {
    section[i] = bytes.subspan(position, header->section[i].bytes);
    position += section[i].size();
    const size_t item = i < kSources ? sizeof(int64_t) : i < kReport ? sizeof(int32_t) : 1;
    if (section[i].size() % item != 0) return false;
    if (checksum_of(section[i]) != header->section[i].checksum) return false;
  }
  source_offsets_ = items_of<int64_t>(section[kSourceOffsets]);
  target_offsets_ = items_of<int64_t>(section[kTargetOffsets]);
  lines_ = items_of<int64_t>(section[kLines]);
  sources_ = items_of<int32_t>(section[kSources]);
  targets_ = items_of<int32_t>(section[kTargets]);
  if (!cuts(source_offsets_, lines_.size(), sources_.size())) return false;
  if (!cuts(target_offsets_, lines_.size(), targets_.size())) return false;
  std::optional<CorpusReport> report = parse_report(section[kReport]);
  if (!report) return false;
  report_ = std::move(*report);
  key_ = key;
  return true;
}

TokenFileWriter::TokenFileWriter(const std::filesystem::path& directory)
    : source_offsets_(directory),
      target_offsets_(directory),
      lines_(directory),
      sources_(directory),
      targets_(directory) {
  source_offsets_.write_items(std::span<const int64_t>(&source_tokens_, 1));
  target_offsets_.write_items(std::span<const int64_t>(&target_tokens_, 1));
}

void TokenFileWriter::add(std::span<const int32_t> source, std::span<const int32_t> target, int64_t line) {
  source_tokens_ += static_cast<int64_t>(source.size());
  target_tokens_ += static_cast<int64_t>(target.size());
  sources_.write_items(source);
  targets_.write_items(target);
  source_offsets_.write_items(std::span<const int64_t>(&source_tokens_, 1));
  target_offsets_.write_items(std::span<const int64_t>(&target_tokens_, 1));
  lines_.write_items(std::span<const int64_t>(&line, 1));
}

void TokenFileWriter::finish(const std::filesystem::path& path, std::string_view key,
                             const CorpusReport& report) {
  if (key.size() != kKeyBytes) throw std::invalid_argument("TokenFileWriter: a key of the wrong length");
  const std::string text = report_text(report);
  const std::array<Spool*, kReport> spools = {&source_offsets_, &target_offsets_, &lines_, &sources_,
                                              &targets_};
  Header header{};
  kMagic.copy(header.magic.data(), header.magic.size());
  header.version = kVersion;
  header.sections = kSections;
  key.copy(header.key.data(), header.key.size());
  for (size_t i = 0; i < spools.size(); ++i) {
    header.section[i] = {.bytes = spools[i]->bytes(), .checksum = spools[i]->checksum()};
  }
  header.section[kReport] = {.bytes = text.size(), .checksum = checksum_of(std::as_bytes(std::span(text)))};
  header.file_bytes = sizeof(header);
  for (const SectionInfo& section : header.section) header.file_bytes += section.bytes;
  header.checksum = header_checksum(header);

  AtomicFile file(path);
  file.write(bytes_of(header));
  for (Spool* spool : spools) spool->copy_to(file);
  file.write(text);
  file.commit();
}

}  // namespace memsizer::text
