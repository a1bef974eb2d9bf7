#include "core/causal/amounts/event_peers.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::causal {
namespace {

/// Maximum classes of a numeric factor, balanced over launches and their variability.
constexpr std::size_t kMaxEventClasses = 60;
constexpr std::size_t kRowsOfAnEventClass = 40;
constexpr std::int64_t kRowsForClasses = 65'536; ///< sample in which the classes are found
constexpr double kMinLaunchesOfClass = 10;       ///< minimum launches without the event to represent a class
constexpr double kNearby = 8;                    ///< minimum launches without the event around a launch
/// Limit of the deviations of nearby launches, in mean deviations of their configurations.
constexpr double kFarNearby = 3;
constexpr double kClassesOfLevel = 2; ///< classes per mean deviation
/// Minimum difference between the levels around launches with and without the event, in mean deviations.
constexpr double kUnlike = 0.2;
constexpr double kSure = 2;                    ///< minimum difference of the levels, in standard errors
constexpr std::size_t kStretchesOfEvents = 50; ///< stretches of the run that are treated as independent

/// Class boundaries of a numeric factor; classes are narrow at rare values with a high variability.
std::vector<double> cuts_of(const AmountRows& rows, const std::vector<double>& typical) {
  std::vector<std::pair<double, double>> known; // value; fraction of the launches and of the variability
  double all = 0;
  for (std::size_t k = 0; k < rows.x.size(); ++k) {
    if (std::isnan(rows.x[k])) continue;
    known.emplace_back(rows.x[k], std::fabs(rows.duration[k] - typical[rows.group[k]]));
    all += known.back().second;
  }
  std::ranges::sort(known);
  const auto classes =
      static_cast<double>(std::clamp<std::size_t>(known.size() / kRowsOfAnEventClass, 5, kMaxEventClasses));
  std::vector<double> cuts;
  double part = 0;
  for (const auto& [x, variability] : known) {
    if (part * classes >= static_cast<double>(cuts.size() + 1) &&
        x > (cuts.empty() ? known.front().first : cuts.back()))
      cuts.push_back(x);
    part += 0.5 / static_cast<double>(known.size()) + (all > 0 ? 0.5 * variability / all : 0.0);
  }
  return cuts;
}

/// By row: mean deviation of nearby launches without the event, in mean deviations of their configurations;
/// NaN if there are none.
Expected<std::vector<double>> levels_nearby(const RemainingLaunches& launches, const std::vector<double>& x,
                                            const EventPeers& peers) {
  std::vector<double> deviation(x.size(), 0.0), counted(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto g = launches.group(i);
    if (!launches.used(i) || x[i] != 0 || peers.count[g] < 2 || !(peers.expected[g] > 0)) continue;
    deviation[i] =
        std::clamp((launches.duration(i) - peers.typical[g]) / peers.expected[g], -kFarNearby, kFarNearby);
    counted[i] = 1;
  }
  const auto sums = launches.block_sums(deviation);
  if (!sums) return forward(sums.error());
  const auto counts = launches.block_sums(counted);
  if (!counts) return forward(counts.error());
  std::vector<double> levels(x.size(), kMissing);
  const auto blocks = static_cast<std::int64_t>(sums->size());
  const LocalRows& rows = launches.rows();
  const BlockPlan& plan = launches.input().frame.plan;
  for (std::int64_t b = rows.first_block; b < rows.last_block; ++b) {
    // The block, and as many blocks around it as are needed for enough launches.
    double sum = (*sums)[b], count = (*counts)[b];
    for (std::int64_t away = 1; count <= kNearby && (b - away >= 0 || b + away < blocks); ++away)
      for (const auto other : {b - away, b + away})
        if (other >= 0 && other < blocks) sum += (*sums)[other], count += (*counts)[other];
    for (auto i = static_cast<std::size_t>(plan.first(b) - rows.first_row);
         i < static_cast<std::size_t>(plan.first(b + 1) - rows.first_row); ++i)
      if (launches.used(i) && count - counted[i] > 0) levels[i] = (sum - deviation[i]) / (count - counted[i]);
  }
  return levels;
}

/// Whether launches with the event are near launches of another level than those without it.
Expected<bool> levels_differ(const RemainingLaunches& launches, const std::vector<double>& x,
                             const EventPeers& peers, const std::vector<double>& levels) {
  const auto has_level = [&](std::size_t i) {
    return !std::isnan(levels[i]) && peers.count[launches.group(i)] > 0;
  };
  enum { kWith, kOfWith, kFree, kOfFree, kCells };
  const auto means = launches.sum_by(kCells, kFarNearby, [&](std::size_t i, ExactSums& cells) {
    if (!has_level(i)) return;
    const std::size_t cell = x[i] != 0 ? kWith : kFree;
    cells.add(cell, 1.0), cells.add(cell + 1, levels[i]);
  });
  if (!means) return forward(means.error());
  if ((*means)[kWith] < kMinLaunchesOfClass || (*means)[kFree] < kMinLaunchesOfClass) return false;
  const double of_free = (*means)[kOfFree] / (*means)[kFree];
  if (std::fabs((*means)[kOfWith] / (*means)[kWith] - of_free) < kUnlike) return false;
  std::vector<double> beyond(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i) && x[i] != 0 && has_level(i)) beyond[i] = levels[i] - of_free;
  const auto blocks = launches.block_sums(beyond);
  if (!blocks) return forward(blocks.error());
  double sum = 0, squares = 0;
  for (std::size_t stretch = 0; stretch < kStretchesOfEvents; ++stretch) {
    double of_stretch = 0;
    for (std::size_t b = stretch * blocks->size() / kStretchesOfEvents;
         b < (stretch + 1) * blocks->size() / kStretchesOfEvents; ++b)
      of_stretch += (*blocks)[b];
    sum += of_stretch, squares += of_stretch * of_stretch;
  }
  return !(std::fabs(sum) < kSure * std::sqrt(squares));
}

