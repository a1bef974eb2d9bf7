#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/engine/messages/causal_options.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/table_options.h"
#include "core/engine/messages/timeline_options.h"
#include "views/table/launches_data.h"
#include "views/timeline/merged_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

/// First track number of metrics; the engine's own tracks have smaller numbers.
inline constexpr std::uint32_t kFirstMetricTrack = 1u << 31;
/// The tracks of a query without metrics, which are not in the engine's timeline.
std::vector<std::uint32_t> without_metrics(const std::vector<std::uint32_t>& tracks);

std::vector<std::string> texts_of(const QStringList& list);

/// Options of requests about the launches of a selection.
engine::TimelineOptions timeline_question(const views::TimelineQuery& query,
                                          const engine::SelectionOptions& selection);
engine::MergedTimelineOptions merged_question(const views::MergedQuery& query,
                                              const engine::SelectionOptions& selection);
engine::LaunchesOptions launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                          const QStringList& columns,
                                          const engine::SelectionOptions& selection);

/// The launches of `selection` are compared with those outside it that pass the filter `against`; empty: with
/// all.
engine::ContrastOptions contrast_question(const engine::SelectionOptions& selection,
                                          const std::string& against);

/// Metrics and efficiencies that become columns, from the form in which session files store them: {metrics:
/// [{name, text}], efficiencies: {width_ns | step, collectives_as, ranks, devices}}. Errors: BadUse.
Expected<engine::ChooseColumnsOptions> columns_question(const nlohmann::json& chosen);

/// A causal question about more launches than the selection, where the selection does not show why durations
/// vary, and a remark for the user that states `why` and which launches the answer is about.
struct WiderQuestion {
  engine::SelectionOptions rows;
  QString remark;
};
WiderQuestion about_all_launches(const QString& why);
/// About all launches of the selection's kernels that meet the filter `where` of the selection (empty: none);
/// about all launches if it has no kernels.
WiderQuestion about_kernels(const engine::answers::KernelsAnswer& selected, const std::string& where,
                            const QString& why);

/// "kernel_variability" → "Kernel variability".
QString title_of_column(const std::string& column);

} // namespace jitterscope::app
