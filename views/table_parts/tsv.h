#pragma once

#include <QString>
#include <Qt>
#include <vector>

class QAbstractItemModel;

namespace jitterscope::views {

/// Tab-separated text with a header row, as shown; `rows` of the model, all when empty.
QString toTsv(const QAbstractItemModel& model, const std::vector<int>& rows = {});

/// What a cell is in CSV where that is not what is shown: the number as it is, its unit in the title; empty
/// where there is none.
inline constexpr int kCsvRole = Qt::UserRole + 1000;

/// The same, all rows, as comma-separated text (RFC 4180: quotes where needed, lines end with CR LF). Cells
/// and titles by kCsvRole, of models that have it.
QString toCsv(const QAbstractItemModel& model);

} // namespace jitterscope::views
