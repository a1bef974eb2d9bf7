#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/base/stop.h"
#include "core/reasons/rows/last_of_thread.h"
#include "core/reasons/rows/recent_memory.h"
#include "core/reasons/rows/typical_concurrency.h"
#include "core/reasons/rows/typical_counters.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::analysis {

/// Surroundings of launches as if each launch had its typical duration: the median of its configuration.
/// Counters and concurrency always refer to the typical duration (typical_counters.h, typical_concurrency.h).
///
/// Memory operations: a launch that is long for any reason overlaps more of the operations that run anyway,
/// so that overlap grows with the duration without causing it (immortal time bias; Suissa 2008). The test
/// uses operations of a kind that begin only after the typical duration of a launch that had none before. It
/// compares their number with the number expected at the rate at which such operations begin within the
/// typical duration of nearby launches (a self-controlled case series; Farrington 1995).
///
/// If at least half as many are expected by chance, the columns of that kind are limited to the typical
/// duration, counted from the start. Else they are unchanged: a stall on page faults ends with the migration
/// it waited for, which begins when the launch is already late.
class TypicalWindows {
public:
  /// Operations of one kind, counted over a sample of launches.
  struct Kind {
    const char* words = ""; ///< name of the kind: "host-to-device copies"
    std::int64_t late = 0;  ///< operations that begin after the typical duration of launches with none before
    double by_chance = 0;   ///< expected value of `late` by chance
    /// 95 % interval of the relative change of launches by operations within their typical duration; NaN for
    /// fewer than fifty such launches.
    double effect_low = std::numeric_limits<double>::quiet_NaN(), effect_high = effect_low;
    bool limited() const { return late >= kMinLaunches && 2 * by_chance >= static_cast<double>(late); }
    static constexpr std::int64_t kMinLaunches = 20; ///< kinds with fewer late operations are not evaluated
  };

  /// Samples at most half a million launches of the session. The same on every rank. Errors:
  /// Cancelled.
  static Expected<TypicalWindows> make(const Session& session, const Job& job);

  const std::vector<Kind>& kinds() const { return kinds_; }
  /// Typical duration of a configuration of the session, ns; negative where unknown.
  std::int64_t typical_duration(std::uint32_t configuration) const { return typical_[configuration]; }
  /// Whether operations that a launch column counts lengthen launches clearly by 3 % or more (clearly by less
  /// than 3 %): launches with operations within their typical duration are compared with nearby launches
  /// without. Then a launch is late because of its operations, and those that begin late count, too.
  bool acts(std::string_view column) const;
  bool does_not_act(std::string_view column) const;
  /// Whether a launch column counts memory operations of a limited kind.
  bool limits(std::string_view column) const;
  /// Whether a launch column is limited, the mean of a counter, the concurrency, or of RecentMemory.
  bool provides(std::string_view column) const;
  bool is_counter(std::string_view column) const { return counters_.measures(column); }
  /// Same as TypicalCounters::shift_of().
  std::int64_t shift_of_counter(std::string_view column) const { return counters_.shift_of(column); }
  /// Gaps before launches without the time in which the device was busy: with other kernels, or with memory
  /// operations in the launch's feeding window. A launch that waits for another stream finds the device warm.
  /// `gaps`: by row of the segment, ns; NaN stays.
  std::vector<double> idle_gaps(const Segment& segment, std::vector<double> gaps) const;
  /// Values of a column for which provides() is true, for the rows of one trace. Thread-safe.
  std::vector<double> read(std::string_view column, const Segment& segment) const;

private:
  struct Devices {
    std::vector<std::uint32_t> of_stream; ///< index in `activities` for every resource; kNone if it has none
    std::vector<store::MemoryActivity> activities;
  };
  struct Operations; ///< memory operations of all traces
  Expected<std::vector<Kind>> examine_sample(const std::vector<Segment>& sample, const Operations& operations,
                                             Stop& stop) const;
  template <class Holds>
  bool any_kind(std::string_view column, const Holds& holds) const;
  const std::vector<store::MemoryAround>& around(const Segment& segment) const;

  const Session* session_ = nullptr;
  std::vector<Kind> kinds_;
  std::vector<std::int64_t> typical_; ///< typical duration [ns] by session configuration; negative if unknown
  std::vector<Devices> devices_;      ///< devices of each trace
  TypicalCounters counters_;
  TypicalConcurrency concurrency_;
  RecentMemory recent_;
  struct Around {
    Segment segment;
    std::vector<store::MemoryAround> rows;
  };
  LastOfThread<Around> last_;
};

} // namespace jitterscope::analysis
