#include "serve/page.h"

#include "serve/page_files.h"

namespace memsizer::serve {
namespace {

// Nothing from elsewhere, nothing inline, and no frame around it.
constexpr auto kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace

void add_page_routes(RouteTable& routes) {
  for (const PageFile& file : page_files()) {
    Route route;
    route.method = "GET";
    route.path = file.path;
    route.summary = "A file of the page";
    route.access = Access::Open;
    route.response_type = file.type;
    route.handle = [file](Call& call) {
      HttpResponse response;
      response.content_type = std::string(file.type) + "; charset=utf-8";
      response.headers = {{"Content-Security-Policy", kPolicy}, {"Referrer-Policy", "no-referrer"}};
      response.body = std::string(file.text);
      call.exchange->respond(std::move(response));
    };
    routes.add(std::move(route));
  }
}

}  // namespace memsizer::serve
