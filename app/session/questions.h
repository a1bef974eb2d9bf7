#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "views/table/launches_data.h"
#include "views/timeline/merged_data.h"
#include "views/timeline/timeline_data.h"

namespace jitterscope::app {

/// First track number of metrics; the engine's own tracks have smaller numbers.
inline constexpr std::uint32_t kFirstMetricTrack = 1u << 31;
/// The tracks of a query without metrics, which are not in the engine's timeline.
std::vector<std::uint32_t> without_metrics(const std::vector<std::uint32_t>& tracks);

/// Options of the engine's operations, in addition to the "where" and "intervals" of the selection.
nlohmann::json timeline_question(const views::TimelineQuery& query);
/// The rows are runs of track numbers: [first, step, count].
nlohmann::json merged_question(const views::MergedQuery& query);
nlohmann::json launches_question(qint64 first, qint64 count, const views::LaunchesOrder& order,
                                 const QStringList& columns);

/// Options of the operation "contrast": the launches of `selection` ("where", "intervals") are compared with
/// those outside it that pass the filter `against`; empty: with all.
nlohmann::json contrast_question(const nlohmann::json& selection, const std::string& against);

/// A causal question about more launches than the selection, where the selection does not show why durations
/// vary: its "where", and a remark for the user that states `why` and which launches the answer is about.
struct WiderQuestion {
  nlohmann::json rows;
  QString remark;
};
WiderQuestion about_all_launches(const QString& why);
/// About all launches of the kernels in an answer of "kernels" about the selection; about all launches if it
/// has none.
WiderQuestion about_kernels(const nlohmann::json& kernels, const QString& why);

/// "kernel_variability" → "Kernel variability".
QString title_of_column(const std::string& column);

} // namespace jitterscope::app
