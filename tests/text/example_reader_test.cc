#include "text/example_reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer::text {
namespace {

using testing::has_text;
using testing::message_of;
using testing::TempDir;
using Files = std::vector<std::string>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

// A folder of files, options that point at it, and what reading it gave.
class ExampleReaderTest : public ::testing::Test {
 protected:
  ExampleReaderTest() { options_.directory = dir_.path().string(); }

  void put(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }

  Pairs read(const Files& files) {
    Pairs pairs;
    lines_.clear();
    const auto reader = open_examples(options_, files, report_);
    for (Example example; reader->next(example);) {
      pairs.emplace_back(example.source, example.target);
      lines_.push_back(example.line);
    }
    return pairs;
  }

  std::string error(const Files& files) {
    return message_of([&] { read(files); });
  }

  // The message of opening alone.
  std::string open_error(const Files& files) {
    return message_of([&] { open_examples(options_, files, report_); });
  }

  int64_t count(const std::string& kind) const {
    const auto found = report_.findings.find(kind);
    return found == report_.findings.end() ? 0 : found->second.count;
  }

  Files places(const std::string& kind) const { return report_.findings.at(kind).places; }

  TempDir dir_;
  DataOptions options_;
  CorpusReport report_;
  std::vector<int64_t> lines_;
};

TEST_F(ExampleReaderTest, ReadsParallelFiles) {
  put("train.en", "A man.\r\n  Two\tdogs \u00a0run. \nlast");
  put("train.de",
      "\xef\xbb\xbf"
      "Ein Mann.\nZwei Hunde\u3000laufen.\nletzte\n");
  EXPECT_EQ(read({"train.en", "train.de"}),
            Pairs({{"A man.", "Ein Mann."}, {"Two dogs run.", "Zwei Hunde laufen."}, {"last", "letzte"}}));
  EXPECT_EQ(lines_, std::vector<int64_t>({1, 2, 3}));
  EXPECT_TRUE(report_.findings.empty());
  EXPECT_TRUE(report_.lines().empty());
}

TEST_F(ExampleReaderTest, LeavesSpaceAloneIfTold) {
  options_.normalize_space = false;
  put("train.en", " A  man.\n");
  put("train.de", "Ein\tMann. \n");
  EXPECT_EQ(read({"train.en", "train.de"}), Pairs({{" A  man.", "Ein\tMann. "}}));
}

TEST_F(ExampleReaderTest, SkipsAndCountsBadPairs) {
  put("train.en", "1\n\n3\n4\xff\n5\n6\n\n");
  put("train.de", "a\nb\n \u00a0\nd\ne\xc3\nf\n\n");
  EXPECT_EQ(read({"train.en", "train.de"}), Pairs({{"1", "a"}, {"6", "f"}}));
  EXPECT_EQ(lines_, std::vector<int64_t>({1, 6}));
  EXPECT_EQ(places("empty side (skipped)"), Files({"train.en:2", "train.de:3", "train.en:7"}));
  EXPECT_EQ(places("invalid UTF-8 (skipped)"), Files({"train.en:4", "train.de:5"}));
  EXPECT_EQ(count("empty side (skipped)"), 3);
  EXPECT_EQ(report_.lines(), Files({"empty side (skipped) in 3 lines, at train.en:2, train.de:3, train.en:7",
                                    "invalid UTF-8 (skipped) in 2 lines, at train.en:4, train.de:5"}));
}

TEST_F(ExampleReaderTest, StopsAtBadPairsIfTold) {
  put("train.en", "1\n2\n3\n");
  put("train.de", "a\n\xff\nc\n");
  put("short.de", "a\n\nc\n");
  EXPECT_EQ(read({"train.en", "train.de"}).size(), 2U);
  options_.invalid_utf8 = BadLine::Stop;
  options_.empty_side = BadLine::Stop;
  EXPECT_TRUE(has_text(error({"train.en", "train.de"}), "train.de:2 is not valid UTF-8"));
  EXPECT_TRUE(has_text(error({"train.en", "train.de"}), "data.invalid_utf8=skip"));
  EXPECT_TRUE(has_text(error({"train.en", "short.de"}), "short.de:2 has an empty target"));
  EXPECT_TRUE(has_text(error({"short.de", "train.en"}), "short.de:2 has an empty source"));
  EXPECT_TRUE(has_text(error({"train.en", "short.de"}), "data.empty_side=skip"));
}

TEST_F(ExampleReaderTest, TellsBothCountsOfMisalignedFiles) {
  put("three", "1\n2\n3\n");
  put("five", "1\n2\n3\n4\n5");
  EXPECT_TRUE(has_text(error({"three", "five"}), "three has 3 lines but five has 5; parallel files must"));
  EXPECT_TRUE(has_text(error({"five", "three"}), "five has 5 lines but three has 3;"));
  // Also where every line that has a partner was skipped.
  put("blank", "\n\n\n");
  EXPECT_TRUE(has_text(error({"blank", "five"}), "blank has 3 lines but five has 5;"));
}

TEST_F(ExampleReaderTest, WantsTwoParallelFiles) {
  put("a", "a\n");
  EXPECT_TRUE(has_text(open_error({"a"}), "found 1 file (a); format parallel takes two"));
  EXPECT_TRUE(has_text(open_error({"a", "a", "a"}), "found 3 files (a, a, a)"));
  EXPECT_TRUE(has_text(open_error({}), "no file to read"));
}

TEST_F(ExampleReaderTest, RefusesMissingAndEmptyFilesWhenOpening) {
  put("a", "a\n");
  put("empty", "");
  put("mark", "\xef\xbb\xbf");
  EXPECT_TRUE(has_text(open_error({"a", "missing"}), "missing'"));
  EXPECT_TRUE(has_text(open_error({"a", "empty"}), "'empty' is empty"));
  EXPECT_TRUE(has_text(open_error({"mark", "a"}), "'mark' is empty"));
  for (const CorpusFormat format : {CorpusFormat::Tsv, CorpusFormat::JsonLines, CorpusFormat::Text}) {
    options_.format = format;
    EXPECT_TRUE(has_text(open_error({"a", "missing"}), "missing'"));
    EXPECT_TRUE(has_text(open_error({"a", "empty"}), "'empty' is empty"));
  }
}

TEST_F(ExampleReaderTest, RefusesBinaryFiles) {
  options_.format = CorpusFormat::Text;
  put("nul", std::string("text\nmore\0text\n", 15));
  EXPECT_TRUE(has_text(open_error({"nul"}), "'nul' looks like a binary file"));
  put("utf16", std::string("\xff\xfe"
                           "a\0\n\0",
                           6));
  EXPECT_TRUE(has_text(open_error({"utf16"}), "looks like a binary file"));
  put("latin1", "M\xe4nner\nFrauen\nB\xfcsche\n");
  EXPECT_TRUE(has_text(open_error({"latin1"}), "2 of its first 3 lines are not UTF-8"));
  // One huge line, cut somewhere inside a character by the look at the start.
  for (size_t shift = 0; shift < 3; ++shift) {
    std::string text(shift, 'x');
    for (int i = 0; i < 60'000; ++i) text += "中";
    put("long", text);
    EXPECT_EQ(open_error({"long"}), "no error");
    put("long", text + "\n" + text + "\n");
    EXPECT_EQ(open_error({"long"}), "no error");
  }
  put("long", std::string(200'000, '\xff'));
  EXPECT_TRUE(has_text(open_error({"long"}), "looks like a binary file"));
}

TEST_F(ExampleReaderTest, ToleratesFewBadLines) {
  options_.format = CorpusFormat::Text;
  put("half", "M\xe4nner\nFrauen\n");
  EXPECT_EQ(read({"half"}), Pairs({{"", "Frauen"}}));
}

TEST_F(ExampleReaderTest, RefusesACorpusWithNothingToUse) {
  put("train.en", "a\nb\n");
  put("train.de", "\n \n");
  const std::string message = error({"train.en", "train.de"});
  EXPECT_TRUE(has_text(message, "train.en and train.de held no usable line"));
  EXPECT_TRUE(has_text(message, "empty side (skipped) in 2 lines"));
}

TEST_F(ExampleReaderTest, ReadsTsv) {
  options_.format = CorpusFormat::Tsv;
  put("a.tsv", "one\teins\nno tab\nthree\tcolumns\tdrei\n\ttarget only\ntwo\t zwei  Wörter \r\n");
  put("b.tsv", "three\tdrei");
  EXPECT_EQ(read({"a.tsv", "b.tsv"}), Pairs({{"one", "eins"}, {"two", "zwei Wörter"}, {"three", "drei"}}));
  EXPECT_EQ(lines_, std::vector<int64_t>({1, 5, 1}));
  EXPECT_EQ(places("wrong number of columns (skipped)"), Files({"a.tsv:2", "a.tsv:3"}));
  EXPECT_EQ(places("empty side (skipped)"), Files({"a.tsv:4"}));
}

TEST_F(ExampleReaderTest, ReadsJsonLines) {
  options_.format = CorpusFormat::JsonLines;
  put("a.jsonl", R"({"document": "a\nb \u00e4 \ud83d\ude00", "summary": "s", "other": [1, {"x": null}]})"
                 "\n"
                 R"({"summary": "s2", "document": "\"q\""})"
                 "\n");
  EXPECT_EQ(read({"a.jsonl", "a.jsonl"}),
            Pairs({{"a b ä 😀", "s"}, {"\"q\"", "s2"}, {"a b ä 😀", "s"}, {"\"q\"", "s2"}}));
  options_.source_key = "summary";
  options_.target_key = "document";
  EXPECT_EQ(read({"a.jsonl"}), Pairs({{"s", "a b ä 😀"}, {"s2", "\"q\""}}));
}

TEST_F(ExampleReaderTest, CountsOddJsonLines) {
  options_.format = CorpusFormat::JsonLines;
  const std::string deep(200'000, '[');
  put("a.jsonl", R"({"document": "d", "summary": "s"})"
                 "\nno json\n\n[1]\n\"text\"\nnull\n" +
                     deep + "\n" +
                     R"({"document": "d"})"
                     "\n"
                     R"({"summary": "s"})"
                     "\n"
                     R"({"document": 3, "summary": "s"})"
                     "\n"
                     R"({"document": "d", "summary": ["s"]})"
                     "\n"
                     R"({"document": "", "summary": "s"})"
                     "\n"
                     R"({"document": "\ud800", "summary": "s"})"
                     "\n"
                     R"({"document": "d", "summary": "s")"
                     "\n");
  EXPECT_EQ(read({"a.jsonl"}), Pairs({{"d", "s"}}));
  EXPECT_EQ(count("not a JSON object (skipped)"), 8);
  EXPECT_EQ(places("not a JSON object (skipped)"),
            Files({"a.jsonl:2", "a.jsonl:3", "a.jsonl:4", "a.jsonl:5", "a.jsonl:6"}));
  EXPECT_EQ(places("no key 'summary' (skipped)"), Files({"a.jsonl:8"}));
  EXPECT_EQ(places("no key 'document' (skipped)"), Files({"a.jsonl:9"}));
  EXPECT_EQ(places("value of 'document' is not text (skipped)"), Files({"a.jsonl:10"}));
  EXPECT_EQ(places("value of 'summary' is not text (skipped)"), Files({"a.jsonl:11"}));
  EXPECT_EQ(places("empty side (skipped)"), Files({"a.jsonl:12"}));
}

TEST_F(ExampleReaderTest, ReadsEveryLineOfText) {
  options_.format = CorpusFormat::Text;
  options_.empty_side = BadLine::Stop;
  put("a.txt", " = Title = \n \n\n The  text .\n");
  put("b.txt", "more");
  EXPECT_EQ(read({"a.txt", "b.txt"}),
            Pairs({{"", "= Title ="}, {"", ""}, {"", ""}, {"", "The text ."}, {"", "more"}}));
  EXPECT_EQ(lines_, std::vector<int64_t>({1, 2, 3, 4, 1}));
}

TEST(CorpusReport, KeepsTheFirstPlaces) {
  CorpusReport report;
  for (int line = 1; line <= 1000; ++line)
    report.add("empty side (skipped)", fmt::format("train.de:{}", line));
  report.add("source too long (truncated)", "train.en:7");
  EXPECT_EQ(report.findings.at("empty side (skipped)").places.size(), 5U);
  EXPECT_EQ(
      report.lines(),
      Files({"train.de: empty side (skipped) in 1000 lines, first at train.de:1, train.de:2, train.de:3, "
             "train.de:4, train.de:5",
             "train.en: source too long (truncated) in 1 line, at train.en:7"}));
}

}  // namespace
}  // namespace memsizer::text
