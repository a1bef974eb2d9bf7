#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/spill_vector.h"
#include "core/import/records/units.h"
#include "core/import/text/csv/csv_reader.h"

namespace jitterscope::import::gpu_trace {

inline constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

/// The header of a table in the versions of Nsight Systems and nvprof: "Start (ns)", "Start(nsec)",
/// "Start:ts_ns", "Start" above a row of units.
class Titles {
public:
  Titles() = default;
  explicit Titles(std::span<const std::string_view> titles);

  /// The column with one of these names, given in lower case, without blanks, signs and unit ("gridx");
  /// kAbsent when there is none.
  std::size_t find(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return find({name}) != kAbsent; }
  std::size_t size() const { return names_.size(); }
  const std::string& title(std::size_t column) const { return titles_[column]; }

  /// Reads units from a row below the header.
  void set_units(std::span<const std::string_view> units);
  const std::string& unit(std::size_t column) const { return units_[column]; }
  /// ns per unit of the column; 1 when it has no unit.
  std::int64_t time_scale(std::size_t column) const {
    return column < time_scales_.size() ? time_scales_[column] : 1;
  }

private:
  void find_time_scales();

  std::vector<std::string> titles_, names_, units_;
  SpillVector<std::int64_t> time_scales_;
};

/// A field of a record, trimmed; empty where it is absent.
std::string_view field(const CsvReader& csv, std::size_t column);

} // namespace jitterscope::import::gpu_trace
