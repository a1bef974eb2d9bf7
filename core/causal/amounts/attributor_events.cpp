#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/ordered_double.h"
#include "core/causal/amounts/attributor.h"

namespace jitterscope::causal {
namespace {

/// Maximum classes of a numeric factor, balanced over launches and their variability.
constexpr std::size_t kMaxEventClasses = 60;
constexpr std::size_t kRowsOfAnEventClass = 40;
/// An event acts by spread if its mean extra duration is below this fraction of the variability.
constexpr double kMostlySpread = 0.5;
constexpr std::int64_t kRowsForClasses = 65'536; ///< sample in which the classes are found
constexpr double kMinLaunchesOfClass = 10;       ///< minimum launches without the event to represent a class
constexpr double kNearby = 8;                    ///< minimum launches without the event around a launch
/// Limit of the deviations of nearby launches, in mean deviations of their configurations.
constexpr double kFarNearby = 3;
constexpr double kClassesOfLevel = 2; ///< classes per mean deviation
/// Minimum difference between places with and without the event, in mean deviations.
constexpr double kUnlike = 0.2;
constexpr double kSure = 2;                    ///< standard errors
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
  std::sort(known.begin(), known.end());
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

} // namespace

/// Adjusts events: launches with an event are compared with launches that have the same other suspects.
Expected<void> Attributor::compare_given(const OtherSuspects& others) {
  alike_ = alike_by_suspects_ = {};
  if (others.empty()) return {};
  alike_.coarse.assign(local_.used.size(), 0);
  if (others.amount) {
    const auto& x = x_[*others.amount];
    auto sample = amount_rows(x, kRowsForClasses);
    if (!sample) return forward(sample.error());
    const std::vector<double> cuts = cuts_of(*sample, groups_.median);
    for (std::size_t i = 0; i < x.size(); ++i)
      alike_.coarse[i] =
          static_cast<std::uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), x[i]) - cuts.begin());
    alike_.coarse_count = cuts.size() + 1;
  }
  alike_.fine = alike_.coarse;
  alike_.fine_count = alike_.coarse_count;
  for (const std::size_t s : others.events) {
    for (std::size_t i = 0; i < alike_.fine.size(); ++i)
      alike_.fine[i] = 2 * alike_.fine[i] + (x_[s][i] != 0);
    alike_.fine_count *= 2;
  }
  alike_by_suspects_ = alike_;
  return {};
}

/// By row: mean deviation of nearby launches without the event, in mean deviations of their configurations;
/// NaN if there are none.
Expected<std::vector<double>> Attributor::levels_nearby(const std::vector<double>& x,
                                                        const EventPeers& peers) {
  std::vector<double> deviation(x.size(), 0.0), counted(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto g = local_.group[i];
    if (!local_.used[i] || x[i] != 0 || peers.count[g] < 2 || !(peers.expected[g] > 0)) continue;
    deviation[i] =
        std::clamp((local_.duration[i] - peers.typical[g]) / peers.expected[g], -kFarNearby, kFarNearby);
    counted[i] = 1;
  }
  const auto sums = block_sums(deviation);
  if (!sums) return forward(sums.error());
  const auto counts = block_sums(counted);
  if (!counts) return forward(counts.error());
  std::vector<double> levels(x.size(), kMissing);
  const auto blocks = static_cast<std::int64_t>(sums->size());
  for (std::int64_t b = local_.first_block; b < local_.last_block; ++b) {
    // The block, and as many blocks around it as are needed for enough launches.
    double sum = (*sums)[static_cast<std::size_t>(b)], count = (*counts)[static_cast<std::size_t>(b)];
    for (std::int64_t away = 1; count <= kNearby && (b - away >= 0 || b + away < blocks); ++away)
      for (const auto other : {b - away, b + away})
        if (other >= 0 && other < blocks)
          sum += (*sums)[static_cast<std::size_t>(other)],
              count += (*counts)[static_cast<std::size_t>(other)];
    for (auto i = static_cast<std::size_t>(frame_.plan.first(b) - local_.first_row);
         i < static_cast<std::size_t>(frame_.plan.first(b + 1) - local_.first_row); ++i)
      if (local_.used[i] && count - counted[i] > 0) levels[i] = (sum - deviation[i]) / (count - counted[i]);
  }
  return levels;
}

