#include "text/corpus_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "text/special_tokens.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kProgressExamples = 1000;

const fs::path& created(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw UserError(
        "cannot create the folder '{}' for tokenised text: {}; set data.cache to a folder that can be "
        "written",
        directory.string(), error.message());
  }
  return directory;
}

}  // namespace

CorpusBuilder::CorpusBuilder(const DataOptions& options, const Tokenizer* source_tokenizer,
                             const Tokenizer& target_tokenizer, bool filter_lengths,
                             const fs::path& directory, CorpusReport& report,
                             std::function<void(int64_t lines)> progress)
    : options_(options),
      source_tokenizer_(source_tokenizer ? *source_tokenizer : target_tokenizer),
      target_tokenizer_(target_tokenizer),
      filter_lengths_(filter_lengths),
      report_(report),
      progress_(std::move(progress)),
      writer_(created(directory)),
      source_{"source", "data.max_source_tokens", options.max_source_tokens, {}, {}},
      target_{"target", "data.max_target_tokens", options.max_target_tokens, {}, {}} {
  for (const Side* side : {&source_, &target_}) {
    if (side->limit < 1) throw UserError("{}: found {}, expected at least 1", side->option, side->limit);
  }
}

std::string CorpusBuilder::Side::place(int64_t line) const {
  return fmt::format("{}:{}", file, line);
}

std::string CorpusBuilder::Side::kind(std::string_view done) const {
  return fmt::format("{} longer than {} tokens ({})", name, limit, done);
}

void CorpusBuilder::Side::truncate() {
  text::truncate(ids, limit);
}

void CorpusBuilder::add(ExampleReader& reader, const std::string& source_name,
                        const std::string& target_name) {
  source_.file = source_name;
  target_.file = target_name;
  files_.push_back(source_name);
  if (target_name != source_name) files_.push_back(target_name);
  int64_t last_line = 0;
  int64_t examples = 0;
  for (Example example; reader.next(example);) {
    encode(example);
    last_line = example.line;
    if (hold_to_limits(example.line)) {
      writer_.add(source_.ids, target_.ids, example.line);
      ++report_.examples;
      report_.source_tokens += static_cast<int64_t>(source_.ids.size());
      report_.target_tokens += static_cast<int64_t>(target_.ids.size());
    }
    if (progress_ && ++examples % kProgressExamples == 0) progress_(lines_before_ + last_line);
  }
  lines_before_ += last_line;
  if (progress_) progress_(lines_before_);
}

void CorpusBuilder::encode(const Example& example) {
  source_.ids.clear();
  target_.ids.clear();
  if (options_.format != CorpusFormat::Text) {
    source_tokenizer_.encode(example.source, source_.ids);
    source_.ids.push_back(kEos);
  }
  target_tokenizer_.encode(example.target, target_.ids);
  target_.ids.push_back(kEos);
}

bool CorpusBuilder::hold_to_limits(int64_t line) {
  // The lines of a stream are cut into blocks whatever their length; a hole in it would be a change of text.
  if (options_.format == CorpusFormat::Text) return true;
  if (filter_lengths_) return hold_training_pair(line);
  if (options_.over_long == OverLong::Truncate && source_.over_long()) {
    source_.truncate();
    report_.add(source_.kind("truncated"), source_.place(line));
  }
  return true;
}

bool CorpusBuilder::hold_training_pair(int64_t line) {
  std::vector<const Side*> cut;
  for (Side* side : {&source_, &target_}) {
    if (!side->over_long()) continue;
    if (options_.over_long == OverLong::Stop) stop(line);
    if (options_.over_long == OverLong::Skip) {
      report_.add(side->kind("skipped"), side->place(line));
      return false;
    }
    side->truncate();
    cut.push_back(side);
  }
  if (ratio_exceeded()) {
    report_.add(fmt::format("length ratio above {:g} (skipped)", options_.max_ratio), source_.place(line));
    return false;
  }
  for (const Side* side : cut) report_.add(side->kind("truncated"), side->place(line));
  return true;
}

bool CorpusBuilder::ratio_exceeded() const {
  const auto source = static_cast<double>(source_.ids.size());
  const auto target = static_cast<double>(target_.ids.size());
  return options_.max_ratio > 0.0 && std::max(source, target) > options_.max_ratio * std::min(source, target);
}

void CorpusBuilder::stop(int64_t line) const {
  throw UserError(
      "{}: found {} source and {} target tokens, end tokens included, expected at most {} ({}) and {} ({}); "
      "raise the limits or set data.over_long to skip or truncate",
      (source_.over_long() ? source_ : target_).place(line), source_.ids.size(), target_.ids.size(),
      source_.limit, source_.option, target_.limit, target_.option);
}

std::string CorpusBuilder::no_examples_text() const {
  std::vector<std::string> reasons;
  for (const auto& [kind, finding] : report_.findings) {
    reasons.push_back(fmt::format("{}: {}", kind, finding.count));
    if (!finding.places.empty()) reasons.back() += fmt::format(", first at {}", finding.places.front());
  }
  if (reasons.empty()) reasons.emplace_back("found no lines");
  return fmt::format("no usable examples in {}: {}; check the files and the options of data",
                     fmt::join(files_, ", "), fmt::join(reasons, "; "));
}

void CorpusBuilder::finish(const fs::path& path, std::string_view key) {
  if (report_.examples == 0) throw UserError(no_examples_text());
  writer_.finish(path, key, report_);
}

}  // namespace memsizer::text
