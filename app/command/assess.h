#pragma once

#include "app/command/command.h"
#include "app/report/assessment.h"

namespace jitterscope::app {

/// Inputs of `report --assessment`.
struct AssessmentRequest {
  std::vector<std::string> files;
  std::vector<std::string> references; ///< files of other runs; the first is the reference for scaling
  std::optional<std::vector<std::int64_t>> range; ///< focus of analysis [ns]; nullopt: the detected steps
  std::string step; ///< substring of the name of the range that represents a step
  std::string collectives = "comm";
};

/// Requests the contents of the assessment from the engine, which has the files of the request open; `info`
/// is their info document. Errors: BadUse for tables without times, and any error of the engine.
Expected<AssessmentContent> assess(BlockingEngine& engine, nlohmann::json info,
                                   const AssessmentRequest& request, const CommonOptions& common,
                                   const Job& job);

} // namespace jitterscope::app