/// If launches near the event differ from others even without it (a phase of the run), launches with the
/// event are compared with launches in similar places.
Expected<void> Attributor::compare_nearby(const std::vector<double>& x, const EventPeers& peers) {
  auto levels = levels_nearby(x, peers);
  if (!levels) return forward(levels.error());
  const auto has_level = [&](std::size_t i) {
    return !std::isnan((*levels)[i]) && peers.count[local_.group[i]] > 0;
  };
  enum { kWith, kOfWith, kFree, kOfFree, kCells };
  const auto means = sum_by(kCells, kFarNearby, [&](std::size_t i, ExactSums& cells) {
    if (!has_level(i)) return;
    const std::size_t cell = x[i] != 0 ? kWith : kFree;
    cells.add(cell, 1.0), cells.add(cell + 1, (*levels)[i]);
  });
  if (!means) return forward(means.error());
  if ((*means)[kWith] < kMinLaunchesOfClass || (*means)[kFree] < kMinLaunchesOfClass) return {};
  const double of_free = (*means)[kOfFree] / (*means)[kFree],
               unlike = (*means)[kOfWith] / (*means)[kWith] - of_free;
  if (std::fabs(unlike) < kUnlike) return {};
  std::vector<double> beyond(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i] && x[i] != 0 && has_level(i)) beyond[i] = (*levels)[i] - of_free;
  const auto blocks = block_sums(beyond);
  if (!blocks) return forward(blocks.error());
  double sum = 0, squares = 0;
  for (std::size_t stretch = 0; stretch < kStretchesOfEvents; ++stretch) {
    double of_stretch = 0;
    for (std::size_t b = stretch * blocks->size() / kStretchesOfEvents;
         b < (stretch + 1) * blocks->size() / kStretchesOfEvents; ++b)
      of_stretch += (*blocks)[b];
    sum += of_stretch, squares += of_stretch * of_stretch;
  }
  if (std::fabs(sum) < kSure * std::sqrt(squares)) return {};
  constexpr auto kClasses = static_cast<std::size_t>(2 * kFarNearby * kClassesOfLevel) + 1;
  if (alike_.coarse.empty()) alike_.coarse.assign(x.size(), 0), alike_.fine.assign(x.size(), 0);
  const auto of_coarse = static_cast<std::uint32_t>(alike_.fine_count / alike_.coarse_count);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double level = std::isnan((*levels)[i]) ? 0.0 : (*levels)[i];
    const auto place = static_cast<std::uint32_t>(std::lround((level + kFarNearby) * kClassesOfLevel));
    const std::uint32_t of_events = alike_.fine[i] % of_coarse;
    alike_.coarse[i] = alike_.coarse[i] * static_cast<std::uint32_t>(kClasses) + place;
    alike_.fine[i] = alike_.coarse[i] * of_coarse + of_events;
  }
  alike_.coarse_count *= kClasses, alike_.fine_count *= kClasses;
  return {};
}

