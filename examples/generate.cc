// Generates for the lines of standard input, then shows a state as a value: two goes from one point.
// usage: generate_cpp MODEL <INPUT
#include <algorithm>
#include <exception>
#include <iostream>
#include <memsizer/memsizer.hpp>
#include <string>
#include <vector>

namespace {

// The likeliest tokens one after the other, up to the end token.
std::vector<int32_t> greedy(memsizer::Session session, int32_t next, size_t most) {
  std::vector<int32_t> tokens;
  while (tokens.size() < most) {
    session.read({next});
    const auto scores = session.scores();
    next = static_cast<int32_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    if (next == memsizer::kEndToken) break;
    tokens.push_back(next);
  }
  return tokens;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: generate_cpp MODEL <INPUT\n";
    return 2;
  }
  try {
    const memsizer::Model model(argv[1]);
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
    for (const memsizer::Result& result : model.generate(lines, model.default_options()))
      std::cout << result.outputs.front().text << "\n";

    if (lines.empty()) return 0;
    const memsizer::Session start = model.start(model.is_language_model() ? "" : lines.front());
    memsizer::Session fork = start;
    const auto first = greedy(start, memsizer::kEndToken, 10);
    const auto second = greedy(fork, memsizer::kEndToken, 10);
    std::cout << "state of " << start.state_bytes() << " bytes, forked: "
              << (first == second ? "both went the same way" : "they went different ways") << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "generate_cpp: " << error.what() << "\n";
    return 2;
  }
}
