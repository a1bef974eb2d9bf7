#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/collectives/parts_of_time.h"
#include "core/analysis/columns/columns.h"
#include "core/analysis/lanes/tracks.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// One number of several collectives, [ns].
struct Spread {
  std::int64_t n = 0;
  double sum = 0, median = 0;
  /// Of the median, 95 %, by order statistics, which assumes no distribution; of fewer than kFewest the
  /// smallest and the largest.
  double low = 0, high = 0;
  static constexpr std::int64_t kFewest = 6;
};
Spread spread_of(std::vector<double> values);

/// A kernel that takes more of the time of a late device than of the others'.
struct KernelExcess {
  std::uint32_t kernel = 0; ///< of the session
  double duration_ns = 0;   ///< Σ over the collectives looked at: own − mean of the others
  double launches = 0;      ///< the same of its number of launches
};

/// A range (operator), API or MPI call of the host, without what ran inside of it, that takes more of a late
/// device's time than of the others'. No name: nothing recorded ran.
struct HostExcess {
  std::string name;
  double time_ns = 0; ///< Σ over the collectives looked at: own − mean of the others
  double times = 0;   ///< the same of how often it begins
};

/// Why a device is late, over collectives at which it is the last. Every number is its own minus the mean of
/// the others', so that parts add up.
struct Lateness {
  Spread late;           ///< others' mean time in the collective − own, ns: how long they wait for it
  Spread since_previous; ///< own time since the end of the collective before − others' mean; its parts:
  std::array<Spread, kParts> parts;
  Spread launches; ///< other kernels run since (a number, not ns)
  /// Host time from the call for the collective before to the call for this one, without calls that wait or
  /// copy (names with Synchronize or Memcpy), of the threads that made the two calls: of the one that made
  /// the second, where it ran nothing recorded of the other. Only where all calls are recorded.
  Spread host_work, host_waits;
  Spread host_idle; ///< part NotLaunched of these same collectives
  /// What holds host_work, and what the host ran while the device stood idle for want of it (host_idle): up
  /// to three, the most first. Shares by name add up to these sums; those below a tenth of them are left out.
  std::vector<HostExcess> host_longer, host_meanwhile;
  std::vector<KernelExcess> kernels; ///< up to three, the most first
  /// Of the first collective, when it is among them: nothing before it bounds the time. How much later the
  /// recording of its process begins than the others' on the session's axis; nothing where devices share a
  /// process.
  std::optional<double> first_late_ns, recording_later_ns;
};

/// A device that takes part in collectives, as one process sees it.
struct Participant {
  std::size_t trace = 0;
  std::uint32_t track = 0;     ///< of the collectives (Tracks)
  double rank = 0, device = 0; ///< NaN where unknown
  std::string name;            ///< "rank 3": tells it from the others
  std::int64_t last = 0;       ///< collectives looked at to which it came last
  double waited_for_ns = 0;    ///< Σ over these of how long the others' mean waits
  Lateness why;                ///< of these; n = 0 without
};

/// One collective on all participants.
struct Arrival {
  std::int64_t number = 0;              ///< from 0
  std::vector<std::int64_t> rows;       ///< session rows by participant
  std::vector<std::int64_t> start, end; ///< [ns], session axis, by participant
  std::size_t last = 0;                 ///< participant that starts last: least time inside
  double late_ns = 0;                   ///< others' mean time inside − its own
  bool together = false;                ///< late_ns is not more than the ends lie apart: nobody is late
  Lateness why;                         ///< of this one alone
};

/// Who comes last to collectives (kernels whose name contains nccl, rccl or nvshmem), and what holds it.
///
/// The n-th launch of a kernel belongs to the n-th on every other device, of kernels that all ran equally
/// often. Collectives end together, so who spends least time inside came last; neither that nor the time
/// since the collective before compares clocks of different files. Launches that do not run at one moment on
/// all devices are no common collective and left out; where that holds of most, each file's clock is moved by
/// the median difference of ends first (`shifted`).
struct Arrivals {
  std::vector<Participant> participants;
  std::int64_t collectives = 0; ///< common to all participants
  std::int64_t looked_at = 0;   ///< evenly chosen when there are more than kMost
  std::int64_t accounted = 0;   ///< of these, how many had their time since the one before divided into parts
  std::int64_t together = 0;    ///< looked at: nobody late
  std::int64_t apart = 0;       ///< looked at, but not at one moment on all: left out
  std::int64_t unmatched = 0;   ///< launches of kernels that not all ran equally often
  double ends_apart_ns = 0;     ///< median over collectives: last end − first end
  bool shifted = false;
  double largest_shift_ns = 0;
  std::optional<std::size_t> slowest; ///< the participant with most waited_for_ns
  std::optional<Arrival> at; ///< the collective of the asked row; else the one at which the slowest is latest
  static constexpr std::int64_t kMost = 4'000;
};

/// `row`: a session row of a collective to tell about, or nothing. Reads the collectives' names once and of
/// at most kMost of them what ran before, up to 2 million events. Errors: BadUse (tables without time; no
/// such row), Cancelled.
Expected<Arrivals> arrivals(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                            std::optional<std::int64_t> row, const Job& job);

/// The answer in words, the most important first; what cannot be told and why among them.
std::vector<std::string> sentences(const Session& session, const Arrivals& arrivals);
/// The same of the one collective `arrivals.at`; empty without.
std::vector<std::string> sentences_of_one(const Session& session, const Arrivals& arrivals);

} // namespace jitterscope::analysis
