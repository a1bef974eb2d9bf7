#pragma once

#include <QString>
#include <optional>

namespace jitterscope::app {

/// A filter that narrows another one to one group of a column: "(name ~ /nccl/) and rank = 6".
struct GroupFilter {
  QString base;  ///< "name ~ /nccl/"; empty: the group alone
  QString group; ///< "rank = 6"
};

/// The two parts, where `where` is such a filter of this column.
std::optional<GroupFilter> split_group(const QString& where, const QString& column);

/// `where` narrowed to the group: another group of the column gives way, the same one is taken back.
QString with_group(const QString& where, const QString& column, const QString& group);

} // namespace jitterscope::app