/// Divides the classes by the level of nearby launches.
LaunchClasses divided(LaunchClasses classes, const std::vector<double>& levels) {
  constexpr auto kClasses = static_cast<std::size_t>(2 * kFarNearby * kClassesOfLevel) + 1;
  if (!classes.exist) classes.coarse.assign(levels.size(), 0), classes.fine.assign(levels.size(), 0);
  classes.exist = true;
  const auto of_coarse = static_cast<std::uint32_t>(classes.fine_count / classes.coarse_count);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const double level = std::isnan(levels[i]) ? 0.0 : levels[i];
    const auto place = static_cast<std::uint32_t>(std::lround((level + kFarNearby) * kClassesOfLevel));
    const std::uint32_t of_events = classes.fine[i] % of_coarse;
    classes.coarse[i] = classes.coarse[i] * static_cast<std::uint32_t>(kClasses) + place;
    classes.fine[i] = classes.coarse[i] * of_coarse + of_events;
  }
  classes.coarse_count *= kClasses, classes.fine_count *= kClasses;
  return classes;
}

/// Sums over the launches of one class in configurations with at least two peers.
struct ClassSums {
  double with = 0, free = 0; ///< launches with and without the event
  // Over launches without the event, ns:
  double seen = 0, expected = 0; ///< Σ |d − typical|; Σ of its mean over their configurations
  double longer = 0, typical = 0;
  void operator+=(const ClassSums& other) {
    with += other.with, free += other.free, seen += other.seen, expected += other.expected;
    longer += other.longer, typical += other.typical;
  }
};

Expected<std::vector<ClassSums>> sums_of_classes(const RemainingLaunches& launches,
                                                 const std::vector<double>& x, const EventPeers& peers) {
  enum { kWith, kFree, kSeen, kExpected, kLonger, kTypical, kKinds };
  auto sums = launches.sum_by(
      kKinds * peers.classes.fine_count, launches.longest(), [&](std::size_t i, ExactSums& cells) {
        const auto g = launches.group(i);
        if (peers.count[g] < 2) return;
        const std::size_t cell = kKinds * peers.classes.fine[i];
        if (x[i] != 0) return cells.add(cell + kWith, 1.0);
        const double beyond = launches.duration(i) - peers.typical[g];
        cells.add(cell + kFree, 1.0), cells.add(cell + kSeen, std::fabs(beyond));
        cells.add(cell + kExpected, peers.expected[g] / peers.correction[g]);
        cells.add(cell + kLonger, beyond), cells.add(cell + kTypical, peers.typical[g]);
      });
  if (!sums) return forward(sums.error());
  std::vector<ClassSums> classes;
  for (const double* of = sums->data(); classes.size() < peers.classes.fine_count; of += kKinds)
    classes.push_back({of[kWith], of[kFree], of[kSeen], of[kExpected], of[kLonger], of[kTypical]});
  return classes;
}

/// Sets the values by class: compares its launches without the event with all launches of their
/// configurations that lack the event. A class with fewer than kMinLaunchesOfClass such launches uses those
/// of its coarse class and, if these are too few, of the nearest coarse classes.
void compare_classes(const std::vector<ClassSums>& fine, EventPeers& peers) {
  peers.variability.assign(fine.size(), 1.0);
  peers.longer.assign(fine.size(), 0.0);
  peers.weight.assign(fine.size(), 0.0);
  const std::size_t of_coarse = fine.size() / peers.classes.coarse_count;
  std::vector<ClassSums> coarse(peers.classes.coarse_count);
  for (std::size_t c = 0; c < fine.size(); ++c) coarse[c / of_coarse] += fine[c];
  const auto set_from = [&](std::size_t c, const ClassSums& from) {
    if (from.expected > 0) peers.variability[c] = from.seen / from.expected;
    if (from.typical > 0) peers.longer[c] = from.longer / from.typical;
  };
  for (std::size_t c = 0; c < fine.size(); ++c) {
    if (fine[c].free >= kMinLaunchesOfClass) {
      set_from(c, fine[c]), peers.weight[c] += fine[c].with / fine[c].free;
      continue;
    }
    std::size_t first = c / of_coarse, last = first + 1;
    ClassSums near = coarse[first];
    while (near.free < kMinLaunchesOfClass && (first > 0 || last < coarse.size())) {
      if (first > 0) near += coarse[--first];
      if (last < coarse.size()) near += coarse[last++];
    }
    if (!(near.free > 0)) continue;
    set_from(c, near);
    for (std::size_t k = first * of_coarse; k < last * of_coarse; ++k)
      peers.weight[k] += fine[c].with / near.free;
  }
}

