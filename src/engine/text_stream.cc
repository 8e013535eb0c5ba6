#include "engine/text_stream.h"

#include "core/utf8.h"

namespace memsizer::engine {

void stream_text(const TextModel& model, runtime::Work& work, const GenerationSettings& settings,
                 std::string_view line, uint64_t stream,
                 const std::function<bool(std::string_view piece)>& on_text) {
  GenerationSettings drawing = settings;
  drawing.sample = true;
  std::vector<int32_t> tokens;
  size_t told = 0;
  // What a token adds to the text is known only from the whole text so far.
  const auto tell = [&](bool at_end) {
    const std::string text = model.decode(tokens);
    const std::string_view piece = std::string_view(text).substr(std::min(told, text.size()));
    if (piece.empty() || (!at_end && !valid_utf8(piece))) return true;
    told = text.size();
    return on_text(piece);
  };
  bool stopped = false;
  generate(model, work, {{model.encode(line), stream}}, drawing, [&](size_t /*input*/, int32_t token) {
    tokens.push_back(token);
    stopped = !tell(/*at_end=*/false);
    return !stopped;
  });
  if (!stopped) tell(/*at_end=*/true);
}

}  // namespace memsizer::engine
