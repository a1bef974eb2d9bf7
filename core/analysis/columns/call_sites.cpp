#include "core/analysis/columns/call_sites.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/base/median.h"
#include "core/base/stop.h"
#include "core/base/stratified_sample.h"
#include "core/store/columns/memory_activity.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kRun = 4'096; ///< launches per run of the sample
constexpr std::size_t kMinLaunches =
    10; ///< minimum launches of a configuration, and of a group of equal keys
constexpr std::size_t
    kPart = 25,
    kEnough = 10; ///< minimum launches per surroundings: 1/kPart of all, between kMinPerPlace and kEnough
constexpr double kAsGood = 0.02; ///< difference of R² up to which the simpler key is preferred
constexpr double kApart =
    0.4; ///< minimum |mean rank| of launches that are nearly always the longest or shortest; at most 0.5
constexpr double kMinEpisodes = 3, kSeparated = 0.95,
                 kMinOrders = 25; ///< minimum possible orders of the episodes × number of paths: a path is
                                  ///< first or last by chance in at most 2 of 25 cases
constexpr std::size_t kMinPerEpisode = 4; ///< minimum of the mean number of launches per episode
constexpr double kPure = 0.9; ///< minimum fraction of the launches with one value of a further key that are
                              ///< at one call site; otherwise the value identifies no call site

struct Sampled {
  double duration_ns = 0;
  double rank = 0; ///< rank of the duration among neighbours in time on the same device, from −½ to ½
  LaunchContext::Keys keys{};
  std::size_t trace = 0;
  std::int64_t row = 0;
  std::uint32_t device = 0; ///< resource of the trace; of bursts, ranges and calls the thread

  bool same_device(const Sampled& other) const { return trace == other.trace && device == other.device; }
};
using Launches = std::vector<Sampled>; ///< of one configuration, device by device in order of time

std::vector<Launches> sample_of(const Session& session, const CollectiveWaits* waits,
                                const LaunchContext& context, Stop& stop) {
  std::vector<Launches> by_configuration(session.configurations().size());
  std::vector<std::vector<std::uint32_t>> devices; // by trace and resource
  for (const auto& trace : session.traces()) {
    auto& device = devices.emplace_back(store::physical_devices(trace.store.resources()));
    for (std::uint32_t r = 0; r < device.size(); ++r)
      if (device[r] == kNone) device[r] = r;
  }
  for (const auto run :
       stratified_sample((session.launches() + kRun - 1) / kRun, CallSites::kSample / kRun)) {
    if (stop.requested()) break;
    const std::int64_t first = run * kRun;
    for (const auto& segment : session.segments(first, std::min(session.launches(), first + kRun))) {
      const auto& trace = session.traces()[segment.trace];
      const auto durations = trace.durations();
      const auto local = trace.configurations();
      const auto streams = trace.store.column<std::uint32_t>("launches", "stream");
      const auto keys = context.read(segment);
      std::vector<double> waited(static_cast<std::size_t>(segment.rows()));
      if (waits) waits->read(segment, waited.data());
      for (auto row = segment.first; row < segment.last; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const auto i = static_cast<std::size_t>(row - segment.first);
        const double waiting = std::isnan(waited[i]) ? 0.0 : waited[i];
        if (durations[at] != store::kMissingDuration)
          by_configuration[trace.configuration[local[at]]].push_back(
              {static_cast<double>(durations[at]) - waiting, 0, keys[i], segment.trace, row,
               devices[segment.trace][streams[at]]});
      }
    }
  }
  for (auto& launches : by_configuration)
    std::stable_sort(launches.begin(), launches.end(), [](const Sampled& a, const Sampled& b) {
      return std::pair(a.trace, a.device) < std::pair(b.trace, b.device);
    });
  return by_configuration;
}

/// Mid-ranks in consecutive runs of `stretch` launches on one device, from −½ to ½; ties share their mean
/// rank. So a slow device is no call site, although some surroundings occur only there.
void rank_within(Launches& launches, std::size_t stretch) {
  std::vector<std::size_t> order;
  for (std::size_t first = 0, n = 0; first < launches.size(); first += n) {
    for (n = 1;
         n < stretch && first + n < launches.size() && launches[first + n].same_device(launches[first]);)
      ++n;
    order.resize(n);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return launches[a].duration_ns < launches[b].duration_ns; });
    for (std::size_t i = 0; i < n;) {
      std::size_t end = i + 1;
      while (end < n && launches[order[end]].duration_ns == launches[order[i]].duration_ns) ++end;
      for (std::size_t k = i; k < end; ++k)
        launches[order[k]].rank = static_cast<double>(i + end) / (2 * static_cast<double>(n)) - 0.5;
      i = end;
    }
  }
}

