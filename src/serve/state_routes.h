#pragma once

#include "serve/context.h"
#include "serve/routes.h"

namespace memsizer::serve {

// /v1/states: texts that were read, to go on from.
void add_state_routes(RouteTable& routes, Context& context);

}  // namespace memsizer::serve
