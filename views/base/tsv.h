#pragma once

#include <QString>
#include <vector>

class QAbstractItemModel;

namespace jitterscope::views {

/// Tab-separated text with a header row, as shown; `rows` of the model, all when empty.
QString toTsv(const QAbstractItemModel& model, const std::vector<int>& rows = {});

/// The same, all rows, as comma-separated text (RFC 4180: quotes where needed, lines end with CR LF).
QString toCsv(const QAbstractItemModel& model);

} // namespace jitterscope::views