/// Compares the launches of each class without the event with all launches without the event of their
/// configurations.
Expected<void> Attributor::examine_classes(const std::vector<double>& x, const EventPeers& peers) {
  alike_.variability.assign(alike_.fine_count, 1.0);
  alike_.longer.assign(alike_.fine_count, 0.0);
  alike_.weight.assign(alike_.fine_count, 0.0);
  enum { kFree, kWith, kSeen, kExpected, kLonger, kTypical, kKinds };
  auto sums = sum_by(kKinds * alike_.fine_count, std::max(1.0, groups_.longest),
                     [&](std::size_t i, ExactSums& cells) {
                       const auto g = local_.group[i];
                       if (peers.count[g] < 2) return;
                       const std::size_t cell = kKinds * alike_.fine[i];
                       if (x[i] != 0) {
                         cells.add(cell + kWith, 1.0);
                         return;
                       }
                       const double beyond = local_.duration[i] - peers.typical[g];
                       cells.add(cell + kFree, 1.0), cells.add(cell + kSeen, std::fabs(beyond)),
                           cells.add(cell + kLonger, beyond);
                       cells.add(cell + kExpected, peers.expected[g] / peers.correction[g]),
                           cells.add(cell + kTypical, peers.typical[g]);
                     });
  if (!sums) return forward(sums.error());
  using Cell = std::array<double, kKinds>;
  const auto add = [](Cell& to, const Cell& from) {
    for (std::size_t k = 0; k < kKinds; ++k) to[k] += from[k];
  };
  const std::size_t of_coarse = alike_.fine_count / alike_.coarse_count;
  std::vector<Cell> fine(alike_.fine_count, Cell{}), coarse(alike_.coarse_count, Cell{});
  for (std::size_t c = 0; c < fine.size(); ++c) {
    std::copy_n(sums->begin() + static_cast<std::ptrdiff_t>(kKinds * c), static_cast<std::size_t>(kKinds),
                fine[c].begin());
    add(coarse[c / of_coarse], fine[c]);
  }
  // Classes with few launches without the event use the values of the factor's class and of the nearest
  // classes.
  const auto set_from = [&](std::size_t c, const Cell& from) {
    if (from[kExpected] > 0) alike_.variability[c] = from[kSeen] / from[kExpected];
    if (from[kTypical] > 0) alike_.longer[c] = from[kLonger] / from[kTypical];
  };
  for (std::size_t c = 0; c < fine.size(); ++c) {
    if (fine[c][kFree] >= kMinLaunchesOfClass) {
      set_from(c, fine[c]), alike_.weight[c] += fine[c][kWith] / fine[c][kFree];
      continue;
    }
    std::size_t first = c / of_coarse, last = first + 1;
    Cell near = coarse[first];
    while (near[kFree] < kMinLaunchesOfClass && (first > 0 || last < coarse.size())) {
      if (first > 0) add(near, coarse[--first]);
      if (last < coarse.size()) add(near, coarse[last++]);
    }
    if (!(near[kFree] > 0)) continue;
    set_from(c, near);
    for (std::size_t k = first * of_coarse; k < last * of_coarse; ++k)
      alike_.weight[k] += fine[c][kWith] / near[kFree];
  }
  return {};
}

