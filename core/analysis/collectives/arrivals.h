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

/// Distribution of one quantity over several collectives [ns].
struct Spread {
  std::int64_t n = 0;
  double sum = 0, median = 0;
  /// 95 % confidence interval of the median from order statistics, without an assumed distribution; minimum
  /// and maximum if there are fewer than kMinForInterval values.
  double low = 0, high = 0;
  static constexpr std::int64_t kMinForInterval = 6;
};
Spread spread_of(std::vector<double> values);

/// A kernel that takes more time on a late device than on the others. Sums over the collectives of a Lateness
/// that are divided into parts, each the device's own value − mean of the others.
struct KernelExcess {
  std::uint32_t kernel = 0; ///< kernel number in the session
  double duration_ns = 0;   ///< sum of the differences in duration
  double launches = 0;      ///< sum of the differences in the number of launches
};

/// A range (operator), API or MPI call of the host, without nested ones, that takes more time on a late
/// device than on the others. Empty name: no recorded activity. Sums as in KernelExcess.
struct HostExcess {
  std::string name;
  double time_ns = 0; ///< sum of the differences in time
  double times = 0;   ///< sum of the differences in the number of calls
};

/// Why a device is late, over the collectives at which it arrives last. Every number is the device's own
/// value minus the mean of the others, so that parts add up.
struct Lateness {
  Spread late;           ///< others' mean time in the collective − own [ns]: the others' mean wait
  Spread since_previous; ///< own time since the previous collective's end − others' mean
  std::array<Spread, kParts> parts; ///< since_previous, divided into the parts of enum Part
  Spread launches; ///< number of kernels other than collectives since the previous collective
  /// Host time between the launch calls of the previous and of this collective, on the threads that made the
  /// calls: host_waits in calls that wait or copy (names with Synchronize or Memcpy), host_work without them.
  /// While the thread that called this collective recorded nothing, the thread of the previous call counts.
  /// Known only where all calls are recorded.
  Spread host_work, host_waits;
  Spread host_idle; ///< part NotLaunched, over the collectives of host_work
  /// Parts of host_work, and host activity while the device idled for lack of work (host_idle): up to three,
  /// largest first. Shares by name add up to these sums; shares below a tenth are omitted.
  std::vector<HostExcess> host_longer, host_meanwhile;
  std::vector<KernelExcess> kernels; ///< up to three kernels, largest duration_ns first
  /// Set if the device is last at the first collective, which has no previous one: how late the device is,
  /// and how much later the recording of its process starts than the mean of the others, on the session's
  /// axis. The latter is empty if devices share a process or the clocks were shifted.
  std::optional<double> first_late_ns, recording_later_ns;
};

/// A device that takes part in collectives, as one process sees it.
struct Participant {
  std::size_t trace = 0;
  std::uint32_t track = 0;     ///< track of the collectives (Tracks)
  double rank = 0, device = 0; ///< rank of the process, number of the device; NaN if unknown
  std::string name;            ///< such as "rank 3"; unique among the participants
  std::int64_t last = 0;       ///< number of analysed collectives at which the participant arrived last
  double waited_for_ns = 0;    ///< Σ over these collectives: mean wait of the other participants
  Lateness why;                ///< causes of arriving last; n = 0 if the participant never arrived last
};

/// One collective on all participants.
struct Arrival {
  std::int64_t number = 0;              ///< index among the common collectives, from 0
  std::vector<std::int64_t> rows;       ///< session rows by participant
  std::vector<std::int64_t> start, end; ///< [ns], session axis, by participant
  std::size_t last = 0;  ///< participant that arrives last: the one with the shortest time inside
  double late_ns = 0;    ///< mean time inside of the other participants − time inside of `last`
  bool together = false; ///< late_ns does not exceed the spread of the ends: no device is late
  Lateness why;          ///< reasons for this collective alone
};

/// Which device arrives last at collectives (kernels whose name contains nccl, rccl or nvshmem), and why.
///
/// The n-th launch of a kernel on one device is matched with the n-th on every other device, for kernels that
/// all devices ran equally often. Collectives end together, so the device with the shortest time inside
/// arrived last. Neither this nor the time since the previous collective depends on clocks of different
/// files. Launches that are not concurrent on all devices are not one collective and are left out. If most
/// are not concurrent, each file's clock is first shifted by the median difference of ends (`shifted`).
struct Arrivals {
  std::vector<Participant> participants;
  std::int64_t collectives = 0; ///< number of collectives common to all participants
  std::int64_t examined = 0;    ///< analysed collectives; a stratified_sample if more than kMaxAnalysed
  /// Analysed collectives for which the time since the previous one was divided into parts.
  std::int64_t accounted = 0;
  std::int64_t together = 0;  ///< number of analysed collectives at which no device is late
  std::int64_t apart = 0;     ///< number of analysed collectives left out as not concurrent on all devices
  std::int64_t unmatched = 0; ///< number of launches of kernels that the devices did not run equally often
  double ends_apart_ns = 0;   ///< median over the collectives: last end − first end of the participants
  bool shifted = false;
  double largest_shift_ns = 0;
  std::optional<std::size_t> slowest; ///< participant with the largest waited_for_ns
  /// Collective of the requested row; else the collective at which the slowest participant is latest.
  std::optional<Arrival> at;
  static constexpr std::int64_t kMaxAnalysed = 4'000;
};

/// `row`: session row of the collective to describe, or nothing. Reads the names of the launches once, and
/// the preceding events of at most kMaxAnalysed collectives, up to 2 million events. Errors: BadUse (no
/// times; no such row), Cancelled.
Expected<Arrivals> arrivals(const Session& session, const LaunchColumns& columns, const Tracks& tracks,
                            std::optional<std::int64_t> row, const Job& job);

/// The answer in words, most important first, including what cannot be determined and why.
std::vector<std::string> sentences(const Session& session, const Arrivals& arrivals);
/// The answer for the single collective `arrivals.at`; empty if there is none.
std::vector<std::string> sentences_of_one(const Session& session, const Arrivals& arrivals);

} // namespace jitterscope::analysis
