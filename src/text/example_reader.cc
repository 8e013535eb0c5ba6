#include "text/example_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/utf8.h"
#include "text/line_reader.h"
#include "text/white_space.h"

namespace memsizer::text {
namespace {

constexpr size_t kMaxPlaces = 5;

// The file of a place such as "train.de:7".
std::string_view file_of(std::string_view place) {
  return place.substr(0, place.rfind(':'));
}

[[noreturn]] void fail_binary(const LineReader& reader, const std::string& sign) {
  throw UserError(
      "'{}' looks like a binary file or text in another encoding ({}); expected UTF-8 text, so convert it, "
      "such as with iconv -t UTF-8",
      reader.name(), sign);
}

// Judges by the first lines, before any work is put into the file.
void require_text(const LineReader& reader) {
  std::string_view head = reader.head();
  if (head.empty()) {
    throw UserError("'{}' is empty; expected lines of text, so check that it was written completely",
                    reader.name());
  }
  if (const size_t nul = head.find('\0'); nul != std::string_view::npos)
    fail_binary(reader, fmt::format("it has a zero byte at position {}", nul));
  if (head.size() >= LineReader::kHeadBytes - 3) {
    // The last line is probably cut.
    const size_t last = head.rfind('\n');
    head = last == std::string_view::npos ? whole_characters(head, head.size() - 4) : head.substr(0, last);
  }
  int64_t lines = 0;
  int64_t invalid = 0;
  for (size_t begin = 0; begin < head.size();) {
    const size_t end = std::min(head.find('\n', begin), head.size());
    ++lines;
    if (!valid_utf8(head.substr(begin, end - begin))) ++invalid;
    begin = end + 1;
  }
  if (2 * invalid > lines)
    fail_binary(reader, fmt::format("{} of its first {} lines are not UTF-8", invalid, lines));
}

LineReader open_text(const DataOptions& options, const std::string& file) {
  LineReader reader(options.resolve(file), file);
  require_text(reader);
  return reader;
}

// What all formats share: the checks of one example, and the count of those given out.
class CheckedReader : public ExampleReader {
 public:
  CheckedReader(const DataOptions& options, std::vector<std::string> files, CorpusReport& report)
      : options_(options), files_(std::move(files)), report_(report) {}

  bool next(Example& example) final {
    if (read(example)) {
      ++given_;
      return true;
    }
    if (given_ > 0) return false;
    throw UserError("{} held no usable line{}; check the files and data.format", fmt::join(files_, " and "),
                    findings());
  }

 protected:
  virtual bool read(Example& example) = 0;

  const DataOptions& options() const { return options_; }
  const std::vector<std::string>& files() const { return files_; }

  void skip(const std::string& kind, const std::string& place) { report_.add(kind + " (skipped)", place); }

  // False: the line was skipped and counted.
  bool accept_utf8(std::string_view line, const LineReader& reader) {
    if (valid_utf8(line)) return true;
    if (options_.invalid_utf8 == BadLine::Stop) {
      throw UserError("{} is not valid UTF-8; correct the line, or set data.invalid_utf8=skip",
                      reader.place());
    }
    skip("invalid UTF-8", reader.place());
    return false;
  }

  // Sets a source and target read from these places, or skips and counts the pair.
  bool accept_pair(std::string_view source, std::string_view target, const LineReader& source_reader,
                   const LineReader& target_reader, Example& example) {
    const bool no_source = is_blank(source);
    if (no_source || is_blank(target)) {
      const std::string place = (no_source ? source_reader : target_reader).place();
      if (options_.empty_side == BadLine::Stop) {
        throw UserError("{} has an empty {}; correct the line, or set data.empty_side=skip", place,
                        no_source ? "source" : "target");
      }
      skip("empty side", place);
      return false;
    }
    example.source = cleaned(source);
    example.target = cleaned(target);
    example.line = target_reader.lines();
    return true;
  }

  std::string cleaned(std::string_view text) const {
    return options_.normalize_space ? normalize_space(text) : std::string(text);
  }

 private:
  std::string findings() const {
    const std::vector<std::string> lines = report_.lines();
    return lines.empty() ? "" : fmt::format(" ({})", fmt::join(lines, "; "));
  }

  DataOptions options_;
  std::vector<std::string> files_;
  CorpusReport& report_;
  int64_t given_ = 0;
};

class ParallelReader final : public CheckedReader {
 public:
  ParallelReader(const DataOptions& options, const std::vector<std::string>& files, CorpusReport& report)
      : CheckedReader(options, files, report),
        source_(open_text(options, files[0])),
        target_(open_text(options, files[1])) {}

 private:
  bool read(Example& example) override {
    for (;;) {
      const bool more = source_.next(source_line_);
      if (more != target_.next(target_line_)) fail_misaligned();
      if (!more) return false;
      if (!accept_utf8(source_line_, source_) || !accept_utf8(target_line_, target_)) continue;
      if (accept_pair(source_line_, target_line_, source_, target_, example)) return true;
    }
  }

