#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/base/output_file.h"
#include "core/base/time.h"
#include "core/store/format/store.h"

namespace jitterscope::analysis {

/// One store of a session with its relation to the others.
struct Trace {
  store::Store store;
  std::string name;                         ///< short and unique in the session (trace_names.h)
  std::int64_t shift_ns = 0;                ///< added to the store's times to reach the session's axis
  std::int64_t first_launch = 0;            ///< session row of this trace's first launch
  std::string alignment;                    ///< how the shift was determined, in words
  std::vector<std::uint32_t> kernel;        ///< session kernel of each row of table "kernels"
  std::vector<std::uint32_t> configuration; ///< session configuration of each row of "configurations"

  std::span<const std::int64_t> starts() const { return store.starts("launches"); }
  store::Values<std::int64_t> durations() const { return store.column<std::int64_t>("launches", "duration"); }
  store::Values<std::uint32_t> configurations() const {
    return store.column<std::uint32_t>("launches", "configuration");
  }
  std::int64_t launches() const { return static_cast<std::int64_t>(store.table("launches").rows); }
  /// Length on the axis of a launch with this duration: 1 on an axis of launch order, its duration on an axis
  /// of time.
  std::int64_t extent(std::int64_t duration) const { return store.manifest().launch_order ? 1 : duration; }
};

/// A kernel of the session: kernels with the same name in several traces are one kernel.
struct Kernel {
  std::string name;        ///< name with the full signature
  std::string short_name;  ///< name without template arguments and parameters
  bool collective = false; ///< whether it communicates between devices (store::CollectiveKernels)
};

/// Which kernels of a session are one: those with the same full name, or with the same short name.
enum class KernelNames : std::uint8_t { Full, Short };

/// A configuration of the session: kernel, grid, block, shared memory, registers.
struct Configuration {
  std::uint32_t kernel = 0;
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t static_shared_memory = 0;  ///< per block [B]
  std::uint32_t dynamic_shared_memory = 0; ///< per block [B]
  std::uint32_t registers = 0;             ///< registers per thread
  /// Any further property that distinguishes the configuration; else empty.
  std::string variant;
  std::int64_t launches = 0;        ///< number of launches of the configuration in the session
  std::int64_t measured = 0;        ///< number of these launches with a known duration
  std::int64_t duration_sum_ns = 0; ///< Σ duration of the measured launches

  /// Mean duration [ns] over its launches in the session with a known duration.
  double mean_ns() const {
    return measured > 0 ? static_cast<double>(duration_sum_ns) / static_cast<double>(measured) : 0.0;
  }
};

/// Rows [first, last) of one trace.
struct Segment {
  std::size_t trace = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t rows() const { return last - first; }
};

/// Several stores on one time axis. Launches are numbered consecutively: all of trace 0 in start order, then
/// trace 1 …
class Session {
public:
  /// Opens the stores, aligns them by absolute time if all of them have it, and merges kernels and
  /// configurations by value. Reads no launches. Tables without times are concatenated on an axis of
  /// launches; BadUse when they are mixed with traces with time. While the session is open, no output
  /// replaces its stores and the files that they were imported from.
  static Expected<Session> open(const std::vector<std::string>& paths, const Job& job = {},
                                KernelNames names = KernelNames::Full);

  const std::vector<Trace>& traces() const { return traces_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::vector<Configuration>& configurations() const { return configurations_; }
  std::int64_t launches() const { return launches_; }
  /// True when the axis counts launches of tables without times instead of ns.
  bool launch_order() const { return launch_order_; }
  /// True when any launch has a duration.
  bool has_durations() const { return has_durations_; }
  /// From the first launch's start to the last launch's end; empty if there are no launches.
  Interval launch_span() const { return launch_span_; }
  /// Covers all launches, transfers, calls, ranges and messages; samples of counters may be outside.
  Interval span() const { return span_; }

  /// Splits session rows [first, last) at the borders of traces.
  std::vector<Segment> segments(std::int64_t first, std::int64_t last) const;
  /// Launches that start inside an interval of the session's axis; a segment for each trace.
  std::vector<Segment> launches_in(Interval interval) const;

private:
  void name_traces();
  void join(Trace& trace);
  void prepare();

  InputFiles inputs_;
  std::vector<Trace> traces_;
  std::vector<Kernel> kernels_;
  std::vector<Configuration> configurations_;
  std::int64_t launches_ = 0;
  bool launch_order_ = false, has_durations_ = false;
  KernelNames kernel_names_ = KernelNames::Full;
  Interval launch_span_;
  Interval span_;
};

} // namespace jitterscope::analysis
