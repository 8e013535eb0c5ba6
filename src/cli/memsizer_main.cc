#include "cli/average.h"
#include "cli/bench.h"
#include "cli/bench_serve.h"
#include "cli/command_line.h"
#include "cli/distill.h"
#include "cli/evaluate.h"
#include "cli/export.h"
#include "cli/generate.h"
#include "cli/helper.h"
#include "cli/info.h"
#include "cli/mechanisms.h"
#include "cli/quantize.h"
#include "cli/score.h"
#include "cli/serve.h"
#include "cli/shortlist.h"

int main(int argc, char** argv) {
  CLI::App app("Sequence generation in linear time and constant memory", "memsizer");
  app.set_version_flag("--version", "memsizer " MEMSIZER_VERSION);
  app.require_subcommand(1);
  memsizer::cli::add_average(app);
  memsizer::cli::add_bench(app);
  memsizer::cli::add_bench_serve(app);
  memsizer::cli::add_distill(app);
  memsizer::cli::add_evaluate(app);
  memsizer::cli::add_export(app);
  memsizer::cli::add_generate_commands(app);
  memsizer::cli::add_info(app);
  memsizer::cli::add_mechanisms(app);
  memsizer::cli::add_quantize(app);
  memsizer::cli::add_score(app);
  memsizer::cli::add_serve(app, MEMSIZER_VERSION);
  memsizer::cli::add_shortlist_command(app);
  memsizer::cli::add_helper_commands(app);
  return memsizer::cli::run_program(app, argc, argv);
}
