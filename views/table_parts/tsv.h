#pragma once

#include <QString>
#include <Qt>
#include <vector>

class QAbstractItemModel;

namespace jitterscope::views {

/// The displayed texts of the given rows (all if `rows` is empty), tab-separated, with a header row.
QString toTsv(const QAbstractItemModel& model, const std::vector<int>& rows = {});

/// Role of a cell's CSV text if it differs from the displayed one: the plain number, its unit in the header;
/// empty if the cell has no value.
inline constexpr int kCsvRole = Qt::UserRole + 1000;

/// All rows as comma-separated text (RFC 4180: quotes where needed, lines end with CR LF). Cells
/// and headers come from kCsvRole in models that have it.
QString toCsv(const QAbstractItemModel& model);

} // namespace jitterscope::views
