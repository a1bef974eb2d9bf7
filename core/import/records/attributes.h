#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/spill_vector.h"
#include "core/import/records/number_column.h"

namespace jitterscope::import {

/// One attribute of launches that a source records in addition to the common columns: a hardware counter, a
/// tuning parameter, the name of a collective. Missing values stay missing.
struct Attribute {
  std::string name;        ///< unique column name of the filter language
  std::string unit;        ///< "ns", "B", "%", empty for pure numbers; not used for texts
  std::string description; ///< one sentence: meaning of the attribute
  bool text = false;
  bool parameter = false; ///< set by the program before the launch, like the grid
  NumberColumn numbers;   ///< by launch row, NaN if missing; launches beyond the end have no value
  /// Texts by launch row: row of Draft::strings, kNone if missing; launches beyond the end have no value.
  SpillVector<std::uint32_t> strings;
};

/// The attributes of all launches of a draft. Columns are looked up by title and unit, so that files of the
/// same kind share their columns.
class Attributes {
public:
  /// The column for `title` as the source spells it ("sm__cycles_active.avg", "L2 Hit Rate"), created when
  /// new. Its name is the slug of the title, with "column_" before a digit and "recorded_" before the name of
  /// a column that every launch has (start, duration, stream …). If another column has this name, the unit or
  /// a number is appended.
  std::size_t number(std::string_view title, std::string_view unit, std::string_view description = {});
  std::size_t text(std::string_view title, std::string_view description = {});

  void mark_parameter(std::size_t column) { all_[column].parameter = true; }

  void set(std::size_t column, std::size_t launch, double value) {
    auto& values = all_[column].numbers.values();
    if (values.size() == launch && launch < values.capacity())
      values.push_back(value); // the case where every row has a value
    else
      put(values, launch, value, std::numeric_limits<double>::quiet_NaN());
  }
  void set_text(std::size_t column, std::size_t launch, std::uint32_t string) {
    auto& values = all_[column].strings;
    if (values.size() == launch && launch < values.capacity())
      values.push_back(string);
    else
      put(values, launch, string, kNone);
  }

  /// Sets the values of consecutive launches from `launch` on. Missing values leave the stored ones
  /// unchanged.
  void append(std::size_t column, std::size_t launch, std::span<const double> values) {
    append(all_[column].numbers.values(), launch, values, std::numeric_limits<double>::quiet_NaN());
  }
  /// Appends numbers in narrow storage, which they keep while the column accepts pieces.
  void append(std::size_t column, std::size_t launch, NarrowNumbers values);
  void append_texts(std::size_t column, std::size_t launch, std::span<const std::uint32_t> strings) {
    append(all_[column].strings, launch, strings, kNone);
  }

  /// Approximate number of launches with values: columns created from now on reserve memory for that many.
  void expect(std::size_t launches) { expected_ = launches; }

  const std::vector<Attribute>& all() const { return all_; }
  std::vector<Attribute>& all() { return all_; }

  /// Removes the values of all launches from `launches` on.
  void shrink(std::size_t launches);
  /// Removes the columns from `columns` on.
  void keep_columns(std::size_t columns);

private:
  std::size_t column(std::string_view title, std::string_view unit, std::string_view description, bool text);

  template <class T>
  void put(SpillVector<T>& values, std::size_t launch, T value, T missing) {
    if (values.capacity() == 0) values.reserve(std::max(expected_, launch + 1));
    if (values.size() <= launch) values.resize(launch + 1, missing);
    values[launch] = value;
  }

  template <class T>
  void append(SpillVector<T>& column, std::size_t launch, std::span<const T> values, T missing) {
    if (values.empty()) return;
    if (column.capacity() == 0) column.reserve(std::max(expected_, launch + values.size()));
    if (column.size() < launch) column.resize(launch, missing);
    const auto known = std::min(column.size() - launch, values.size());
    for (std::size_t i = 0; i < known; ++i)
      if (values[i] == values[i] && values[i] != missing) column[launch + i] = values[i];
    column.insert(column.end(), values.begin() + static_cast<std::ptrdiff_t>(known), values.end());
  }

  std::vector<Attribute> all_;
  std::size_t expected_ = 0;
  std::map<std::pair<std::string, std::string>, std::size_t, std::less<>> by_title_; // (title, unit)
  std::map<std::string, std::size_t, std::less<>> by_name_;
  std::map<std::string, int>
      next_number_; // by name: the number to try first for another column with this name
};

} // namespace jitterscope::import