/// Counts, medians and spread of the launches without the event by configuration. A configuration with one
/// such launch has the relative spread of all others.
Expected<EventPeers> peers_of_configurations(const RemainingLaunches& launches,
                                             const std::vector<double>& x) {
  const std::size_t count = launches.groups().count;
  EventPeers peers;
  peers.count.assign(count, 0), peers.correction.assign(count, 1.0), peers.expected.assign(count, 0.0);
  peers.longest = launches.longest();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (launches.used(i) && x[i] == 0) ++peers.count[launches.group(i)];
  if (auto done = launches.input().communicator.sum(peers.count); !done) return forward(done.error());
  auto done =
      assign(peers.typical,
             launches.medians([&](std::size_t i) { return x[i] == 0 ? launches.duration(i) : kMissing; }));
  if (!done) return forward(done.error());
  auto spread = launches.sum_by(count, launches.groups().longest, [&](std::size_t i, ExactSums& sums) {
    const auto g = launches.group(i);
    if (x[i] == 0) sums.add(g, std::fabs(launches.duration(i) - peers.typical[g]));
  });
  if (!spread) return forward(spread.error());
  double top = 0, bottom = 0;
  for (std::size_t g = 0; g < count; ++g) {
    if (peers.count[g] < 2) continue;
    const auto free = static_cast<double>(peers.count[g]);
    peers.correction[g] = small_sample_share(launches.groups().rows[g]) / small_sample_share(peers.count[g]);
    peers.expected[g] = peers.correction[g] * (*spread)[g] / free;
    top += peers.expected[g] * free, bottom += peers.typical[g] * free;
  }
  peers.relative = bottom > 0 ? top / bottom : 0.0;
  for (std::size_t g = 0; g < count; ++g)
    if (peers.count[g] == 1) peers.expected[g] = peers.relative * peers.typical[g];
  return peers;
}

} // namespace

Expected<LaunchClasses> classes_of(const RemainingLaunches& launches, const OtherSuspects& others) {
  LaunchClasses classes;
  if (others.empty()) return classes;
  classes.exist = true;
  const auto& values = launches.input().x;
  classes.coarse.assign(launches.size(), 0);
  if (others.amount) {
    const auto& x = values[*others.amount];
    auto sample = launches.sample(x, kRowsForClasses);
    if (!sample) return forward(sample.error());
    const std::vector<double> cuts = cuts_of(*sample, launches.groups().median);
    for (std::size_t i = 0; i < x.size(); ++i)
      classes.coarse[i] = static_cast<std::uint32_t>(std::ranges::upper_bound(cuts, x[i]) - cuts.begin());
    classes.coarse_count = cuts.size() + 1;
  }
  classes.fine = classes.coarse, classes.fine_count = classes.coarse_count;
  for (const std::size_t s : others.events) {
    for (std::size_t i = 0; i < classes.fine.size(); ++i)
      classes.fine[i] = 2 * classes.fine[i] + (values[s][i] != 0);
    classes.fine_count *= 2;
  }
  return classes;
}

double EventPeers::longer_by(const RemainingLaunches& launches, std::size_t row) const {
  const double of_group = typical[launches.group(row)];
  const double of_class =
      classes.exist ? std::clamp(of_group * longer[classes.fine[row]], -longest, longest) : 0.0;
  return launches.duration(row) - of_group - of_class;
}

Expected<EventPeers> find_peers(const RemainingLaunches& launches, const std::vector<double>& x,
                                LaunchClasses classes) {
  auto peers = peers_of_configurations(launches, x);
  if (!peers) return peers;
  const auto levels = levels_nearby(launches, x, *peers);
  if (!levels) return forward(levels.error());
  const auto differ = levels_differ(launches, x, *peers, *levels);
  if (!differ) return forward(differ.error());
  peers->classes = *differ ? divided(std::move(classes), *levels) : std::move(classes);
  if (!peers->classes.exist) return peers;
  const auto sums = sums_of_classes(launches, x, *peers);
  if (!sums) return forward(sums.error());
  compare_classes(*sums, *peers);
  return peers;
}

} // namespace jitterscope::causal
