#pragma once

#include <QString>
#include <vector>

class QComboBox;

namespace jitterscope::app {

class SessionController;

/// A column that can be chosen from a list.
struct ColumnChoice {
  QString name, label;
};

/// Metrics that this session has: variability, stall and duration first, then what the sources recorded; at
/// most `most` of them.
std::vector<ColumnChoice> metric_choices(const SessionController& session, std::size_t most = 2'000);
/// Columns that divide launches into few groups.
std::vector<ColumnChoice> group_choices(const SessionController& session);

/// Fills a box whose items may be long; `prefix` stands before every label. Emits nothing.
void fill_box(QComboBox* box, const std::vector<ColumnChoice>& choices, const QString& current,
              const QString& prefix = {});

} // namespace jitterscope::app
