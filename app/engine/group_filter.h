#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>

namespace jitterscope::app {

/// A filter that narrows another one to one group of a column: "name ~ /nccl/ and rank = 6".
struct GroupFilter {
  QString base;  ///< "name ~ /nccl/"; empty: the group alone
  QString group; ///< "rank = 6", as group_condition() writes it
};

/// The condition that chooses a group, always written the same: numbers with the fewest digits that mean them
/// exactly.
QString group_condition(const QString& column, double number);
QString group_condition(const QString& column, const QString& text);

/// The two parts, where one of the conditions that `where` joins by "and" is `column = value`. It may stand
/// anywhere among them, in brackets, as `==` or as `in` of one value: filters are typed by hand too. What is
/// joined by "or" chooses no group.
std::optional<GroupFilter> split_group(const QString& where, const QString& column);

/// `where` narrowed to the group: another group of the column gives way in its place, the same one is taken
/// back.
QString with_group(const QString& where, const QString& column, const QString& group);

/// A filter that one kernel passes.
struct KernelFilter {
  QString base; ///< without the kernel's condition
  std::uint32_t kernel = 0;
};

/// Where one of the joined conditions is `kernel = 3`, or `name = "…"` with a text that only one of the names
/// is.
std::optional<KernelFilter> split_kernel(const QString& where, const QStringList& names);

} // namespace jitterscope::app
