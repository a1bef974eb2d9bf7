#pragma once

#include <memory>
#include <string>

#include "core/efficiency/activity.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {

/// The metric that a text defines, bound to the session; kept for the next question. Collective. Errors:
/// BadUse with the place in the text, Cancelled.
Expected<std::shared_ptr<const efficiency::metrics::Bound>> bound_of(const Context& context,
                                                                     const std::string& text);
/// The activity of the session's devices and threads, made when it is first asked for. Collective.
Expected<std::shared_ptr<const efficiency::Activity>> activity_of(const Context& context);

} // namespace jitterscope::engine
