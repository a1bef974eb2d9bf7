#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/causal/amounts/remaining_launches.h"

namespace jitterscope::causal {

/// Other suspects that are not consequences of an event: launches with the event are compared with launches
/// that lack it and have the same values of these suspects. Indices of suspects.
struct OtherSuspects {
  std::vector<std::size_t> events;
  std::optional<std::size_t> amount;
  bool empty() const { return events.empty() && !amount; }
};

/// Classes of launches with the same other causes as an event.
struct LaunchClasses {
  bool exist = false;                ///< otherwise the vectors are empty, and there is one class
  std::vector<std::uint32_t> coarse; ///< by row: class of the numeric factor
  std::vector<std::uint32_t> fine;   ///< by row: class of the factor and the events
  std::size_t coarse_count = 1, fine_count = 1;
};
/// Collective. A numeric factor has 5 to 60 classes, narrow at rare values with a high variability.
Expected<LaunchClasses> classes_of(const RemainingLaunches& launches, const OtherSuspects& others);

/// The launches without an event, with which launches with the event are compared.
struct EventPeers {
  // By configuration:
  std::vector<std::int64_t> count; ///< launches without the event
  std::vector<double> typical;     ///< median duration of the launches without the event, ns
  std::vector<double> correction;  ///< factor from `count` launches to all launches of the configuration
  std::vector<double> expected;    ///< corrected mean variability of the launches without the event, ns
  double relative = 0;             ///< mean of `expected`, as a fraction of the mean typical duration
  double longest = 1;              ///< upper limit of durations, ns
  LaunchClasses classes;
  // By fine class, over launches without the event; empty without classes:
  std::vector<double> variability; ///< variability relative to that of the configurations
  std::vector<double> longer;      ///< mean of duration − typical, as a fraction of the typical duration
  std::vector<double> weight;      ///< launches with the event that each launch represents

  /// `variability` of a launch without the event, scaled to the class of the row, ns.
  double in_class(std::size_t row, double variability_ns) const {
    return classes.exist ? std::min(variability_ns * variability[classes.fine[row]], longest)
                         : variability_ns;
  }
  /// How much longer a launch took than comparable launches without the event, ns.
  double longer_by(const RemainingLaunches& launches, std::size_t row) const;
};
/// Collective. `x`: values of the event by row. Where launches near the event differ from others even without
/// it (a phase of the run), `classes` are divided by the durations of nearby launches without the event.
Expected<EventPeers> find_peers(const RemainingLaunches& launches, const std::vector<double>& x,
                                LaunchClasses classes);

} // namespace jitterscope::causal
