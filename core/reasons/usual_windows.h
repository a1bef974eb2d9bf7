#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/session/session.h"
#include "core/base/job.h"
#include "core/base/last_of_thread.h"
#include "core/base/stop.h"
#include "core/reasons/usual_concurrency.h"
#include "core/reasons/usual_counters.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::analysis {

/// What surrounds launches as each would have met it had it lasted its usual time: the median of its
/// configuration.
///
/// Counters and concurrency are always told for the usual time (usual_counters.h, usual_concurrency.h).
/// Memory operations:
///
/// A launch that is long for whatever reason meets more of the operations that run anyway, so that overlap
/// grows with the duration without causing it (immortal time bias; Suissa 2008). Operations of a kind that
/// begin only after the usual time of the launch, which had met none until then, are therefore looked at:
/// where at least half as many are to be expected by chance, at the rate at which they begin in the usual
/// time of the launches nearby (a self-controlled case series; Farrington 1995), the columns of that kind are
/// limited to the usual time, counted from the start. Else they stay as they are: a stall on page faults ends
/// with the migration that it waited for, which begins when the launch is late already.
class UsualWindows {
public:
  /// Operations of one kind, over a sample of launches.
  struct Kind {
    const char* words = ""; ///< "host-to-device copies"
    std::int64_t late = 0;  ///< operations that begin after the usual time of launches that met none in it
    double by_chance = 0;   ///< how many of these are to be expected
    bool without_effect =
        false; ///< migrations: launches are no longer for those that begin in their usual time
    bool limited() const { return late >= kFewest && 2 * by_chance >= static_cast<double>(late); }
    static constexpr std::int64_t kFewest = 20; ///< fewer tell nothing
  };

  /// Looks at a quarter of a million launches of the session at most. The same on every rank. Errors:
  /// Cancelled.
  static Expected<UsualWindows> make(const Session& session, const Job& job);

  const std::vector<Kind>& kinds() const { return kinds_; }
  /// Typical duration of a configuration of the session, ns; negative where unknown.
  std::int64_t typical_duration(std::uint32_t configuration) const { return usual_[configuration]; }
  /// Whether at least fifty launches met migrations in their usual time and are clearly less than 3 % longer
  /// for it than those nearby.
  bool migrations_without_effect() const;
  /// Whether a column of launches counts memory operations of a kind that is limited.
  bool limits(std::string_view column) const;
  /// Whether a column of launches is limited, the mean of a counter or the concurrency.
  bool tells(std::string_view column) const;
  bool is_counter(std::string_view column) const { return counters_.measures(column); }
  /// Values of such a column for the rows of one trace. For any thread.
  std::vector<double> read(std::string_view column, const Segment& segment) const;

private:
  struct Devices {
    std::vector<std::uint32_t> of_stream; ///< place in `activities` of every resource; kNone without
    std::vector<store::MemoryActivity> activities;
  };
  struct Operations; ///< of all traces
  Expected<std::vector<Kind>> look_at_sample(const std::vector<Segment>& sample, const Operations& operations,
                                             Stop& stop) const;
  const std::vector<store::MemoryAround>& around(const Segment& segment) const;

  const Session* session_ = nullptr;
  std::vector<Kind> kinds_;
  std::vector<std::int64_t> usual_; ///< ns, by configuration of the session; negative where unknown
  std::vector<Devices> devices_;    ///< by trace
  UsualCounters counters_;
  UsualConcurrency concurrency_;
  struct Around {
    Segment segment;
    std::vector<store::MemoryAround> rows;
  };
  LastOfThread<Around> last_;
};

} // namespace jitterscope::analysis