  [[noreturn]] void fail_misaligned() {
    while (source_.next(source_line_)) {
    }
    while (target_.next(target_line_)) {
    }
    throw UserError(
        "{} has {} lines but {} has {}; parallel files must have the same number: line n of one translates "
        "line n of the other, so find the line that is missing or split",
        source_.name(), source_.lines(), target_.name(), target_.lines());
  }

  LineReader source_;
  LineReader target_;
  std::string source_line_;
  std::string target_line_;
};

// Formats of one line an example, in files that are read one after another.
class LinewiseReader : public CheckedReader {
 public:
  LinewiseReader(const DataOptions& options, const std::vector<std::string>& files, CorpusReport& report)
      : CheckedReader(options, files, report) {
    // All are opened now, so that a mistake in the last name shows before the first file has been read.
    for (const std::string& file : files) open_text(options, file);
  }

 protected:
  // False: the line was skipped and counted.
  virtual bool parse(std::string_view line, const LineReader& reader, Example& example) = 0;

 private:
  bool read(Example& example) override {
    for (;;) {
      if (!reader_) {
        if (next_file_ == files().size()) return false;
        reader_.emplace(open_text(options(), files()[next_file_++]));
      }
      if (!reader_->next(line_)) {
        reader_.reset();
        continue;
      }
      if (accept_utf8(line_, *reader_) && parse(line_, *reader_, example)) return true;
    }
  }

  size_t next_file_ = 0;
  std::optional<LineReader> reader_;
  std::string line_;
};

class TsvReader final : public LinewiseReader {
 public:
  using LinewiseReader::LinewiseReader;

 private:
  bool parse(std::string_view line, const LineReader& reader, Example& example) override {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
      skip("wrong number of columns", reader.place());
      return false;
    }
    return accept_pair(line.substr(0, tab), line.substr(tab + 1), reader, reader, example);
  }
};

class JsonReader final : public LinewiseReader {
 public:
  using LinewiseReader::LinewiseReader;

 private:
  bool parse(std::string_view line, const LineReader& reader, Example& example) override {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
      skip("not a JSON object", reader.place());
      return false;
    }
    const std::string* source = text_of(json, options().source_key, reader);
    if (!source) return false;
    const std::string* target = text_of(json, options().target_key, reader);
    return target && accept_pair(*source, *target, reader, reader, example);
  }

  const std::string* text_of(const nlohmann::json& json, const std::string& key, const LineReader& reader) {
    const auto found = json.find(key);
    if (found == json.end()) {
      skip(fmt::format("no key '{}'", key), reader.place());
      return nullptr;
    }
    if (!found->is_string()) {
      skip(fmt::format("value of '{}' is not text", key), reader.place());
      return nullptr;
    }
    return found->get_ptr<const std::string*>();
  }
};

class TextReader final : public LinewiseReader {
 public:
  using LinewiseReader::LinewiseReader;

 private:
  bool parse(std::string_view line, const LineReader& reader, Example& example) override {
    example.source.clear();
    example.target = cleaned(line);
    example.line = reader.lines();
    return true;
  }
};

}  // namespace

void CorpusReport::add(const std::string& kind, const std::string& place) {
  Finding& finding = findings[kind];
  ++finding.count;
  if (finding.places.size() < kMaxPlaces) finding.places.push_back(place);
}

std::vector<std::string> CorpusReport::lines() const {
  std::vector<std::string> lines;
  for (const auto& [kind, finding] : findings) {
    std::string line = fmt::format("{} in {} line{}", kind, finding.count, finding.count == 1 ? "" : "s");
    if (!finding.places.empty()) {
      const std::string_view file = file_of(finding.places.front());
      const bool one_file = std::ranges::all_of(
          finding.places, [&](const std::string& place) { return file_of(place) == file; });
      const bool all_listed = finding.count <= static_cast<int64_t>(finding.places.size());
      line = fmt::format("{}{}{}, {} {}", one_file ? file : "", one_file ? ": " : "", line,
                         all_listed ? "at" : "first at", fmt::join(finding.places, ", "));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::unique_ptr<ExampleReader> open_examples(const DataOptions& options,
                                             const std::vector<std::string>& files, CorpusReport& report) {
  if (files.empty()) throw UserError("no file to read; list it under data.train, data.valid or data.test");
  switch (options.format) {
    case CorpusFormat::Parallel:
      if (files.size() != 2) {
        throw UserError("found {} file{} ({}); format parallel takes two, source and target", files.size(),
                        files.size() == 1 ? "" : "s", fmt::join(files, ", "));
      }
      return std::make_unique<ParallelReader>(options, files, report);
    case CorpusFormat::Tsv:
      return std::make_unique<TsvReader>(options, files, report);
    case CorpusFormat::JsonLines:
      return std::make_unique<JsonReader>(options, files, report);
    case CorpusFormat::Text:
      return std::make_unique<TextReader>(options, files, report);
  }
  throw std::logic_error("unknown corpus format");
}

}  // namespace memsizer::text
