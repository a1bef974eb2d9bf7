#pragma once

#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/messages/statistics_answers.h"
#include "views/table/kernels_data.h"

namespace jitterscope::engine {
struct CausalOptions;
} // namespace jitterscope::engine

namespace jitterscope::app {

/// A subset of the launches of a causal question.
struct CausalGroupFilter {
  QString title;
  std::string filter; ///< condition added to the question's filter
};

inline constexpr std::size_t kMaxCausalGroups = 6;

/// At most kMaxCausalGroups kernels, those with the largest total variability. Kernels without variability
/// are omitted, except the first.
std::vector<CausalGroupFilter> groups_of_kernels(const views::KernelsData& kernels);
/// The most frequent values of the only axis. `word` precedes a number ("rank 3"),
/// unless `names` has a name for the number.
std::vector<CausalGroupFilter> groups_of_values(const engine::answers::ParallelAnswer& answer,
                                                const QString& word, const QStringList& names);
/// Note shown if there are more groups than are drawn: "6 of 8 ranks are drawn: those with …"; empty if all
/// are drawn.
QString note_of_groups(const std::vector<CausalGroupFilter>& drawn, std::size_t all, const QString& words,
                       const QString& maximum);
/// Number of values of the only axis that occur in the selected launches.
std::size_t values_of(const engine::answers::ParallelAnswer& answer);
/// Column that identifies runs: "trace" for stores opened together, "run" for files imported
/// together.
std::string run_column(const nlohmann::json& info);
/// Restricts a question to the launches of a group, with 100 bootstrap resamples and without boosted trees.
engine::CausalOptions question_of_group(engine::CausalOptions question, const std::string& filter);

} // namespace jitterscope::app