Expected<Attribution> Attributor::of_event(const std::vector<double>& x) {
  const std::size_t g_count = groups_.count;
  std::vector<double> free = local_.duration;
  EventPeers peers{std::vector<std::int64_t>(g_count, 0), {}, std::vector<double>(g_count, 1.0), expected_};
  Attribution result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_free = local_.used[i] && x[i] == 0;
    if (!is_free)
      free[i] = kMissing;
    else
      ++peers.count[local_.group[i]];
    result.affected += local_.used[i] && !is_free;
  }
  if (auto done = communicator_.sum(peers.count); !done) return forward(done.error());
  if (auto done = communicator_.sum({&result.affected, 1}); !done) return forward(done.error());
  auto typical = group_medians(free, local_.group, groups_.count, communicator_, job_);
  if (!typical) return forward(typical.error());
  peers.typical = std::move(*typical);

  // Spread of the launches without the event by configuration, corrected to the number of all launches of the
  // configuration.
  auto spread = sum_by(g_count, groups_.longest, [&](std::size_t i, ExactSums& sums) {
    if (x[i] == 0) sums.add(local_.group[i], std::fabs(local_.duration[i] - peers.typical[local_.group[i]]));
  });
  if (!spread) return forward(spread.error());
  double relative_top = 0, relative_bottom = 0;
  peers.expected.assign(g_count, 0.0);
  for (std::size_t g = 0; g < g_count; ++g) {
    if (peers.count[g] < 2) continue;
    const auto count = static_cast<double>(peers.count[g]);
    peers.correction[g] = small_sample_share(groups_.rows[g]) / small_sample_share(peers.count[g]);
    peers.expected[g] = peers.correction[g] * (*spread)[g] / count;
    relative_top += peers.expected[g] * count, relative_bottom += peers.typical[g] * count;
  }
  const double relative = relative_bottom > 0 ? relative_top / relative_bottom : 0.0;
  for (std::size_t g = 0; g < g_count; ++g)
    if (peers.count[g] == 1) peers.expected[g] = relative * peers.typical[g];
  peer_typical_ = peers.typical, peer_count_ = peers.count;
  alike_ = alike_by_suspects_;
  if (auto done = compare_nearby(x, peers); !done) return forward(done.error());
  const bool has_classes = !alike_.fine.empty();
  if (has_classes)
    if (auto done = examine_classes(x, peers); !done) return forward(done.error());
  const double longest = std::max(1.0, groups_.longest);

  // How much of the variability the event explains, for launches that have peers without it.
  enum { kSeen, kExpected, kExtra, kComparable, kCells };
  auto compared = sum_by(kCells, 2 * longest, [&](std::size_t i, ExactSums& sums) {
    const auto g = local_.group[i];
    if (x[i] == 0 || peers.count[g] == 0) return;
    sums.add(kSeen, v_[i]), sums.add(kExpected, as_alike(i, peers.expected[g]));
    sums.add(kExtra, longer_than_peers(i)), sums.add(kComparable, 1.0);
  });
  if (!compared) return forward(compared.error());
  const auto& c = *compared;
  const double acts = c[kSeen] > 0 ? std::clamp(1.0 - c[kExpected] / c[kSeen], 0.0, 1.0) : 0.0;
  result.mean_extra_ns = c[kComparable] > 0 ? c[kExtra] / c[kComparable] : 0.0;
  result.compared = std::llround(c[kComparable]);
  result.spreads = c[kSeen] > 0 && std::fabs(c[kExtra]) < kMostlySpread * c[kSeen];

  // The estimate for launches without peers depends on the effect of the event on the others: each of these
  // carries its part of the estimate's deviation, as below.
  const auto beyond = [&](std::size_t i) {
    return std::max(0.0, v_[i] - as_alike(i, relative * groups_.median[local_.group[i]]));
  };
  auto borrowing = sum_by(1, longest, [&](std::size_t i, ExactSums& sums) {
    if (x[i] != 0 && peers.count[local_.group[i]] == 0) sums.add(0, beyond(i));
  });
  if (!borrowing) return forward(borrowing.error());
  carried_.assign(x.size(), 0.0);
  const double carried = c[kSeen] > c[kExpected] && c[kExpected] > 0 ? borrowing->front() / c[kSeen] : 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!local_.used[i]) continue;
    const auto g = local_.group[i];
    const double alike = as_alike(i, peers.expected[g]);
    if (x[i] != 0) {
      without_[i] = peers.count[g] > 0 ? alike : v_[i] - acts * beyond(i);
      if (carried > 0 && peers.count[g] > 0) carried_[i] = -carried * (v_[i] * (1 - acts) - alike);
      continue;
    }
    // The expected value is an estimate from these rows. Each row carries its part of the estimate's
    // deviation, so that a resample of blocks shows the right uncertainty while the sum stays the same.
    const double own = peers.correction[g] * std::fabs(local_.duration[i] - peers.typical[g]);
    const double reported = has_classes ? alike_.weight[alike_.fine[i]]
                                        : static_cast<double>(groups_.rows[g] - peers.count[g]) /
                                              static_cast<double>(peers.count[g]);
    without_[i] = peers.count[g] < 2 ? peers.expected[g] : own + reported * (own - alike);
  }
  if (measures_settings_)
    if (auto done = measure_event(x, peers); !done) return forward(done.error());
  return result;
}

