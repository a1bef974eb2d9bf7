#pragma once

#include <QByteArray>
#include <QString>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/causal/base/result.h"
#include "core/engine/messages/causal_answers.h"
#include "core/engine/messages/statistics_answers.h"
#include "core/engine/messages/table_answers.h"

namespace jitterscope::app {

/// A picture of the report.
struct ReportFigure {
  QString id; ///< "timeline"
  QString title;
  QString caption; ///< content, rows and n of the picture
  QByteArray png;
};

/// All content of the page; the documents have the format of --json.
struct ReportContent {
  QString title;
  QString selection; ///< which rows the page covers, in words; empty: all
  nlohmann::json info, bins;
  causal::CausalResult causal;
  std::vector<engine::answers::KernelAnswer> kernels;
  std::optional<engine::answers::ContrastAnswer> contrast; ///< selected launches compared with their peers
  engine::answers::ArrivalsAnswer collectives;             ///< without sentences for tables without times
  QString remark;    ///< states if the causal answer is about other rows than the page; else empty
  QString no_causes; ///< reason if there is no causal answer; else empty
  std::vector<ReportFigure> figures;
};

/// One self-contained HTML page: styles and pictures are embedded, nothing is loaded. All texts of the
/// trace are escaped.
QByteArray report_page(const ReportContent& content);

} // namespace jitterscope::app
