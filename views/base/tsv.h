#pragma once

#include <QString>
#include <vector>

class QAbstractItemModel;

namespace jitterscope::views {

/// Tab-separated text with a header row, as shown; `rows` of the model, all when empty.
QString toTsv(const QAbstractItemModel& model, const std::vector<int>& rows = {});

} // namespace jitterscope::views