Expected<void> Attributor::measure_event(const std::vector<double>& x, const EventPeers& peers) {
  const std::size_t g_count = groups_.count;
  const double longest = std::max(1.0, groups_.longest);
  OfEvent reported;
  std::vector<double> with_only = local_.duration;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!local_.used[i] || x[i] == 0) with_only[i] = kMissing;
  auto typical = group_medians(with_only, local_.group, groups_.count, communicator_, job_);
  if (!typical) return forward(typical.error());
  // If launches with the event also have other causes, their variability is not what the event alone would
  // cause. The durations of launches without the event are moved instead.
  std::vector<double> moved;
  std::vector<double> typical_moved;
  if (!alike_.fine.empty()) {
    auto added = sum_by(g_count, 2 * longest, [&](std::size_t i, ExactSums& cells) {
      if (x[i] != 0 && peers.count[local_.group[i]] > 0) cells.add(local_.group[i], longer_than_peers(i));
    });
    if (!added) return forward(added.error());
    moved = local_.duration;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto g = local_.group[i];
      if (!local_.used[i])
        moved[i] = kMissing;
      else if (x[i] == 0 && groups_.rows[g] > peers.count[g])
        moved[i] += (*added)[g] / static_cast<double>(groups_.rows[g] - peers.count[g]);
    }
    auto middle = group_medians(moved, local_.group, groups_.count, communicator_, job_);
    if (!middle) return forward(middle.error());
    typical_moved = std::move(*middle);
  }
  enum { kWith, kWithSquares, kFreeSquares, kOfGroup };
  auto sums = sum_by(kOfGroup * g_count, longest, [&](std::size_t i, ExactSums& cells) {
    const auto g = local_.group[i];
    const double away = std::fabs(local_.duration[i] - (x[i] != 0 ? (*typical)[g] : peers.typical[g]));
    if (x[i] != 0) cells.add(kOfGroup * g + kWith, away);
    cells.add(kOfGroup * g + (x[i] != 0 ? kWithSquares : kFreeSquares), away * away / longest);
  });
  if (!sums) return forward(sums.error());
  for (auto* of_rows : {&reported.left, &reported.with}) *of_rows = v_;
  for (auto* of_rows :
       {&reported.left_square, &reported.with_square, &reported.square, &reported.extra, &reported.counted})
    of_rows->assign(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!local_.used[i]) continue;
    const auto g = local_.group[i];
    const auto free = static_cast<double>(peers.count[g]),
               with = static_cast<double>(groups_.rows[g] - peers.count[g]);
    reported.square[i] = reported.left_square[i] = reported.with_square[i] = v_[i] * v_[i];
    if (x[i] == 0) {
      reported.left[i] = std::fabs(local_.duration[i] - peers.typical[g]),
      reported.left_square[i] = reported.left[i] * reported.left[i];
    } else if (free > 0) {
      reported.left[i] = as_alike(i, peers.expected[g]);
      // In a narrow class launches have nearly the same variability.
      reported.left_square[i] = alike_.fine.empty() ? longest * (*sums)[kOfGroup * g + kFreeSquares] / free
                                                    : reported.left[i] * reported.left[i];
      reported.extra[i] = longer_than_peers(i), reported.counted[i] = 1;
    }
    if (!moved.empty()) {
      reported.with[i] = std::fabs(moved[i] - typical_moved[g]),
      reported.with_square[i] = reported.with[i] * reported.with[i];
    } else if (with >= 2) {
      const double correction =
          small_sample_share(groups_.rows[g]) / small_sample_share(groups_.rows[g] - peers.count[g]);
      reported.with[i] = correction * (x[i] != 0 ? std::fabs(local_.duration[i] - (*typical)[g])
                                                 : (*sums)[kOfGroup * g + kWith] / with);
      reported.with_square[i] =
          x[i] != 0 ? reported.with[i] * reported.with[i]
                    : correction * correction * longest * (*sums)[kOfGroup * g + kWithSquares] / with;
    }
  }
  double largest = 1;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (local_.used[i] && std::isfinite(x[i])) largest = std::max(largest, std::fabs(x[i]));
  std::int64_t key = -ordered_integer(largest);
  if (auto done = communicator_.minimum({&key, 1}); !done) return forward(done.error());
  enum { kRows, kAffected, kValue, kCells };
  auto all = sum_by(kCells, std::max(1.0, from_ordered_integer(-key)), [&](std::size_t i, ExactSums& cells) {
    cells.add(kRows, 1.0);
    if (x[i] != 0) cells.add(kAffected, 1.0), cells.add(kValue, std::fabs(x[i]));
  });
  if (!all) return forward(all.error());
  if ((*all)[kRows] > 0) reported.affected = (*all)[kAffected] / (*all)[kRows];
  if ((*all)[kAffected] > 0) reported.value = (*all)[kValue] / (*all)[kAffected];
  of_event_ = std::move(reported);
  return {};
}

