#pragma once

#include "serve/context.h"
#include "serve/routes.h"

namespace memsizer::serve {

// POST /v1/completions, in OpenAI's form.
void add_completion_routes(RouteTable& routes, Context& context);

}  // namespace memsizer::serve
