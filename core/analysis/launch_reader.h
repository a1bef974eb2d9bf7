#pragma once

#include <string>
#include <vector>

#include "core/analysis/columns.h"

namespace jitterscope::analysis {

/// Reads one numeric column of launches, for loops over all of them: what the column needs is looked up once, and
/// the two that everybody asks for, duration and kernel variability, are read as they lie in the store.
/// Both arguments must outlive it. Safe to use from several threads.
class LaunchReader {
public:
  LaunchReader(const Session& session, const LaunchColumns& columns, const std::string& name);

  /// Values of rows [first, last) of one trace, NaN where missing.
  void read(const Segment& segment, double* out) const;

private:
  enum class Way { Column, Duration, Variability, View };
  struct Source {
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> configurations;
    std::vector<double> means; ///< by what the configuration lies as; NaN where the variability is missing
    const store::ColumnView* view = nullptr;
  };
  static void read_variability(const Source& source, std::size_t first, std::size_t last, double* out);
  template <class Duration, class Configuration>
  static void deviations(const Source& source, std::size_t first, std::size_t last, double* out);

  const LaunchColumns* columns_;
  std::string name_;
  Way way_ = Way::Column;
  bool may_miss_ = false; ///< some durations are not known
  std::vector<Source> sources_; ///< per trace
};

} // namespace jitterscope::analysis
