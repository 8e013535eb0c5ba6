#pragma once

#include <string>

#include "engine/line_pipeline.h"

// States of `memsizer complete`: --save-state and --load-state.
namespace memsizer::cli {

// Reads all lines as one text, in constant memory, after the state in `load` if that is given; the state that
// has read them goes to `save`.
void save_text_state(const engine::TextModel& model, const engine::GeneratorOptions& options,
                     const std::string& load, const std::string& save,
                     const engine::LinePipeline::ReadLine& read);

// Goes on from the state in `load` with each line; one result per line, as a pipeline has them.
void go_on_from_state(const engine::TextModel& model, const engine::PipelineSettings& settings,
                      const std::string& load, const engine::LinePipeline::ReadLine& read,
                      const engine::LinePipeline::WriteResult& write);

}  // namespace memsizer::cli
