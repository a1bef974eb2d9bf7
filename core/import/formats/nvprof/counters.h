#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/import/records/draft.h"
#include "core/import/records/row_issues.h"

namespace jitterscope::import::nvprof {

/// Hardware counters of launches, which nvprof records by the launch's correlation number. Metrics and
/// events have numbers instead of names in these databases: the name of a number depends on the device,
/// and only CUPTI provides it. Values of several instances of a unit are averaged (metrics) or summed
/// (events), unless the file also holds the value of the whole device.
class LaunchCounters {
public:
  /// Applies to the launches from row `first_launch` on.
  LaunchCounters(Draft& draft, std::size_t first_launch, RowIssues& issues);

  /// `bytes`: CUPTI's union of a floating point number, an integer, a percentage and a throughput.
  void add_metric(std::uint32_t correlation, std::int64_t id, std::string_view bytes, bool of_instance);
  void add_metric(std::uint32_t correlation, std::int64_t id, double value, bool of_instance);
  void add_event(std::uint32_t correlation, std::int64_t id, double value, bool of_instance);
  /// Samples of the program counter with one stall reason. `waiting`: those without an issued instruction.
  void add_samples(std::uint32_t correlation, std::int64_t reason, std::uint32_t samples,
                   std::uint32_t waiting);

  /// Fills the columns.
  void finish();

private:
  struct Sum {
    double value = 0;      ///< value as a double
    std::int64_t bits = 0; ///< value as an integer
    std::int64_t count = 0;
    bool of_device = false; ///< the value is of the whole device, not of one instance
  };
  struct Column {
    std::unordered_map<std::size_t, Sum> launches;
    bool integers = false; ///< all values are read as integers, because one is not a plausible double
  };
  using Columns = std::map<std::int64_t, Column>;

  std::size_t launch(std::uint32_t correlation);
  bool add(Columns& columns, std::uint32_t correlation, std::int64_t id, double value, std::int64_t bits,
           bool of_instance);

  Draft& draft_;
  RowIssues& issues_;
  std::unordered_map<std::uint32_t, std::size_t> launch_of_;
  Columns metrics_, events_;
  std::map<std::int64_t, std::unordered_map<std::size_t, double>>
      samples_; ///< by stall reason: samples by launch
  std::unordered_map<std::size_t, double> waiting_;
};

} // namespace jitterscope::import::nvprof
