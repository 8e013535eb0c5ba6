#include "engine/text_stream.h"

#include "engine/channel.h"

namespace memsizer::engine {
namespace {

// False if one was enough.
bool hand_over(Channel<std::string>& pieces, const OnText& on_text) {
  for (;;) {
    const std::vector<std::string> some = pieces.take_all();
    if (some.empty()) return true;
    for (const std::string& piece : some) {
      if (!on_text(piece)) return false;
    }
  }
}

}  // namespace

Result stream_text(Generator& generator, Request request, const OnText& on_text) {
  // Shared, since the generator's thread may still be leaving it when this one is done.
  const auto pieces = std::make_shared<Channel<std::string>>(kLongestOutput);
  request.on_text = [pieces](std::string_view piece) {
    std::string text(piece);
    return pieces->push(text);
  };
  request.on_done = [pieces] { pieces->close(); };
  Ticket ticket = generator.submit(std::move(request));
  try {
    if (!hand_over(*pieces, on_text)) ticket.cancel();
  } catch (...) {
    ticket.cancel();
    throw;
  }
  return ticket.get();
}

}  // namespace memsizer::engine
