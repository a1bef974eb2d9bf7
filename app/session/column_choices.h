#pragma once

#include <QString>
#include <vector>

class QComboBox;

namespace jitterscope::app {

class SessionController;

/// A column that can be selected in a list.
struct ColumnChoice {
  QString name, label;
};

/// Metrics available in this session: variability, stall and duration first, then metrics and efficiencies
/// that are columns, then recorded columns; at most `maximum` of them.
std::vector<ColumnChoice> metric_choices(const SessionController& session, std::size_t maximum = 2'000);
/// Columns by which launches can be grouped.
std::vector<ColumnChoice> group_choices(const SessionController& session);

/// Fills a combo box whose items may be long; `prefix` precedes every label. Emits no signal.
void fill_box(QComboBox* box, const std::vector<ColumnChoice>& choices, const QString& current,
              const QString& prefix = {});

} // namespace jitterscope::app
