#pragma once

#include <memory>
#include <string>

#include "core/efficiency/activity.h"
#include "core/efficiency/efficiency_result.h"
#include "core/engine/messages/efficiency_options.h"
#include "core/engine/operations/operations.h"

namespace jitterscope::engine {

/// The metric defined by a text, bound to the session; cached for the next request. Collective. Errors:
/// BadUse with the place in the text, Cancelled.
Expected<std::shared_ptr<const efficiency::metrics::Bound>> bound_of(const Context& context,
                                                                     const std::string& text);
/// The activity of the session's devices and threads, computed on first use. Collective.
Expected<std::shared_ptr<const efficiency::Activity>> activity_of(const Context& context);

/// What a request asks of efficiencies. Errors: BadUse.
Expected<efficiency::Options> efficiency_options(const analysis::Session& session,
                                                 const EfficiencyOptions& options);

} // namespace jitterscope::engine
