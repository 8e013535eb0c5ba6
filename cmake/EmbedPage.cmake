# Writes OUTPUT, a source with the text of the files of the page in it: cmake -DWEB=DIR -DOUTPUT=FILE -P EmbedPage.cmake
set(entries "")
foreach(entry "/|text/html|index.html" "/page.css|text/css|page.css" "/page.js|text/javascript|page.js"
              "/chart.js|text/javascript|chart.js" "/client.js|text/javascript|client.js")
  string(REPLACE "|" ";" parts "${entry}")
  list(GET parts 0 path)
  list(GET parts 1 type)
  list(GET parts 2 name)
  file(READ ${WEB}/${name} text)
  string(APPEND entries "    {\"${path}\", \"${type}\", R\"embedded(${text})embedded\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"serve/page_files.h\"

#include <array>

namespace memsizer::serve {
namespace {

constexpr auto kFiles = std::to_array<PageFile>({
${entries}});

}  // namespace

std::span<const PageFile> page_files() {
  return kFiles;
}

}  // namespace memsizer::serve
")
