#pragma once

#include <QSortFilterProxyModel>
#include <cmath>

namespace jitterscope::views {

/// Sorts by the values of the sort role: texts by locale, numbers with NaN below all others.
class ValueProxy : public QSortFilterProxyModel {
public:
  using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override {
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
    const double x = a.toDouble(), y = b.toDouble();
    return std::isnan(x) || std::isnan(y) ? std::isnan(x) && !std::isnan(y) : x < y;
  }
};

} // namespace jitterscope::views
