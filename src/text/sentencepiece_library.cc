#include "text/sentencepiece_library.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "core/error.h"

namespace memsizer::text {
namespace {

namespace fs = std::filesystem;

constexpr auto kModule = "memsizer_sentencepiece.so";
constexpr auto kEntry = "memsizer_sentencepiece_library";

// The folder of the program or shared library that this code is in.
fs::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || !info.dli_fname) return {};
  return fs::path(info.dli_fname).parent_path();
}

fs::path module_path() {
  const fs::path programs = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path own = own_folder();
  for (const fs::path& folder : {programs, programs / "../bin", programs / "../lib/memsizer", own,
                                 own / "memsizer", own / "../bin", own / "../lib/memsizer"}) {
    if (fs::exists(folder / kModule)) return folder / kModule;
  }
  throw UserError("{} is neither beside the program nor in ../lib/memsizer; install it with the program",
                  kModule);
}

// g++ says by a macro that a sanitizer is in use, clang by a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MEMSIZER_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMSIZER_SANITIZED
#endif

// Sanitizers refuse libraries that prefer their own symbols.
#ifdef MEMSIZER_SANITIZED
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL;
#else
constexpr int kFlags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
#endif

const SentencePieceLibrary* load() {
  const fs::path path = module_path();
  void* module = ::dlopen(path.c_str(), kFlags);
  if (!module) throw UserError("cannot load {}: {}; install libsentencepiece", path.string(), ::dlerror());
  using Entry = const SentencePieceLibrary* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(module, kEntry));
  if (!entry) throw UserError("{} is not our module; install it with the program again", path.string());
  return entry();
}

}  // namespace

const SentencePieceLibrary& sentencepiece_library() {
  static const SentencePieceLibrary* const library = load();
  return *library;
}

}  // namespace memsizer::text
