#include "engine/likelihood.h"

#include <algorithm>

#include "decode/row_scores.h"
#include "engine/batching.h"
#include "kernels/aligned_buffer.h"
#include "runtime/joined_tokens.h"

namespace memsizer::engine {
namespace {

using runtime::DecoderState;
using runtime::JoinedTokens;
using runtime::Model;
using runtime::Ragged;
using runtime::Work;

// Numbers of scores that exist at once, and tokens read at once: enough to fill the matrix products.
constexpr int64_t kScores = int64_t{16} << 20;
constexpr int64_t kTokens = 2048;

// Reads the tokens and gives the log-probability of what follows each: targets[i] after tokens[i].
class Reader {
 public:
  Reader(const Model& model, Work& work) : model_(model), work_(work) {}

  std::span<const float> advance(const JoinedTokens& tokens, std::span<const int32_t> targets,
                                 DecoderState& state) {
    const int64_t vocab = model_.vocab();
    const size_t count = targets.size();
    if (scores_.size() < count * static_cast<size_t>(vocab))
      scores_ = kernels::AlignedBuffer<float>(count * static_cast<size_t>(vocab));
    model_.advance(work_, tokens.ragged(), tokens.tokens, state, Model::Scores::EveryToken, scores_.data());
    found_.resize(count);
    work_.team.split(static_cast<int64_t>(count), 1, [&](int64_t begin, int64_t end) {
      decode::RowScores row;
      for (int64_t i = begin; i < end; ++i) {
        row.read({scores_.data() + i * vocab, static_cast<size_t>(vocab)}, 1.0);
        found_[i] = row.score(static_cast<size_t>(targets[i]));
      }
    });
    return found_;
  }

 private:
  const Model& model_;
  Work& work_;
  kernels::AlignedBuffer<float> scores_;
  std::vector<float> found_;
};

// What is read before the token at `place` of a stream.
int32_t before(std::span<const int32_t> stream, int64_t place) {
  return place > 0 ? stream[place - 1] : static_cast<int32_t>(kEos);
}

int64_t length(const text::StreamBlock& block) {
  return block.end - block.begin;
}

// Windows of one length, side by side, so that all rows have a token to read at every piece.
class Windows {
 public:
  Windows(const Model& model, Work& work, std::span<const int32_t> stream)
      : model_(model), work_(work), stream_(stream), reader_(model, work) {}

  void score(std::span<const text::StreamBlock> blocks, std::vector<double>& result) {
    const auto rows = static_cast<int64_t>(blocks.size());
    DecoderState state = model_.start(rows);
    int64_t context = length(blocks.front());
    for (const text::StreamBlock& block : blocks) context = std::min(context, block.score_from - block.begin);
    for (int64_t at = 0; at < context; at += piece(rows)) {
      const JoinedTokens inputs = inputs_at(blocks, at, std::min(context, at + piece(rows)));
      model_.read(work_, inputs.ragged(), inputs.tokens, state);
    }
    const int64_t scored = std::min(piece(rows), std::max<int64_t>(1, kScores / model_.vocab() / rows));
    for (int64_t at = context; at < length(blocks.front()); at += scored)
      score_piece(blocks, at, std::min(length(blocks.front()), at + scored), state, result);
  }

 private:
  static int64_t piece(int64_t rows) { return std::max<int64_t>(1, kTokens / rows); }

  JoinedTokens inputs_at(std::span<const text::StreamBlock> blocks, int64_t begin, int64_t end) const {
    JoinedTokens inputs;
    std::vector<int32_t> row;
    for (const text::StreamBlock& block : blocks) {
      row.clear();
      for (int64_t t = begin; t < end; ++t) row.push_back(before(stream_, block.begin + t));
      inputs.add(row);
    }
    return inputs;
  }

  void score_piece(std::span<const text::StreamBlock> blocks, int64_t begin, int64_t end, DecoderState& state,
                   std::vector<double>& result) {
    std::vector<int32_t> targets;
    for (const text::StreamBlock& block : blocks) {
      const auto some =
          stream_.subspan(static_cast<size_t>(block.begin + begin), static_cast<size_t>(end - begin));
      targets.insert(targets.end(), some.begin(), some.end());
    }
    const std::span<const float> found = reader_.advance(inputs_at(blocks, begin, end), targets, state);
    size_t i = 0;
    for (const text::StreamBlock& block : blocks) {
      for (int64_t t = begin; t < end; ++t, ++i) {
        if (block.begin + t < block.score_from) continue;
        result[static_cast<size_t>(block.begin + t)] = found[i];
      }
    }
  }

  const Model& model_;
  Work& work_;
  std::span<const int32_t> stream_;
  Reader reader_;
};

}  // namespace

std::vector<double> stream_likelihood(const Model& model, Work& work, std::span<const int32_t> stream,
                                      std::span<const text::StreamBlock> windows, const OnDone& on_done) {
  std::vector<double> result(stream.size());
  Windows scorer(model, work, stream);
  for (size_t begin = 0; begin < windows.size();) {
    const auto most_rows = static_cast<size_t>(std::max<int64_t>(1, kTokens / length(windows[begin])));
    size_t end = begin;
    while (end < windows.size() && end - begin < most_rows && length(windows[end]) == length(windows[begin]))
      ++end;
    scorer.score(windows.subspan(begin, end - begin), result);
    begin = end;
    if (on_done) on_done(windows[begin - 1].end);
  }
  return result;
}

std::vector<double> target_likelihood(const Model& model, Work& work,
                                      std::span<const std::span<const int32_t>> sources,
                                      std::span<const std::span<const int32_t>> targets,
                                      const OnDone& on_done) {
  std::vector<size_t> lengths;
  for (size_t i = 0; i < sources.size(); ++i)
    lengths.push_back(std::max(sources[i].size(), targets[i].size()));
  const int64_t tokens = std::clamp<int64_t>(kScores / model.vocab(), 1, kTokens);
  std::vector<double> result(sources.size(), 0.0);
  Reader reader(model, work);
  int64_t done = 0;
  for (const std::vector<size_t>& batch : batches_by_length(lengths, tokens, tokens)) {
    JoinedTokens read;
    JoinedTokens inputs;
    std::vector<int32_t> wanted;
    for (const size_t i : batch) {
      read.add(sources[i]);
      std::vector<int32_t> input{static_cast<int32_t>(kEos)};
      input.insert(input.end(), targets[i].begin(), targets[i].end() - 1);
      inputs.add(input);
      wanted.insert(wanted.end(), targets[i].begin(), targets[i].end());
    }
    DecoderState state = model.start(work, read.ragged(), read.tokens);
    const std::span<const float> found = reader.advance(inputs, wanted, state);
    size_t at = 0;
    for (const size_t i : batch) {
      for (size_t t = 0; t < targets[i].size(); ++t) result[i] += found[at++];
    }
    done += static_cast<int64_t>(batch.size());
    if (on_done) on_done(done);
  }
  return result;
}

}  // namespace memsizer::engine
