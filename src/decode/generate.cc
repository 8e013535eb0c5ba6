#include "decode/generate.h"

#include "decode/row_loop.h"

namespace memsizer::decode {

std::vector<std::vector<Hypothesis>> generate(StepModel& model, const std::vector<Request>& requests,
                                              const GenerationOptions& options, int64_t max_positions) {
  validate(options, "generation");
  std::vector<std::unique_ptr<Generation>> generations;
  for (const Request& request : requests)
    generations.push_back(start_generation(request, options, model.vocab(), max_positions));
  RowLoop loop(model);
  for (const auto& generation : generations) loop.join(*generation);
  while (!loop.empty()) loop.step();
  std::vector<std::vector<Hypothesis>> found;
  for (const auto& generation : generations) {
    if (generation->error()) std::rethrow_exception(generation->error());
    found.push_back(generation->take());
  }
  return found;
}

}  // namespace memsizer::decode
