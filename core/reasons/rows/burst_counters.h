#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/columns/columns.h"
#include "core/base/job.h"
#include "core/base/stop.h"
#include "core/causal/base/row_source.h"
#include "core/reasons/rows/last_of_thread.h"

namespace jitterscope::analysis {

/// Hardware counters of bursts as causes of their durations: how much work a burst did, and how fast.
///
///   duration = instructions · cycles per instruction / clock + time off the core
///
/// (computation scaling is divided in the same way: Rosas, Giménez, Labarta 2014, "Scalability prediction for
/// fundamental performance factors"). Raw counts are of no use for that: all of them grow with the work, and
/// they differ by kind of burst. So values are compared with those of the kind of burst, that is its
/// configuration, or its call site where it has several:
/// - instructions: relative to the typical number of the kind;
/// - counts of other events: per 1,000 instructions, minus the typical value of the kind; without a counter
///   of instructions: relative to the typical count of the kind;
/// - instructions per cycle: relative to the kind, without the change of the cycles that the rates of other
///   events and the clock account for (CPI stacks by regression: Eyerman, Eeckhout, Karkhanis, Smith 2006; at
///   a lower clock, memory takes fewer cycles);
/// - clock: median of cycles per ns of the bursts of the thread before and after this one, or of all bursts
///   if there are few. That of the burst itself is computed from its duration;
/// - time off the core: duration − cycles / clock, where it is clearly longer than in the neighbouring
///   bursts, else 0. In this time the counter did not count: another thread or the operating system had the
///   core, or its clock was lower for this burst only. Recorded page faults and context switches account for
///   a part of it (least squares), which is subtracted.
///
/// Instructions and cycles are PAPI_TOT_INS and PAPI_TOT_CYC, or native events that count the same. Bursts
/// without a count have its typical value, those without all counts of events typical instructions per cycle,
/// and those without cycles no time off the core. Ranges are treated like bursts.
class BurstCounters {
public:
  static constexpr std::string_view kIpc = "ipc", kClock = "frequency_ghz", kOffCore = "off_core_ns";

  BurstCounters() = default;
  /// Typical values are those of at most 262,144 bursts; the same on every rank. Provides nothing for
  /// launches and calls. Errors: Cancelled.
  static Expected<BurstCounters> make(const Session& session, const LaunchColumns& columns, const Job& job);

  bool provides(std::string_view column) const;
  /// The features, with their tiers.
  std::vector<causal::FeatureInfo> features() const;
  /// Fraction of the sampled bursts for which a count is missing.
  double without_counts() const { return without_; }
  /// Whether instructions, cycles per instruction, clock and time off the core divide the durations of nearly
  /// all bursts, so that a place cannot be a further cause.
  bool complete() const { return !instructions_.empty() && !cycles_.empty() && without_ < 0.05; }
  /// Standard deviation of cycles per ns relative to the neighbouring bursts, estimated from the median.
  double spread_of_cycles() const { return spread_; }
  /// Values of a column for which provides() is true, for the rows of one trace. Thread-safe.
  std::vector<double> read(std::string_view column, const Segment& segment) const;

private:
  /// The column of a count, and what is typical by kind of burst.
  struct Count {
    std::string name;
    std::vector<double> typical; ///< count per 1,000 instructions, or count; NaN if unknown
    double cycles = 0;           ///< additional cycles per instruction for 1 more per 1,000 instructions
  };
  struct OffCoreEvent {
    std::string column;
    double ns = 0; ///< time off the core of one event
  };
  struct Rates { ///< by row; NaN where missing
    Segment segment;
    std::vector<std::uint32_t> kind;
    std::vector<double> instructions, cycles;   ///< cycles: per instruction
    std::vector<std::vector<double>> of_counts; ///< by count: in the unit of Count::typical
    std::vector<double> clock;                  ///< of the neighbouring bursts; only while learning
  };
  struct CoreTimes {
    Segment segment;
    std::vector<double> clock, off_core; ///< by row: GHz, ns
  };

  std::vector<std::uint32_t> kinds(const Segment& segment) const;
  const Rates& rates(const Segment& segment) const;
  Rates read_rates(const Segment& segment) const;
  /// Incomplete if a stop is requested.
  void learn(const std::vector<Segment>& sample, Stop& stop);
  void fit_cycles(const Rates& rates, Stop& stop);
  void fit_clock(const Rates& rates, double slope_of_all, Stop& stop);
  /// Cycles per instruction of row i that rates of events above the typical ones account for.
  double cycles_of_counts(const Rates& rates, std::size_t i) const;
  /// `events`: by entry of off_core_events_, then by row.
  void fit_off_core(const std::vector<double>& off_core, const std::vector<std::vector<double>>& events,
                    Stop& stop);
  /// Cycles per ns of each row.
  std::vector<double> cycle_rates(const Segment& segment) const;
  const CoreTimes& core_times(const Segment& segment) const;
  CoreTimes measured_core_times(const Segment& segment) const;

  const Session* session_ = nullptr;
  const LaunchColumns* columns_ = nullptr;
  std::string instructions_, cycles_; ///< columns; empty if there is none
  std::vector<Count> counts_;
  std::vector<OffCoreEvent> off_core_events_;                 ///< page faults, context switches
  std::vector<double> typical_instructions_, typical_cycles_; ///< by kind; NaN if unknown
  /// By kind: relative change of the cycles per instruction with that of the clock.
  std::vector<double> cycles_of_clock_;
  double clock_of_all_ = 0; ///< typical clock of all bursts, GHz
  double without_ = 0, spread_ = 0;
  LastOfThread<Rates> last_rates_; ///< for the other columns of the same rows
  LastOfThread<CoreTimes> last_times_;
};

} // namespace jitterscope::analysis
