#include "serve/body.h"

#include <gtest/gtest.h>

#include "support/messages.h"

namespace memsizer::serve {
namespace {

using nlohmann::json;
using testing::has_text;

struct Inner {
  bool flag = false;
  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("flag", self.flag, "a flag");
  }
};

struct Example {
  Texts text;
  int64_t count = 3;
  double share = 0.5;
  std::optional<int64_t> seed;
  std::optional<Inner> inner;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("text", self.text, "texts", Limits{.required = true, .most = 2});
    visit("count", self.count, "how many", Limits{.low = 1, .high = 9});
    visit("share", self.share, "of the whole", Limits{.low = 0, .high = 1});
    visit("seed", self.seed, "of random numbers");
    visit("inner", self.inner, "more");
  }
};

Example read(const std::string& text) {
  Example body;
  read_body(parse_json(text), Source::Json, body);
  return body;
}

template <typename Call>
std::string problem_of(const Call& call) {
  try {
    call();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 400);
    return error.what();
  }
  return "no error";
}

std::string refusal(const std::string& text) {
  return problem_of([&] { read(text); });
}

TEST(Body, FieldsAreRead) {
  const Example body =
      read(R"({"text": ["a", "b"], "count": 9, "share": 1, "seed": null, "inner": {"flag": true}})");
  EXPECT_EQ(body.text.items, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(body.text.list);
  EXPECT_EQ(body.count, 9);
  EXPECT_EQ(body.share, 1.0);
  EXPECT_EQ(body.seed, std::nullopt);
  EXPECT_TRUE(body.inner->flag);
  EXPECT_EQ(read(R"({"text": "a"})").count, 3);
  EXPECT_EQ(read(R"({"text": "a", "count": 4.0})").count, 4);
}

TEST(Body, WhatDoesNotFitIsRefused) {
  EXPECT_TRUE(has_text(refusal("{}"), "'text' is missing"));
  EXPECT_TRUE(has_text(refusal("[]"), "must be a JSON object"));
  EXPECT_TRUE(has_text(refusal(R"({"text": 1})"), "'text' is 1; it must be text or a list"));
  EXPECT_TRUE(has_text(refusal(R"({"text": ["a", 1]})"), "it must be text or a list"));
  EXPECT_TRUE(has_text(refusal(R"({"text": ["a", "b", "c"]})"), "has 3 texts; send at most 2"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a", "count": 10})"), "'count' is 10; it must be from 1 to 9"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a", "count": 1.5})"), "an integer"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a", "seed": 18446744073709551615})"), "64 bits"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a", "coumt": 1})"), "did you mean 'count'?"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a", "inner": {"flags": true}})"), "did you mean 'flag'?"));
  EXPECT_TRUE(has_text(refusal(R"({"text": "a")"), "is no JSON"));
  EXPECT_TRUE(has_text(refusal("{\"text\": \"\xff\"}"), "is no JSON"));
  EXPECT_TRUE(has_text(refusal(std::string(100000, '[')), "nested deeper"));
  std::string many = "[0";
  for (int i = 0; i < 300000; ++i) many += ",0";
  EXPECT_TRUE(has_text(refusal(many + "]"), "more than 262144 values"));
}

TEST(Body, FormsHaveTexts) {
  Example body;
  read_body(parse_form("text=a+b%21&text=%c3%a4&count=2&share=0.25"), Source::Form, body);
  EXPECT_EQ(body.text.items, (std::vector<std::string>{"a b!", "\xc3\xa4"}));
  EXPECT_EQ(body.count, 2);
  EXPECT_EQ(body.share, 0.25);
  const auto form_refusal = [](const std::string& text) {
    return problem_of([&] {
      Example read;
      read_body(parse_form(text), Source::Form, read);
    });
  };
  EXPECT_TRUE(has_text(form_refusal("text=%"), "hexadecimal"));
  EXPECT_TRUE(has_text(form_refusal("text=%zz"), "hexadecimal"));
  EXPECT_TRUE(has_text(form_refusal("text=%ff"), "UTF-8"));
  EXPECT_TRUE(has_text(form_refusal("text=a&count=x"), "an integer"));
  EXPECT_TRUE(has_text(form_refusal("text=a&count=5&count=6"), "an integer"));
}

TEST(Body, TheSchemaSaysTheSame) {
  const json schema = schema_of<Example>();
  EXPECT_EQ(schema["required"], json::array({"text"}));
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["count"]["minimum"], 1);
  EXPECT_EQ(schema["properties"]["count"]["maximum"], 9);
  EXPECT_EQ(schema["properties"]["count"]["default"], 3);
  EXPECT_EQ(schema["properties"]["seed"]["nullable"], true);
  EXPECT_EQ(schema["properties"]["inner"]["properties"]["flag"]["type"], "boolean");
}

}  // namespace
}  // namespace memsizer::serve
