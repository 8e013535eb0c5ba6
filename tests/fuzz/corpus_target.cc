// A corpus from elsewhere, in each format: every example is sound text, or the corpus is a UserError of one
// line.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/error.h"
#include "core/utf8.h"
#include "fuzz/mutation.h"
#include "support/temp_dir.h"
#include "text/example_reader.h"

namespace {

using memsizer::text::CorpusFormat;

std::string corpus_file() {
  static const memsizer::testing::TempDir dir;
  return (dir / "corpus").string();
}

void read_all(CorpusFormat format, memsizer::text::BadLine invalid) {
  memsizer::text::DataOptions options;
  options.format = format;
  options.invalid_utf8 = invalid;
  const size_t files = format == CorpusFormat::Parallel ? 2 : 1;
  memsizer::text::CorpusReport report;
  try {
    const auto reader =
        memsizer::text::open_examples(options, std::vector<std::string>(files, corpus_file()), report);
    for (memsizer::text::Example example; reader->next(example);) {
      if (!memsizer::valid_utf8(example.source) || !memsizer::valid_utf8(example.target)) std::abort();
      if ((example.source + example.target).find('\n') != std::string::npos) std::abort();
    }
    report.lines();
  } catch (const memsizer::UserError& error) {
    if (std::strchr(error.what(), '\n')) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::ofstream(corpus_file(), std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  for (const CorpusFormat format :
       {CorpusFormat::Parallel, CorpusFormat::Tsv, CorpusFormat::JsonLines, CorpusFormat::Text}) {
    for (const auto invalid : {memsizer::text::BadLine::Skip, memsizer::text::BadLine::Stop})
      read_all(format, invalid);
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned /*seed*/) {
  return LLVMFuzzerMutate(data, size, max_size);
}