/// `shares`: shares of the `resamples`.
Expected<void> Attributor::finish_event(double full_share, const std::vector<double>& shares,
                                        const std::vector<std::vector<int>>& resamples) {
  const OfEvent& reported = *of_event_;
  enum { kRows, kSquares, kLeft, kLeftSquares, kWith, kWithSquares, kExtra, kCounted, kKinds };
  const std::vector<double> ones(v_.size(), 1.0);
  std::vector<std::vector<double>> blocks;
  for (const auto* of_rows : {&ones, &reported.square, &reported.left, &reported.left_square, &reported.with,
                              &reported.with_square, &reported.extra, &reported.counted}) {
    auto sums = block_sums(*of_rows);
    if (!sums) return forward(sums.error());
    blocks.push_back(std::move(*sums));
  }
  struct Drawn {
    double with = 1; ///< Σ v if all launches have the event, relative to the recorded Σ v
    double std_recorded = 0, std_left = 0, std_with = 0; ///< ns
    double adds = 0;                                     ///< ns per launch with the event
  };
  const auto drawn = [&](const auto& weight) {
    std::array<double, kKinds> sums{};
    double recorded = 0;
    for (std::size_t b = 0; b < total_.size(); ++b) {
      const double w = weight(b);
      recorded += w * total_[b];
      for (std::size_t k = 0; k < kKinds; ++k) sums[k] += w * blocks[k][b];
    }
    const double rows = std::max(sums[kRows], 1.0);
    const auto std_of = [&](double sum, double squares) {
      return std::sqrt(std::max(0.0, squares / rows - sum / rows * (sum / rows)));
    };
    return Drawn{recorded > 0 ? sums[kWith] / recorded : 1.0, std_of(recorded, sums[kSquares]),
                 std_of(sums[kLeft], sums[kLeftSquares]), std_of(sums[kWith], sums[kWithSquares]),
                 sums[kCounted] > 0 ? sums[kExtra] / sums[kCounted] : 0.0};
  };
  const auto interval = [](std::vector<double>& values) {
    return values.empty() ? Range{} : percentile_interval(std::move(values));
  };
  const Drawn full = drawn([](std::size_t) { return 1.0; });
  const double std = full.std_recorded > 0 ? full.std_recorded : 1.0;
  std::vector<double> left, with, std_left, std_with, shorter, longer;
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const Drawn again = drawn([&](std::size_t b) { return static_cast<double>(resamples[r][b]); });
    left.push_back(1 - shares[r]), with.push_back(again.with);
    std_left.push_back(again.std_left / std), std_with.push_back(again.std_with / std);
    shorter.push_back(-reported.affected * again.adds),
        longer.push_back((1 - reported.affected) * again.adds);
  }
  settings_ = {{0, 1 - full_share, interval(left), full.std_left / std, interval(std_left),
                -reported.affected * full.adds, interval(shorter)},
               {reported.value, full.with, interval(with), full.std_with / std, interval(std_with),
                (1 - reported.affected) * full.adds, interval(longer)}};
  return {};
}

} // namespace jitterscope::causal
