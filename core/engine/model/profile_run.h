#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/engine/model/run_factors.h"

namespace jitterscope::engine {

/// Time of a run from a profile, in the form of run_document (run_answer.h), measured and in each scenario.
/// A rank is represented by its longest thread with MPI calls, and the run by its slowest rank. The
/// exclusive times of the thread are added, without overlap: computation, scaled as bursts; operations of MPI
/// with messages, which divide into the predicted time of the messages and a rest, the waiting, that scales
/// with computation; other operations of MPI (MPI_Init), unchanged. Scenarios with another GPU are left out.
/// Null without MPI. Errors: Cancelled.
Expected<nlohmann::json> profile_run(const SessionMessages& messages, const MessageModels& models,
                                     const std::vector<Scenario>& scenarios, const Job& job);

} // namespace jitterscope::engine
