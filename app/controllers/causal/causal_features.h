#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/causal/base/result.h"
#include "core/engine/messages/launch_answers.h"
#include "views/evidence/evidence_data.h"
#include "views/evidence/whatif_data.h"

namespace jitterscope::engine {
struct CausalOptions;
struct EvidenceOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// Recorded column from which a graph column is derived: "migration_ns > 0" → "migration_ns", "stream 13" →
/// "stream". `columns`: the session's columns. Empty if it is none of these columns.
std::string source_column(const std::string& feature, const std::vector<std::string>& columns);

/// Filter text for the launches with the cause (or without it): "gap_ns > 3200", "stream = 13". Empty if
/// the column cannot be used in a filter.
QString side_filter(const std::string& feature, const std::vector<std::string>& columns, double threshold,
                    bool with);

/// Value of a column of the graph in a launch; nullopt if it is missing in the launch.
std::optional<double> feature_value(const engine::answers::LaunchAnswer& launch, const std::string& feature,
                                    const std::vector<std::string>& columns);

/// Request for the rows behind an edge; `question` is that of the graph.
engine::EvidenceOptions evidence_question(const causal::CausalResult& result,
                                          const engine::CausalOptions& question, const std::string& from,
                                          const std::string& to);
Expected<views::EvidenceData> decode_evidence(const engine::Answer& answer,
                                              const causal::CausalResult& result);

/// Features that can be set, the largest effect on the target first.
views::WhatIfData what_if_of(const causal::CausalResult& result);
/// The reason why what_if_of() has no features.
QString why_none_can_be_set(const causal::CausalResult& result);
std::optional<views::WhatIfAnswer> what_if(const causal::CausalResult& result, const std::string& feature,
                                           double value);
/// Answers at evenly spaced values from `low` to `high`, for an event only at these two. Empty unless low <
/// high.
std::vector<views::WhatIfPoint> what_if_curve(const causal::CausalResult& result, const std::string& feature,
                                              double low, double high);
/// Answers at the given values.
std::vector<views::WhatIfPoint> what_if_points(const causal::CausalResult& result, const std::string& feature,
                                               const std::vector<double>& values);
/// Answer for one launch; nullopt if it lacks the feature or the target.
std::optional<views::WhatIfRow> what_if_row(const causal::CausalResult& result, const std::string& feature,
                                            double value, const engine::answers::LaunchAnswer& launch,
                                            const std::vector<std::string>& columns);

} // namespace jitterscope::app
