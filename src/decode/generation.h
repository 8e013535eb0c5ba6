#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "core/generation_options.h"
#include "core/special_tokens.h"
#include "decode/best_candidates.h"
#include "decode/row_scores.h"
#include "decode/token_list.h"

namespace memsizer::decode {

// What one text is generated for. Random numbers come from (seed, stream) alone: give each request its own
// stream, such as the number of its line, and it gets the same text in any batch.
struct Request {
  int64_t source_length = 0;    // tokens, end token included: sets the longest output
  std::vector<int32_t> prefix;  // forced first tokens of the output; pad forces nothing
  int32_t start_token =
      static_cast<int32_t>(kEos);  // read first: a prompt's last token, if there is a prompt
  uint64_t stream = 0;
  TokenList among = nullptr;
  int64_t alternatives = 0;  // of each drawn token: this many likeliest tokens are kept beside it
};

enum class Finish {
  End,       // with an end token, the last of the tokens
  Length,    // as long as allowed, without an end token
  Stopped,   // before it was done
  NoTokens,  // the model gave no token any probability
};

struct Alternative {
  int32_t token = 0;
  float score = 0.0F;  // log-probability
};

struct Hypothesis {
  std::vector<int32_t> tokens;      // end token and forced prefix included
  double score = 0.0;               // log-probability; of a search, length-normalised if the options say so
  std::vector<float> token_scores;  // log-probability of each token, before top_k and top_p
  Finish finish = Finish::End;
  // Of each token, likeliest first, if they were asked for.
  std::vector<std::vector<Alternative>> alternatives = {};
  int64_t forgotten = 0;  // tokens before these, which forget_settled let go
};

// A row of the model's next step: which of the request's present rows it goes on from, and what it reads.
struct NextRow {
  int64_t parent = 0;
  int32_t token = 0;
};

// What one step needs and nothing outlives; requests take turns with it.
struct StepScratch {
  RowScores scores;
  BestCandidates best;
  std::vector<int32_t> history;
  std::vector<Candidate> all;
};

// One request on its way, with its own options. It sees the logits of its own rows only, so that its outcome
// cannot depend on the requests beside it.
class Generation {
 public:
  explicit Generation(TokenList among = nullptr) : among_(std::move(among)) {}
  virtual ~Generation() = default;

  // What it chooses among: its logits are of these.
  const TokenList& among() const { return among_; }

  // The rows of its next step, one at first; none when it is done.
  std::span<const NextRow> next_rows() const { return rows_; }
  bool done() const { return rows_.empty(); }

  // Takes the logits [rows, vocab] of these rows, or [rows, tokens of among()], and may overwrite them.
  virtual void step(std::span<float> logits, StepScratch& scratch) = 0;

  // The tokens that the best output begins with for sure.
  virtual std::span<const int32_t> settled() const = 0;

  // Lets go of the settled tokens where nothing needs them any more, so that a text of any length takes no
  // memory.
  virtual void forget_settled() {}

  // Ends it where it is.
  void stop() {
    stopped_ = stopped_ || !done();
    rows_.clear();
  }
  // The same because of an error, which is its own.
  void fail(std::exception_ptr error) {
    rows_.clear();
    error_ = std::move(error);
  }
  const std::exception_ptr& error() const { return error_; }

  // What was found, best first; once, when it is done.
  virtual std::vector<Hypothesis> take() = 0;

 protected:
  bool stopped() const { return stopped_; }

  std::vector<NextRow> rows_;

 private:
  TokenList among_;
  bool stopped_ = false;
  std::exception_ptr error_;
};

// Throws UserError if the options or the request do not fit. max_positions bounds what models with learned
// positions read from the start token on; 0 is no bound.
std::unique_ptr<Generation> start_generation(Request request, const GenerationOptions& options, int64_t vocab,
                                             int64_t max_positions);

}  // namespace memsizer::decode
