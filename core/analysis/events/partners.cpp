#include "core/analysis/events/partners.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

/// A device as one process sees it.
struct Place {
  std::size_t trace = 0;
  double rank = 0, device = 0; ///< rank of the process, number of the device; −1 where unknown
  auto operator<=>(const Place&) const = default;
};

struct Launch {
  std::int64_t row = 0, start = 0, duration = 0;
};

/// The launches of one kernel, by device.
class LaunchesOfKernel {
public:
  LaunchesOfKernel(const Session& session, const LaunchColumns& columns, std::uint32_t kernel)
      : session_(session), kernel_(kernel) {
    for (std::size_t t = 0; t < session.traces().size(); ++t) {
      const auto devices = columns.of_resources("device", t), ranks = columns.of_resources("rank", t);
      auto& places = places_.emplace_back();
      for (std::size_t r = 0; r < devices.size(); ++r)
        places.push_back({t, std::isnan(ranks[r]) ? -1 : ranks[r], std::isnan(devices[r]) ? -1 : devices[r]});
    }
  }
  const Place& place(const Segment& one) const {
    return places_[one.trace][streams(one.trace)[static_cast<std::size_t>(one.first)]];
  }

  void add(const Segment& segment) {
    const auto& trace = session_.traces()[segment.trace];
    const auto configurations = trace.configurations();
    const auto durations = trace.durations();
    const auto stream = streams(segment.trace);
    const auto starts = trace.starts();
    for (auto i = static_cast<std::size_t>(segment.first); i < static_cast<std::size_t>(segment.last); ++i) {
      if (session_.configurations()[trace.configuration[configurations[i]]].kernel != kernel_) continue;
      const auto duration = durations[i] == store::kMissingDuration ? 0 : durations[i];
      found_[places_[segment.trace][stream[i]]].push_back(
          {trace.first_launch + static_cast<std::int64_t>(i), starts[i] + trace.shift_ns, duration});
    }
  }
  const std::map<Place, std::vector<Launch>>& found() const { return found_; }

private:
  store::Values<std::uint32_t> streams(std::size_t trace) const {
    return session_.traces()[trace].store.column<std::uint32_t>("launches", "stream");
  }

  const Session& session_;
  std::uint32_t kernel_;
  std::vector<std::vector<Place>> places_; ///< per trace and resource: device that it belongs to
  std::map<Place, std::vector<Launch>> found_;
};

} // namespace

Expected<std::vector<Partner>> partners(const Session& session, const LaunchColumns& columns,
                                        std::int64_t row, const Job& job) {
  const auto at = session.segments(row, row + 1);
  if (at.empty()) return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", row));
  if (session.launch_order())
    return failure(ErrorKind::BadUse,
                   "a table without times does not show which launches ran at the same time");
  const auto& trace = session.traces()[at.front().trace];
  const auto first = static_cast<std::size_t>(at.front().first);
  const auto kernel = session.configurations()[trace.configuration[trace.configurations()[first]]].kernel;
  const auto duration = std::max<std::int64_t>(trace.durations()[first], 0);
  const Launch self{row, trace.starts()[first] + trace.shift_ns, duration};
  LaunchesOfKernel launches(session, columns, kernel);
  const bool all = session.launches() <= kMaxCounted;
  const Nanoseconds around{std::max<std::int64_t>(20 * duration, 10'000'000)};
  const auto near =
      all ? session.segments(0, session.launches())
          : session.launches_in({Nanoseconds{self.start} - around, Nanoseconds{self.start} + around});
  constexpr std::int64_t kPiece = 1 << 15; // rows between two checks for cancellation
  for (const auto& segment : near)
    for (auto begin = segment.first; begin < segment.last; begin += kPiece) {
      if (job.cancelled()) return Job::cancelled_error();
      launches.add({segment.trace, begin, std::min(begin + kPiece, segment.last)});
    }
  const auto& own = launches.place(at.front());
  const auto& mine = launches.found().at(own);
  const auto number =
      std::find_if(mine.begin(), mine.end(), [&](const Launch& l) { return l.row == row; }) - mine.begin();
  std::vector<Partner> result;
  for (const auto& [place, theirs] : launches.found()) {
    if (job.cancelled()) return Job::cancelled_error();
    if (place == own) continue;
    const auto overlap_of = [&](const Launch& other) {
      return std::max<std::int64_t>(std::min(other.start + other.duration, self.start + self.duration) -
                                        std::max(other.start, self.start),
                                    0);
    };
    const bool same_order = all && theirs.size() == mine.size();
    const auto longest =
        std::max_element(theirs.begin(), theirs.end(),
                         [&](const Launch& a, const Launch& b) { return overlap_of(a) < overlap_of(b); });
    const auto& chosen = same_order ? theirs[static_cast<std::size_t>(number)] : *longest;
    if (!same_order && overlap_of(chosen) == 0) continue;
    const auto known = [](double value) { return value < 0 ? std::nan("") : value; };
    result.push_back({chosen.row, chosen.start, chosen.duration, overlap_of(chosen), known(place.rank),
                      known(place.device), same_order});
  }
  return result;
}

} // namespace jitterscope::analysis