/// How well the values of a key predict durations.
struct Prediction {
  double predicted = 0; ///< R² of the mean rank of the other launches with the same value
  bool apart = false;   ///< for some value, launches are nearly always the longest or the shortest of their
                        ///< neighbours in time: such as a branch that is too rare to raise `predicted`
};

Prediction prediction_by(const Launches& launches, std::size_t key, Stop& stop) {
  struct Group {
    double n = 0, sum = 0;
  };
  std::unordered_map<std::uint64_t, Group> groups;
  std::vector<Group*> group_of; // by launch; elements of a map stay in place
  group_of.reserve(launches.size());
  double total = 0, missed = 0;
  std::size_t row = 0;
  for (const auto& launch : launches) {
    if (stop.at(row++)) return {};
    Group& group = *group_of.emplace_back(&groups[launch.keys[key]]);
    group.n += 1, group.sum += launch.rank, total += launch.rank * launch.rank;
  }
  for (std::size_t k = 0; k < launches.size(); ++k) {
    if (stop.at(row++)) return {};
    const Sampled& launch = launches[k];
    const Group& group = *group_of[k];
    const bool known = launch.keys[key] != LaunchContext::kUnknown;
    const double others = known && group.n > 1 ? (group.sum - launch.rank) / (group.n - 1) : 0.0;
    missed += (launch.rank - others) * (launch.rank - others);
  }
  Prediction prediction{total > 0 ? 1 - missed / total : 0.0, false};
  for (const auto& [value, group] : groups)
    prediction.apart |= value != LaunchContext::kUnknown && group.n >= static_cast<double>(kMinLaunches) &&
                        std::fabs(group.sum) >= kApart * group.n;
  return prediction;
}

struct Place {
  std::vector<std::uint64_t> surroundings;
  std::vector<double> durations;
  double median = 0; ///< median of `durations` [ns]

  void
  join(const Place& other) { // the median is then approximate; places_of() computes the exact one at the end
    const auto n = static_cast<double>(durations.size()), m = static_cast<double>(other.durations.size());
    median = std::exp((n * std::log(median) + m * std::log(other.median)) / (n + m));
    surroundings.insert(surroundings.end(), other.surroundings.begin(), other.surroundings.end());
    durations.insert(durations.end(), other.durations.begin(), other.durations.end());
  }
};

double quantile_of(std::vector<double> values, double part) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Whether two candidates are the same call site (`a` is the shorter one): the medians are similar, and the
/// middle halves of the durations overlap.
bool alike(const Place& a, const Place& b) {
  return b.median < CallSites::kMinDifference * a.median &&
         quantile_of(b.durations, 0.25) <= quantile_of(a.durations, 0.75);
}

/// Call sites from surroundings with enough launches, merged if their medians are similar; shortest first.
std::vector<Place> places_of(const Launches& launches, std::size_t key, Stop& stop) {
  constexpr double kAlike = 0.01; // classes of ln(median) of this width are merged at once
  std::map<std::uint64_t, std::vector<double>> groups;
  std::size_t row = 0;
  for (const auto& launch : launches) {
    if (stop.at(row++)) return {};
    if (launch.keys[key] != LaunchContext::kUnknown) groups[launch.keys[key]].push_back(launch.duration_ns);
  }
  std::map<long, Place> by_median;
  const std::size_t minimum =
      std::clamp<std::size_t>(launches.size() / kPart, CallSites::kMinPerPlace, kEnough);
  for (auto& [value, durations] : groups) {
    if (stop.at(row++)) return {};
    if (durations.size() < minimum) continue;
    const double median = std::max(median_of(durations), 1.0);
    Place place{{value}, std::move(durations), median};
    const auto [known, added] = by_median.try_emplace(std::lround(std::log(median) / kAlike));
    if (added)
      known->second = std::move(place);
    else
      known->second.join(place);
  }
  std::vector<Place> places;
  for (auto& [median, place] : by_median) places.push_back(std::move(place));
  while (places.size() > 1) {
    const bool too_many = places.size() > CallSites::kMaxPlaces;
    const auto ratio = [&](std::size_t i) { return places[i].median / places[i - 1].median; };
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < places.size(); ++i)
      if ((nearest == 0 || ratio(i) < ratio(nearest)) && (too_many || alike(places[i - 1], places[i])))
        nearest = i;
    if (nearest == 0) break;
    places[nearest - 1].join(places[nearest]);
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(nearest));
  }
  for (auto& place : places) place.median = median_of(place.durations);
  return places;
}

