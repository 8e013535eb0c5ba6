#include "cli/complete_state.h"

#include <fmt/format.h>

#include "core/atomic_file.h"
#include "core/error.h"
#include "core/mapped_file.h"
#include "core/special_tokens.h"
#include "engine/prompt_text.h"
#include "runtime/saved_state.h"

namespace memsizer::cli {
namespace {

// Tokens read at once: enough to fill the matrix products, and few beside a long text.
constexpr size_t kTokensAtOnce = 16384;

engine::SavedState load_file(const engine::TextModel& model, const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  runtime::SavedRow row = runtime::load_row(model.model(), file.bytes(), path);
  if (!row.next)
    throw UserError("{} has no token to go on from; save a state with memsizer complete --save-state", path);
  return {std::move(row.state), {*row.next}};
}

// Reads tokens after a state, whose own token comes first.
void read_tokens(engine::Generator& generator, std::vector<int32_t>& tokens, engine::SavedState& state) {
  state.tokens.insert(state.tokens.end(), tokens.begin(), tokens.end());
  tokens.clear();
  engine::Request request;
  request.input = std::move(state);
  request.read_only = true;
  state = std::move(*generator.submit(std::move(request)).get().state);
}

}  // namespace

void save_text_state(const engine::TextModel& model, const engine::GeneratorOptions& options,
                     const std::string& load, const std::string& save,
                     const engine::LinePipeline::ReadLine& read) {
  engine::SavedState state = load.empty()
                                 ? engine::SavedState{model.model().start(1), {static_cast<int32_t>(kEos)}}
                                 : load_file(model, load);
  // Before the text is read: a place where nothing can be written would be found out late.
  AtomicFile file(save);
  engine::Generator generator(model, options);
  std::vector<int32_t> tokens;
  std::string line;
  for (bool first = true; read(line); first = false) {
    if (!first) tokens.push_back(static_cast<int32_t>(kEos));
    const std::vector<int32_t> more = engine::prompt_tokens(model, line);
    tokens.insert(tokens.end(), more.begin(), more.end());
    if (tokens.size() >= kTokensAtOnce) read_tokens(generator, tokens, state);
  }
  read_tokens(generator, tokens, state);
  file.write(runtime::save_state(model.model(), state.state, 0, state.tokens.back()));
  file.commit();
  fmt::print(stderr, "{} tokens read; their state of {} bytes is in {}\n", state.state.seen().front(),
             state.state.bytes(), save);
}

void go_on_from_state(const engine::TextModel& model, const engine::PipelineSettings& settings,
                      const std::string& load, const engine::LinePipeline::ReadLine& read,
                      const engine::LinePipeline::WriteResult& write) {
  const engine::SavedState state = load_file(model, load);
  engine::Generator generator(model, settings.generator);
  std::string line;
  for (uint64_t number = 0; read(line); ++number) {
    engine::SavedState from = state;
    const std::vector<int32_t> more = engine::prompt_tokens(model, line);
    from.tokens.insert(from.tokens.end(), more.begin(), more.end());
    engine::Request request;
    request.input = std::move(from);
    request.options = settings.generation;
    request.stream = number;
    write(number, line, generator.submit(std::move(request)).get());
  }
}

}  // namespace memsizer::cli
