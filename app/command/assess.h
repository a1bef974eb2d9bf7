#pragma once

#include "app/command/command.h"
#include "app/report/assessment.h"

namespace jitterscope::app {

/// What `report --assessment` is asked for.
struct AssessmentRequest {
  std::vector<std::string> files;
  std::vector<std::string> references; ///< files of other runs; the first is what scaling refers to
  std::optional<std::vector<std::int64_t>>
      range;        ///< focus of analysis [ns]; nothing: the steps that are found
  std::string step; ///< part of the name of the range that a step is
  std::string collectives = "comm";
};

/// Asks the engine, in which the files are open (`info`), for everything that the assessment says. Errors:
/// BadUse for tables without time, and whatever the engine says.
Expected<AssessmentContent> assess(BlockingEngine& engine, nlohmann::json info,
                                   const AssessmentRequest& request, const CommonOptions& common,
                                   const Job& job);

} // namespace jitterscope::app
