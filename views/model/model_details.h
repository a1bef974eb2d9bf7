#pragma once

#include <QString>

#include "views/base/view_style.h"
#include "views/model/model_chart.h"

namespace jitterscope::views::model {

/// A kernel, message class or run with all its terms, each with its value and formula, as HTML of a
/// QTextBrowser.
QString detailsOf(const ModelData& data, Chart chart, int index, const ViewStyle& style);
/// What is shown while nothing is chosen: the error with its validation, GPUs and notes; or which inputs are
/// missing and what records them.
QString summaryOf(const ModelData& data, Chart chart, const ViewStyle& style);

} // namespace jitterscope::views::model