/// Consecutive launches of one device in one range.
struct Episode {
  std::uint64_t path = 0;
  double n = 0, sum = 0; ///< number of launches, and sum of the ranks of their durations
};

std::vector<Episode> episodes_of(const Launches& launches) {
  std::vector<Episode> episodes;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto path = launches[i].keys[LaunchContext::kPath];
    if (i == 0 || episodes.back().path != path || !launches[i].same_device(launches[i - 1]))
      episodes.push_back({path, 0, 0});
    episodes.back().n += 1, episodes.back().sum += launches[i].rank;
  }
  return episodes;
}

/// Whether the episodes of some path are nearly all longer or nearly all shorter than the others (Mann,
/// Whitney 1947), and are so many that this order is unlikely by chance.
bool separates(std::vector<Episode> episodes) {
  std::sort(episodes.begin(), episodes.end(),
            [](const Episode& a, const Episode& b) { return a.sum * b.n < b.sum * a.n; });
  std::unordered_map<std::uint64_t, std::pair<double, double>> places; // count, sum of positions
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    auto& [n, sum] = places[episodes[i].path];
    n += 1, sum += static_cast<double>(i);
  }
  return std::any_of(places.begin(), places.end(), [&](const auto& of) {
    const auto [n, sum] = of.second;
    const double m = static_cast<double>(episodes.size()) - n;
    if (n < kMinEpisodes || m < kMinEpisodes) return false;
    // Fraction of the pairs in which the episode of this path is longer.
    const double longer = (sum - n * (n - 1) / 2) / (n * m);
    const double orders = std::lgamma(n + m + 1) - std::lgamma(n + 1) - std::lgamma(m + 1);
    return std::fabs(longer - 0.5) >= kSeparated - 0.5 &&
           orders >= std::log(kMinOrders * static_cast<double>(places.size()));
  });
}

/// How well long ranges predict durations over the whole run; 0 unless they recur.
double predicted_by_phases(Launches launches, Stop& stop) {
  rank_within(launches, launches.size());
  const auto episodes = episodes_of(launches);
  if (kMinPerEpisode * episodes.size() > launches.size() || !separates(episodes)) return 0;
  return prediction_by(launches, LaunchContext::kPath, stop).predicted;
}

/// Keys that predict durations, best first; among nearly equally good ones the simplest is first. Empty if
/// none does.
std::vector<std::size_t> keys_by_use(const Launches& launches, Stop& stop) {
  std::vector<std::pair<double, std::size_t>> scores;
  for (std::size_t key = 0; key < LaunchContext::kKeys; ++key) {
    const Prediction prediction = prediction_by(launches, key, stop);
    double score = prediction.predicted;
    if (score < CallSites::kMinPredicted && key == LaunchContext::kPath)
      score = predicted_by_phases(launches, stop);
    if (score < CallSites::kMinPredicted && prediction.apart) score = CallSites::kMinPredicted;
    if (score >= CallSites::kMinPredicted) scores.emplace_back(score, key);
  }
  std::vector<std::size_t> keys;
  if (scores.empty()) return keys;
  const double best = std::max_element(scores.begin(), scores.end())->first;
  std::stable_sort(scores.begin(), scores.end(), [&](const auto& a, const auto& b) {
    const bool a_good = a.first >= best - kAsGood, b_good = b.first >= best - kAsGood;
    return a_good != b_good ? a_good : !a_good && a.first > b.first;
  });
  for (const auto& [score, key] : scores) keys.push_back(key);
  return keys;
}

struct Words {
  std::string brief;       ///< "after reduce_kernel"
  std::string of_sentence; ///< "after `reduce_kernel`", "in `train / forward`"
};
Words words_of(const Session& session, const LaunchContext& context, const Launches& launches,
               std::size_t key, const Place& place) {
  const auto example = std::find_if(launches.begin(), launches.end(), [&](const Sampled& launch) {
    return std::find(place.surroundings.begin(), place.surroundings.end(), launch.keys[key]) !=
           place.surroundings.end();
  });
  if (key == LaunchContext::kPath) {
    const auto path = context.path_text(example->keys[key]);
    return {path, path.empty() ? "outside ranges" : "in `" + path + "`"};
  }
  const auto before = context.before(example->trace, example->row);
  if (before == kNone) return {"first of its stream", "as the first of its stream"};
  const auto& name = session.kernels()[session.configurations()[before].kernel].short_name;
  return {"after " + name, "after `" + name + "`"};
}

} // namespace

