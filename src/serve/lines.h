#pragma once

#include "serve/context.h"
#include "serve/routes.h"

namespace memsizer::serve {

// POST /translate and GET /languages in LibreTranslate's form, and POST /summarize: texts whose lines are
// sources of an encoder-decoder model.
void add_line_routes(RouteTable& routes, Context& context);

}  // namespace memsizer::serve
