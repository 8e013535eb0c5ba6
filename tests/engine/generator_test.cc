#include "engine/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/random.h"
#include "engine/text_stream.h"
#include "engine/work_pool.h"
#include "engine/written_model.h"
#include "model/shortlist.h"
#include "runtime/joined_tokens.h"
#include "support/messages.h"

namespace memsizer::engine {
namespace {

using testing::has_text;
using testing::message_of;

// Dozens of short texts side by side, but never more than some rows at once.
constexpr GeneratorOptions kSmall = {.threads = 1, .batch_tokens = 200, .batch_rows = 9, .queue = 5};

int64_t between(Random& random, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(random.below(static_cast<uint64_t>(high - low + 1)));
}

std::string random_line(Random& random) {
  constexpr std::string_view kWords[] = {"the", "cat", "sat", "on", "a", "mat", "unheard"};
  std::string line;
  for (uint64_t words = random.below(30); words > 0; --words)
    line += std::string(kWords[random.below(7)]) + " ";
  return line;
}

Request random_request(Random& random) {
  Request request;
  request.input = random_line(random);
  request.stream = random.below(1000);
  GenerationOptions& options = request.options;
  options.sample = random.below(2) == 0;
  options.beam = between(random, 1, 6);
  options.n_best = between(random, 1, options.beam);
  options.length_penalty = random.uniform();
  options.max_length_ratio = random.uniform();
  options.max_length = between(random, 1, 40);
  options.min_length = between(random, 0, 20);
  options.no_repeat_ngram = random.below(3) == 0 ? 3 : 0;
  options.temperature = 0.5 + random.uniform();
  options.top_k = random.below(2) == 0 ? 0 : 4;
  options.top_p = random.below(2) == 0 ? 1.0 : 0.8;
  options.repetition_penalty = random.below(2) == 0 ? 1.0 : 1.3;
  options.seed = between(random, 0, 100);
  options.max_source_tokens = between(random, 1, 40);
  return request;
}

Result alone(const TextModel& model, const Request& request) {
  Generator generator(model, {.threads = 1, .batch_rows = 1});
  return generator.submit(request).get();
}

void expect_equal(const Result& found, const Result& expected) {
  ASSERT_EQ(found.outputs.size(), expected.outputs.size());
  EXPECT_EQ(found.source_tokens, expected.source_tokens);
  EXPECT_EQ(found.tokens_read, expected.tokens_read);
  for (size_t i = 0; i < found.outputs.size(); ++i) {
    ASSERT_EQ(found.outputs[i].tokens, expected.outputs[i].tokens);
    ASSERT_EQ(found.outputs[i].text, expected.outputs[i].text);
    ASSERT_EQ(found.outputs[i].score, expected.outputs[i].score);
    ASSERT_EQ(found.outputs[i].token_scores, expected.outputs[i].token_scores);
  }
}

TEST(Generator, RequestsThatJoinARunningBatchGetWhatTheyGetAlone) {
  for (const Mechanism mechanism : {mechanism_named("memsizer"), mechanism_named("softmax")}) {
    for (const ModelDescription& description : {tiny_translator(mechanism), tiny_language_model(mechanism)}) {
      const auto model = written_model(description);
      Random random{7};
      std::vector<Request> requests;
      for (int i = 0; i < 64; ++i) requests.push_back(random_request(random));
      std::vector<Result> expected;
      for (const Request& request : requests) expected.push_back(alone(*model, request));
      for (const int workers : {1, 2}) {
        GeneratorOptions options = kSmall;
        options.workers = workers;
        Generator generator(*model, options);
        std::vector<Ticket> tickets;
        for (const Request& request : requests) {
          if (random.below(3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
          tickets.push_back(generator.submit(request));
        }
        for (size_t i = 0; i < tickets.size(); ++i) {
          SCOPED_TRACE("request " + std::to_string(i));
          ASSERT_NO_FATAL_FAILURE(expect_equal(tickets[i].get(), expected[i]));
        }
      }
    }
  }
}

// A few tokens for each of the tiny model's 12, other ones for each.
ModelDescription with_shortlist(ModelDescription description) {
  std::vector<std::vector<int32_t>> likely;
  for (int32_t source = 0; source < 12; ++source)
    likely.push_back({4 + source % 8, 4 + (source * 5 + 1) % 8});
  description.shortlist = std::make_shared<const Shortlist>(Shortlist({7}, likely));
  return description;
}

TEST(Generator, RequestsWithShortlistsGetWhatTheyGetAlone) {
  const auto model = written_model(with_shortlist(tiny_translator(mechanism_named("memsizer"))));
  Random random{17};
  std::vector<Request> requests;
  std::vector<Result> expected;
  size_t differ = 0;
  for (int i = 0; i < 64; ++i) {
    Request request = random_request(random);
    const Result without = alone(*model, request);
    request.options.shortlist = random.below(4) != 0;
    requests.push_back(request);
    expected.push_back(alone(*model, request));
    if (!request.options.shortlist || std::get<std::string>(request.input).empty()) continue;
    const std::vector<int32_t> source =
        cut_source(*model, request.options, model->encode(std::get<std::string>(request.input)));
    const std::vector<int32_t> allowed = model->description().shortlist->candidates(source);
    for (const Output& output : expected.back().outputs) {
      for (const int32_t token : output.tokens) EXPECT_TRUE(std::ranges::binary_search(allowed, token));
    }
    if (without.outputs.front().tokens != expected.back().outputs.front().tokens) ++differ;
  }
  EXPECT_GT(differ, 10U);
  Generator generator(*model, kSmall);
  std::vector<Ticket> tickets;
  for (const Request& request : requests) tickets.push_back(generator.submit(request));
  for (size_t i = 0; i < tickets.size(); ++i) {
    SCOPED_TRACE("request " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_equal(tickets[i].get(), expected[i]));
  }
}

TEST(Generator, AShortlistThatCannotBeUsedIsRefused) {
  const auto message = [](const TextModel& model, Request request) {
    request.options.shortlist = true;
    return message_of([&] { alone(model, request); });
  };
  Request request;
  request.input = "the cat";
  const auto plain = written_model(tiny_translator(mechanism_named("memsizer")));
  EXPECT_TRUE(has_text(message(*plain, request), "has no shortlist; make one with memsizer shortlist"));
  const auto language_model = written_model(tiny_language_model(mechanism_named("memsizer")));
  EXPECT_TRUE(has_text(message(*language_model, request), "is a language model"));
  const auto listed = written_model(with_shortlist(tiny_translator(mechanism_named("memsizer"))));
  EXPECT_EQ(message(*listed, request), "no error");
  runtime::Work work;
  runtime::JoinedTokens source;
  source.add(listed->encode("the cat"));
  request.input = SavedState{listed->model().start(work, source.ragged(), source.tokens), {2}};
  EXPECT_TRUE(has_text(message(*listed, request), "which a state no longer has"));
}

TEST(Generator, StreamedTextIsTheWholeText) {
  for (const ModelDescription& description :
       {tiny_translator(mechanism_named("memsizer")), tiny_language_model(mechanism_named("memsizer"))}) {
    const auto model = written_model(description);
    Generator generator(*model, kSmall);
    Random random{3};
    for (int i = 0; i < 40; ++i) {
      const Request request = random_request(random);
      std::string text;
      const Result streamed = stream_text(generator, request, [&](std::string_view piece) {
        text += piece;
        return true;
      });
      const Result whole = generator.submit(request).get();
      ASSERT_NO_FATAL_FAILURE(expect_equal(streamed, whole));
      ASSERT_EQ(text, whole.outputs.empty() ? "" : whole.outputs.front().text);
      EXPECT_FALSE(streamed.stopped);
    }
  }
}

// The text of whatever `call` throws.
template <typename Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

// Draws without end.
Request endless() {
  Request request;
  request.input = "the cat";
  request.options.sample = true;
  request.options.max_length_ratio = 0.0;
  request.options.max_length = request.options.min_length = kLongestOutput;
  return request;
}

TEST(Generator, AStreamStopsWhenItsReaderHasEnough) {
  const auto model = written_model(tiny_language_model(mechanism_named("memsizer")));
  Generator generator(*model, kSmall);
  int pieces = 0;
  const Result result = stream_text(generator, endless(), [&](std::string_view) { return ++pieces < 3; });
  EXPECT_EQ(pieces, 3);
  EXPECT_TRUE(result.stopped);
  EXPECT_GE(result.outputs.at(0).tokens.size(), 3U);
  EXPECT_THROW(stream_text(generator, endless(),
                           [](std::string_view) -> bool { throw std::runtime_error("reader is gone"); }),
               std::runtime_error);
}

TEST(Generator, OneFailingRequestFailsAlone) {
  ModelDescription description = tiny_language_model(mechanism_named("memsizer"));
  description.config.embedding.positions = PositionTable::Learned;
  description.config.embedding.max_positions = 20;
  const auto model = written_model(description);
  Random random{5};
  Request good = random_request(random);
  good.input = "the cat sat";
  const Result expected = alone(*model, good);
  Request bad_options = good;
  bad_options.options.beam = 0;
  Request bad_tokens = good;
  bad_tokens.input = std::vector<int32_t>{5, 99};
  Request too_long = good;
  too_long.input = std::vector<int32_t>(20, 5);
  Request bad_callback = good;
  bad_callback.on_text = [](std::string_view) -> bool { throw std::runtime_error("reader is gone"); };
  bad_callback.options = endless().options;
  Request no_token = good;
  no_token.input = SavedState{model->model().start(1), {}};

  Generator generator(*model, kSmall);
  std::vector<Ticket> tickets;
  std::vector<Ticket> failing;
  for (int round = 0; round < 5; ++round) {
    for (const Request& request : {bad_options, bad_tokens, too_long, bad_callback, no_token}) {
      tickets.push_back(generator.submit(good));
      failing.push_back(generator.submit(request));
    }
  }
  for (Ticket& ticket : tickets) ASSERT_NO_FATAL_FAILURE(expect_equal(ticket.get(), expected));
  for (size_t i = 0; i < failing.size(); ++i) {
    const std::string messages[] = {"generation.beam is 0", "token 99 is outside",
                                    "the prompt has 20 tokens; this model has positions for 19",
                                    "reader is gone", "no token to read"};
    EXPECT_TRUE(has_text(error_of([&] { failing[i].get(); }), messages[i % 5]));
  }
}

TEST(Generator, APromptThatFillsThePositionsStillGivesATextThatFits) {
  ModelDescription description = tiny_language_model(mechanism_named("memsizer"));
  description.config.embedding.positions = PositionTable::Learned;
  description.config.embedding.max_positions = 20;
  const auto model = written_model(description);
  Request request = endless();
  request.input = std::vector<int32_t>(15, 5);
  EXPECT_EQ(alone(*model, request).outputs.at(0).tokens.size(), 4U);
  request.options.sample = false;
  EXPECT_EQ(alone(*model, request).outputs.at(0).tokens.size(), 5U);
}

TEST(Generator, CancelTakesEffectWhereverTheRequestIs) {
  const auto model = written_model(tiny_language_model(mechanism_named("softmax")));
  GeneratorOptions options = kSmall;
  options.batch_rows = 2;
  Generator generator(*model, options);
  std::mutex mutex;
  std::condition_variable drawn;
  bool running = false;
  Request told = endless();
  told.on_text = [&](std::string_view) {
    const std::scoped_lock lock(mutex);
    running = true;
    drawn.notify_all();
    return true;
  };
  std::vector<Ticket> tickets;
  tickets.push_back(generator.submit(told));
  for (int i = 0; i < 4; ++i) tickets.push_back(generator.submit(endless()));
  {
    std::unique_lock lock(mutex);
    drawn.wait(lock, [&] { return running; });
  }
  Ticket never_started = generator.prepare(endless());
  never_started.cancel();
  generator.start(never_started);
  // From the back: those that wait, then those that run.
  for (auto ticket = tickets.rbegin(); ticket != tickets.rend(); ++ticket) {
    ticket->cancel();
    EXPECT_TRUE(ticket->get().stopped);
  }
  EXPECT_TRUE(never_started.get().stopped);
  Request last = endless();
  last.options.max_length = 4;
  EXPECT_EQ(generator.submit(last).get().outputs.at(0).tokens.size(), 4U);
}

TEST(Generator, StopsWhatIsNotDoneWhenItGoes) {
  const auto model = written_model(tiny_language_model(mechanism_named("memsizer")));
  std::vector<Ticket> tickets;
  {
    GeneratorOptions options = kSmall;
    options.batch_rows = 2;
    Generator generator(*model, options);
    for (int i = 0; i < 6; ++i) tickets.push_back(generator.submit(endless()));
  }
  for (Ticket& ticket : tickets) EXPECT_TRUE(ticket.get().stopped);
}

TEST(Generator, ALongPromptDoesNotHoldUpTheOthers) {
  const auto model = written_model(tiny_language_model(mechanism_named("memsizer")));
  Request request = endless();
  request.input = std::vector<int32_t>(50'000, 5);
  request.options.max_length = 3;
  const Result expected = alone(*model, request);
  GeneratorOptions options = kSmall;
  options.batch_tokens = 100'000;
  Generator generator(*model, options);
  Ticket running = generator.submit(endless());
  Ticket reading = generator.submit(request);
  ASSERT_NO_FATAL_FAILURE(expect_equal(reading.get(), expected));
  running.cancel();
  // It took a step between any two pieces of the prompt.
  EXPECT_GE(running.get().outputs.at(0).tokens.size(), 50'000U / 2048);
}

TEST(Generator, GoesOnFromASavedState) {
  for (const ModelDescription& description :
       {tiny_translator(mechanism_named("softmax")), tiny_language_model(mechanism_named("memsizer"))}) {
    const auto model = written_model(description);
    Random random{11};
    for (int i = 0; i < 20; ++i) {
      Request request = random_request(random);
      request.options.max_length_ratio = 0.0;
      if (!model->is_language_model()) request.input = "the cat sat";
      const Result expected = alone(*model, request);
      const auto work = make_work(1);
      const std::vector<int32_t> tokens = model->encode(std::get<std::string>(request.input));
      SavedState saved;
      if (model->is_language_model()) {
        saved.state = model->model().start(1);
        saved.tokens = tokens;
        saved.tokens.insert(saved.tokens.begin(), static_cast<int32_t>(kEos));
      } else {
        const std::vector<int32_t> read = cut_source(*model, request.options, tokens);
        const std::vector<int64_t> offsets = {0, static_cast<int64_t>(read.size())};
        saved.state = model->model().start(*work, runtime::Ragged{offsets}, read);
        saved.tokens = {static_cast<int32_t>(kEos)};
      }
      request.input = saved;
      const Result found = alone(*model, request);
      ASSERT_EQ(found.outputs.size(), expected.outputs.size());
      for (size_t rank = 0; rank < found.outputs.size(); ++rank)
        ASSERT_EQ(found.outputs[rank].tokens, expected.outputs[rank].tokens);
    }
  }
}

TEST(Generator, TwoModelsInOneProcess) {
  const auto translator = written_model(tiny_translator(mechanism_named("memsizer")));
  const auto language_model = written_model(tiny_language_model(mechanism_named("softmax")));
  Random random{13};
  const Request request = random_request(random);
  const Result translated = alone(*translator, request);
  const Result completed = alone(*language_model, request);
  Generator first(*translator, kSmall);
  Generator second(*language_model, kSmall);
  std::vector<Ticket> tickets;
  for (int i = 0; i < 20; ++i) tickets.push_back((i % 2 == 0 ? first : second).submit(request));
  for (size_t i = 0; i < tickets.size(); ++i)
    ASSERT_NO_FATAL_FAILURE(expect_equal(tickets[i].get(), i % 2 == 0 ? translated : completed));
}

TEST(Generator, APromptThatIsOnlyReadGivesAStateToGoOnFrom) {
  for (const Mechanism mechanism : {mechanism_named("memsizer"), mechanism_named("softmax")}) {
    const auto model = written_model(tiny_language_model(mechanism));
    Generator generator(*model, kSmall);
    Request whole;
    whole.input = "the cat sat on a mat";
    whole.options = {.sample = true, .max_length_ratio = 0.0, .max_length = 12};
    Request reading = whole;
    reading.read_only = true;
    Result read = generator.submit(std::move(reading)).get();
    EXPECT_TRUE(read.outputs.empty());
    ASSERT_TRUE(read.state.has_value());
    Request rest = whole;
    rest.input = std::move(*read.state);
    EXPECT_EQ(generator.submit(std::move(rest)).get().outputs.front().tokens,
              generator.submit(whole).get().outputs.front().tokens);
  }
  const auto translator = written_model(tiny_translator(mechanism_named("memsizer")));
  Generator generator(*translator, kSmall);
  Request request;
  request.input = "the cat";
  request.read_only = true;
  EXPECT_TRUE(
      has_text(message_of([&] { generator.submit(std::move(request)).get(); }), "use a language model"));
}

TEST(Generator, TextThatIsNotKeptIsToldAllTheSame) {
  const auto model = written_model(tiny_language_model(mechanism_named("memsizer")));
  Generator generator(*model, kSmall);
  Request request;
  request.input = "the";
  request.options = {.sample = true, .max_length_ratio = 0.0, .max_length = 50, .min_length = 40};
  const Result kept = generator.submit(request).get();
  std::string told;
  request.keep_text = false;
  const Result let_go = stream_text(generator, std::move(request), [&](std::string_view piece) {
    told += piece;
    return true;
  });
  EXPECT_EQ(told, kept.outputs.front().text);
  EXPECT_EQ(let_go.outputs.front().forgotten + std::ssize(let_go.outputs.front().tokens),
            std::ssize(kept.outputs.front().tokens));
  EXPECT_LE(let_go.outputs.front().tokens.size(), 1);
  EXPECT_EQ(let_go.outputs.front().score, kept.outputs.front().score);
}

TEST(Generator, AlternativesAreTheLikeliestTokens) {
  const auto model = written_model(tiny_language_model(mechanism_named("memsizer")));
  Generator generator(*model, kSmall);
  Request request;
  request.input = "the";
  request.options = {.sample = true, .top_k = 1, .max_length_ratio = 0.0, .max_length = 9};
  request.alternatives = 3;
  const Output output = generator.submit(std::move(request)).get().outputs.front();
  ASSERT_EQ(output.alternatives.size(), output.tokens.size());
  for (size_t i = 0; i < output.tokens.size(); ++i) {
    ASSERT_EQ(output.alternatives[i].size(), 3);
    EXPECT_EQ(output.alternatives[i][0].token, output.tokens[i]) << "greedy takes the likeliest";
    EXPECT_EQ(output.alternatives[i][0].score, output.token_scores[i]);
    EXPECT_GE(output.alternatives[i][1].score, output.alternatives[i][2].score);
  }
}

}  // namespace
}  // namespace memsizer::engine