Expected<void> CallSites::prepare(const Job& job) const {
  return learned_.prepare(job, [this](const Job& with) { return learn(with); });
}

Expected<CallSites::Learned> CallSites::learn(const Job& job) const {
  Stop stop(job);
  Learned learned;
  if (waits_)
    if (auto known = waits_->prepare(job); !known) return forward(known.error());
  const auto& configurations = session_->configurations();
  learned.context = std::make_unique<LaunchContext>(*session_, stop);
  auto samples = sample_of(*session_, waits_.get(), *learned.context, stop);
  learned.place_maps.resize(configurations.size());
  for (std::uint32_t c = 0; c < configurations.size(); ++c)
    learned.sites.push_back({c,
                             std::numeric_limits<double>::quiet_NaN(),
                             0,
                             session_->kernels()[configurations[c].kernel].short_name,
                             {},
                             0});
  for (std::uint32_t c = 0; c < configurations.size(); ++c) {
    auto& launches = samples[c];
    if (stop.requested()) return Job::cancelled_error();
    if (launches.size() < kMinLaunches) continue;
    rank_within(launches, kStretch);
    PlaceMap place_map;
    place_map.keys = keys_by_use(launches, stop);
    if (place_map.keys.empty()) continue;
    const auto places = places_of(launches, place_map.keys.front(), stop);
    if (places.size() < 2) continue;
    place_map.place.resize(place_map.keys.size());
    std::vector<double> durations;
    for (const auto& launch : launches) durations.push_back(launch.duration_ns);
    const double of_configuration = median_of(durations);
    for (std::size_t p = 0; p < places.size(); ++p) {
      const auto number = static_cast<std::uint32_t>(learned.sites.size());
      for (const auto value : places[p].surroundings) place_map.place.front()[value] = number;
      const auto words = words_of(*session_, *learned.context, launches, place_map.keys.front(), places[p]);
      learned.sites.push_back({c, places[p].median, places[p].median - of_configuration,
                               fmt::format("{}: call site {} of {} ({})", learned.sites[c].text, p + 1,
                                           places.size(), words.brief),
                               words.of_sentence, places[p].durations.size()});
    }
    // Further keys assign launches whose value of the first key is unknown.
    for (std::size_t k = 1; k < place_map.keys.size(); ++k) {
      std::map<std::uint64_t, std::map<std::uint32_t, std::size_t>> counts;
      std::size_t row = 0;
      for (const auto& launch : launches) {
        if (stop.at(row++)) break;
        if (const auto known = place_map.place.front().find(launch.keys[place_map.keys.front()]);
            known != place_map.place.front().end())
          ++counts[launch.keys[place_map.keys[k]]][known->second];
      }
      for (const auto& [value, of_place] : counts) {
        const auto maximum =
            std::max_element(of_place.begin(), of_place.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        std::size_t n = 0;
        for (const auto& [place, count] : of_place) n += count;
        if (n >= kMinPerPlace && static_cast<double>(maximum->second) >= kPure * static_cast<double>(n))
          place_map.place[k][value] = maximum->first;
      }
    }
    learned.place_maps[c] = std::move(place_map);
  }
  if (stop.requested()) return Job::cancelled_error();
  return learned;
}

std::vector<std::uint32_t> CallSites::read(const Segment& segment) const {
  const auto& known = learned();
  const auto& trace = session_->traces()[segment.trace];
  const auto local = trace.configurations();
  std::vector<std::uint32_t> places(static_cast<std::size_t>(segment.rows()));
  for (std::size_t i = 0; i < places.size(); ++i)
    places[i] = trace.configuration[local[static_cast<std::size_t>(segment.first) + i]];
  if (!any_several()) return places;
  const auto keys = known.context->read(segment);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& place_map = known.place_maps[places[i]];
    for (std::size_t k = 0; place_map && k < place_map->keys.size(); ++k) {
      const auto found = place_map->place[k].find(keys[i][place_map->keys[k]]);
      if (found == place_map->place[k].end()) continue;
      places[i] = found->second;
      break;
    }
  }
  return places;
}

} // namespace jitterscope::analysis
