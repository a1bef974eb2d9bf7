#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>

namespace jitterscope::app {

/// A filter that narrows another one to one group of a column: "name ~ /nccl/ and rank = 6".
struct GroupFilter {
  QString base;  ///< filter without the group, "name ~ /nccl/"; may be empty
  QString group; ///< condition of the group, "rank = 6", as group_condition() writes it
};

/// A text as filters contain it (analysis::quoted_text).
QString quoted_text(const QString& text);

/// Condition that selects a group, in canonical form: numbers with the fewest digits that represent them
/// exactly.
QString group_condition(const QString& column, double number);
QString group_condition(const QString& column, const QString& text);

/// Splits `where` if one of its conditions joined by "and" is `column = value`. The condition may be
/// anywhere among them, in brackets, as `==` or as `in` of one value, because filters are also typed by hand.
/// Conditions joined by "or" select no group.
std::optional<GroupFilter> split_group(const QString& where, const QString& column);

/// `where` without conditions that select one group of the column.
QString without_group(const QString& where, const QString& column);

/// `where` restricted to the group: replaces another group of the column in place; removes the group if it is
/// already selected.
QString with_group(const QString& where, const QString& column, const QString& group);

/// `where` with a condition on a column, joined by "and"; replaces the last condition of `where` if it is on
/// this column.
QString with_condition(const QString& where, const QString& column, const QString& condition);

/// A filter that only one kernel passes.
struct KernelFilter {
  QString base; ///< filter without the kernel's condition
  std::uint32_t kernel = 0;
};

/// Splits a filter with a condition `kernel = 3`, or `name = "…"` with a text that equals exactly one of
/// the names.
std::optional<KernelFilter> split_kernel(const QString& where, const QStringList& names);

} // namespace jitterscope::app
