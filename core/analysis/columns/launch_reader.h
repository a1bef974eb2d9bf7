#pragma once

#include <string>
#include <vector>

#include "core/analysis/columns/columns.h"

namespace jitterscope::analysis {

/// Reads one numeric column of launches, for loops over all of them: what the column needs is looked up once,
/// and the two that everybody asks for, duration and kernel variability, are read as they lie in the store.
/// Both arguments must outlive it. Safe to use from several threads.
class LaunchReader {
public:
  LaunchReader(const Session& session, const LaunchColumns& columns, const std::string& name);

  /// Values of rows [first, last) of one trace, NaN where missing.
  void read(const Segment& segment, double* out) const;

  /// Where the column depends on the configuration or the stream alone: which of them each row has, and the
  /// value of each. Else null.
  const std::vector<double>* table(std::size_t trace) const {
    return way_ == Way::Table ? &sources_[trace].of_id : nullptr;
  }
  const store::Values<std::uint32_t>& ids(std::size_t trace) const { return sources_[trace].ids; }

private:
  enum class Way { Column, Duration, Variability, View, Table };
  struct Source {
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> configurations;
    std::vector<double> means; ///< by what the configuration lies as; NaN where the variability is missing
    store::Values<std::uint32_t> ids; ///< Table: of configurations or streams …
    std::vector<double> of_id;        ///< … and what the column is for each
    const store::ColumnView* view = nullptr;
  };
  bool fill_table(const Session& session, const LaunchColumns& columns, std::size_t trace, Source& source);
  static void read_variability(const Source& source, std::size_t first, std::size_t last, double* out);
  template <class Duration, class Configuration>
  static void deviations(const Source& source, std::size_t first, std::size_t last, double* out);

  const LaunchColumns* columns_;
  std::string name_;
  Way way_ = Way::Column;
  bool may_miss_ = false;       ///< some durations are not known
  std::vector<Source> sources_; ///< per trace
};

} // namespace jitterscope::analysis
