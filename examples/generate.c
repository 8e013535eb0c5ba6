/* Generates for each line given as an argument. usage: generate_c MODEL LINE... */
#include <memsizer/memsizer.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: generate_c MODEL LINE...\n");
    return 2;
  }
  char error[512];
  memsizer_model* model = memsizer_load(argv[1], 0, 1, error, sizeof error);
  if (!model) {
    fprintf(stderr, "generate_c: %s\n", error);
    return 2;
  }
  const size_t lines = (size_t)argc - 2;
  memsizer_options options;
  memsizer_results* results = NULL;
  if (memsizer_default_options(model, &options, sizeof options, error, sizeof error) == 0)
    results = memsizer_generate(model, (const char* const*)argv + 2, lines, &options, error, sizeof error);
  if (!results) {
    fprintf(stderr, "generate_c: %s\n", error);
    memsizer_free_model(model);
    return 2;
  }
  for (size_t i = 0; i < lines; ++i) printf("%s\n", memsizer_text(results, i, 0));
  memsizer_free_results(results);
  memsizer_free_model(model);
  return 0;
}
