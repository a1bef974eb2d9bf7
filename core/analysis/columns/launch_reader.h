#pragma once

#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"

namespace jitterscope::analysis {

/// Reads one numeric column of launches, for loops over all of them: column lookups are done once, and the
/// two most used columns, duration and kernel variability, are read directly from the store. `session` and
/// `columns` must outlive this object. Thread-safe.
class LaunchReader {
public:
  LaunchReader(const Session& session, const LaunchColumns& columns, const std::string& name);

  /// Values of rows [first, last) of one trace, NaN where missing.
  void read(const Segment& segment, double* out) const;

  /// For columns that depend on the configuration or the stream alone: the values by configuration or stream,
  /// to be indexed by the ids of the rows. Else null.
  const std::vector<double>* table(std::size_t trace) const {
    return way_ == Way::Table ? &sources_[trace].of_id : nullptr;
  }
  const store::Values<std::uint32_t>& ids(std::size_t trace) const { return sources_[trace].ids; }

private:
  enum class Way { Column, Duration, Variability, View, Table };
  struct Source {
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> configurations;
    std::vector<double> means; ///< by stored configuration code: mean duration [ns]; NaN: no variability
    store::Values<std::uint32_t> ids; ///< way Table: id of the configuration or stream of each row
    std::vector<double> of_id;        ///< way Table: value of the column for each id
    const store::ColumnView* view = nullptr;
  };
  bool fill_table(const Session& session, const LaunchColumns& columns, std::size_t trace, Source& source);
  static void read_variability(const Source& source, std::size_t first, std::size_t last, double* out);
  template <class Duration, class Configuration>
  static void deviations(const Source& source, std::size_t first, std::size_t last, double* out);

  const LaunchColumns* columns_;
  std::string name_;
  Way way_ = Way::Column;
  bool may_miss_ = false;       ///< some durations of the session are unknown
  std::vector<Source> sources_; ///< per trace
};

} // namespace jitterscope::analysis
