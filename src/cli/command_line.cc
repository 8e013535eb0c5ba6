#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "core/error.h"
#include "core/names.h"
#include "core/program_signals.h"
#include "core/safetensors.h"
#include "core/standard_error.h"

namespace memsizer::cli {
namespace {

// The subcommand that was being parsed when something did not fit: the deepest one the words name.
const CLI::App& command_in_use(const CLI::App& app, std::span<char*> words) {
  const CLI::App* current = &app;
  for (const std::string_view word : words) {
    for (const CLI::App* candidate : current->get_subcommands({})) {
      if (candidate->get_name() == word) current = candidate;
    }
  }
  return *current;
}

std::vector<std::string> names_in(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* sub : command.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

// The first word that is neither an option nor a command here, where none but those can stand.
std::string unknown_word(const CLI::App& app, const CLI::App& command, std::span<char*> words) {
  const std::vector<std::string> known = names_in(command);
  for (const std::string_view word : words) {
    const std::string name(word.substr(0, word.find('=')));
    const bool could_be_value = !name.starts_with("-") && &command != &app;
    if (could_be_value || std::ranges::find(known, name) != known.end()) continue;
    return fmt::format("unknown {} '{}'{}", name.starts_with("-") ? "option" : "command", name,
                       did_you_mean(name, known));
  }
  return "";
}

// CLI11 says what it did not expect; a person wants to know what was meant.
std::string explain(const CLI::App& app, std::span<char*> words, const CLI::ParseError& error) {
  const CLI::App& command = command_in_use(app, words);
  std::string text;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) || dynamic_cast<const CLI::RequiredError*>(&error)) {
    text = unknown_word(app, command, words);
  }
  if (text.empty()) text = error.what();
  const std::string path = &command == &app ? app.get_name() : app.get_name() + " " + command.get_name();
  return fmt::format("{} (see {} --help)", text, path);
}

// One line, whatever control characters a file or a word of the command line had.
int report(const CLI::App& app, const std::string& message, int code) {
  tell(fmt::format("{}: {}", app.get_name(), printable_name(message, message.size())));
  return code;
}

// CLI11 takes nothing for no value, and a number that is too large for the largest one.
std::string problem_of_integer(const std::string& text) {
  int64_t value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    return fmt::format("found '{}', expected a number from -2^63 to 2^63 - 1", text);
  if (error != std::errc() || rest != end) return fmt::format("found '{}', expected a whole number", text);
  return "";
}

std::string problem_of_number(const std::string& text) {
  return text.empty() ? "found '', expected a number" : "";
}

// Freed when memory has run out, for what must not fail on the way out: messages, and destructors of JSON.
std::unique_ptr<char[]> memory_reserve;

void give_reserve() {
  if (!memory_reserve) throw std::bad_alloc();
  memory_reserve.reset();
}

void check_numbers(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("INT") || type.starts_with("UINT")) {
      option->check(CLI::Validator(problem_of_integer, ""));
    } else if (type.starts_with("FLOAT")) {
      option->check(CLI::Validator(problem_of_number, ""));
    }
  }
  for (CLI::App* sub : command.get_subcommands({})) check_numbers(*sub);
}

}  // namespace

int run_program(CLI::App& app, int argc, char** argv) {
  const std::span<char*> words(argv + 1, argc > 0 ? static_cast<size_t>(argc - 1) : 0);
  set_program_signals();
  constexpr size_t kReserve = size_t{1} << 20;
  memory_reserve = std::make_unique<char[]>(kReserve);
  std::set_new_handler(give_reserve);
  try {
    check_numbers(app);
    app.parse(argc, argv);
    std::fflush(stdout);
    // Output that could not be written (a full disk, a closed pipe) is not success.
    if (std::ferror(stdout)) return report(app, "could not write to standard output", 2);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return report(app, explain(app, words, error), 2);
  } catch (const UserError& error) {
    return report(app, error.what(), 2);
  } catch (const std::bad_alloc&) {
    return report(app, "not enough memory; end other programs, raise the limit (ulimit -v), or ask for less",
                  2);
  } catch (const std::exception& error) {
    return report(app, fmt::format("internal error: {}", error.what()), 1);
  }
}

void add_settings_option(CLI::App& command, std::vector<std::string>& settings) {
  command.add_option("--set", settings, "change one option of the configuration: key=value, may be repeated")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace memsizer::cli
