#pragma once

#include "serve/routes.h"

namespace memsizer::serve {

// The page at /, whose files (web/) are built into the program.
void add_page_routes(RouteTable& routes);

}  // namespace memsizer::serve
