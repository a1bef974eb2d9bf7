#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/attributor.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMostClasses = 60;       ///< of an amount, equal in launches and in what these vary by
constexpr std::size_t kRowsOfAClass = 40;
constexpr double kMostlySpread = 0.5; ///< of what launches with an event vary by: less than that is longer on average
constexpr std::int64_t kRowsForClasses = 65'536; ///< that these are found on
constexpr double kFewestAlike = 10;            ///< launches without the event that say what such launches do

/// Where an amount decides much, at its rare ends, classes are narrow.
std::vector<double> cuts_of(const AmountRows& rows, const std::vector<double>& usual) {
  std::vector<std::pair<double, double>> known; // amount; part of the launches and of the variability
  double all = 0;
  for (std::size_t k = 0; k < rows.x.size(); ++k) {
    if (std::isnan(rows.x[k])) continue;
    known.emplace_back(rows.x[k], std::fabs(rows.duration[k] - usual[rows.group[k]]));
    all += known.back().second;
  }
  std::sort(known.begin(), known.end());
  const auto classes = static_cast<double>(std::clamp<std::size_t>(known.size() / kRowsOfAClass, 5, kMostClasses));
  std::vector<double> cuts;
  double part = 0;
  for (const auto& [x, variability] : known) {
    if (part * classes >= static_cast<double>(cuts.size() + 1) && x > (cuts.empty() ? known.front().first : cuts.back()))
      cuts.push_back(x);
    part += 0.5 / static_cast<double>(known.size()) + (all > 0 ? 0.5 * variability / all : 0.0);
  }
  return cuts;
}

} // namespace

/// Events are judged beside: launches with one are compared with launches that met the same of these.
Expected<void> Attributor::compare_beside(const Beside& others) {
  alike_ = {};
  if (others.empty()) return {};
  alike_.coarse.assign(local_.used.size(), 0);
  if (others.amount) {
    const auto& x = x_[*others.amount];
    auto sample = amount_rows(x, kRowsForClasses);
    if (!sample) return forward(sample.error());
    const std::vector<double> cuts = cuts_of(*sample, groups_.median);
    for (std::size_t i = 0; i < x.size(); ++i)
      alike_.coarse[i] = static_cast<std::uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), x[i]) - cuts.begin());
    alike_.coarse_count = cuts.size() + 1;
  }
  alike_.fine = alike_.coarse;
  alike_.fine_count = alike_.coarse_count;
  for (const std::size_t s : others.events) {
    for (std::size_t i = 0; i < alike_.fine.size(); ++i) alike_.fine[i] = 2 * alike_.fine[i] + (x_[s][i] != 0);
    alike_.fine_count *= 2;
  }
  return {};
}

/// What launches without the event do in their class, against all of their configurations without it.
Expected<void> Attributor::look_at_alike(const std::vector<double>& x, const EventPeers& peers) {
  alike_.variability.assign(alike_.fine_count, 1.0);
  alike_.longer.assign(alike_.fine_count, 0.0);
  alike_.weight.assign(alike_.fine_count, 0.0);
  enum { kFree, kWith, kSeen, kExpected, kLonger, kUsual, kKinds };
  auto sums = sum_by(kKinds * alike_.fine_count, std::max(1.0, groups_.longest), [&](std::size_t i, ExactSums& cells) {
    const auto g = local_.group[i];
    if (peers.count[g] < 2) return;
    const std::size_t cell = kKinds * alike_.fine[i];
    if (x[i] != 0) {
      cells.add(cell + kWith, 1.0);
      return;
    }
    const double beyond = local_.duration[i] - peers.usual[g];
    cells.add(cell + kFree, 1.0), cells.add(cell + kSeen, std::fabs(beyond)), cells.add(cell + kLonger, beyond);
    cells.add(cell + kExpected, peers.expected[g] / peers.correction[g]), cells.add(cell + kUsual, peers.usual[g]);
  });
  if (!sums) return forward(sums.error());
  using Cell = std::array<double, kKinds>;
  const auto add = [](Cell& to, const Cell& from) {
    for (std::size_t k = 0; k < kKinds; ++k) to[k] += from[k];
  };
  const std::size_t of_coarse = alike_.fine_count / alike_.coarse_count;
  std::vector<Cell> fine(alike_.fine_count, Cell{}), coarse(alike_.coarse_count, Cell{});
  for (std::size_t c = 0; c < fine.size(); ++c) {
    std::copy_n(sums->begin() + static_cast<std::ptrdiff_t>(kKinds * c), static_cast<std::size_t>(kKinds), fine[c].begin());
    add(coarse[c / of_coarse], fine[c]);
  }
  // Launches of a class that has few without the event are told by those of the amount's class and of the nearest ones.
  const auto tell = [&](std::size_t c, const Cell& from) {
    if (from[kExpected] > 0) alike_.variability[c] = from[kSeen] / from[kExpected];
    if (from[kUsual] > 0) alike_.longer[c] = from[kLonger] / from[kUsual];
  };
  for (std::size_t c = 0; c < fine.size(); ++c) {
    if (fine[c][kFree] >= kFewestAlike) {
      tell(c, fine[c]), alike_.weight[c] += fine[c][kWith] / fine[c][kFree];
      continue;
    }
    std::size_t first = c / of_coarse, last = first + 1;
    Cell near = coarse[first];
    while (near[kFree] < kFewestAlike && (first > 0 || last < coarse.size())) {
      if (first > 0) add(near, coarse[--first]);
      if (last < coarse.size()) add(near, coarse[last++]);
    }
    if (!(near[kFree] > 0)) continue;
    tell(c, near);
    for (std::size_t k = first * of_coarse; k < last * of_coarse; ++k) alike_.weight[k] += fine[c][kWith] / near[kFree];
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
  auto usual = group_medians(free, local_.group, groups_.count, communicator_);
  if (!usual) return forward(usual.error());
  peers.usual = std::move(*usual);

  // Spread of the free launches of each configuration, as it would show with all launches of the
  // configuration.
  auto spread = sum_by(g_count, groups_.longest, [&](std::size_t i, ExactSums& sums) {
    if (x[i] == 0) sums.add(local_.group[i], std::fabs(local_.duration[i] - peers.usual[local_.group[i]]));
  });
  if (!spread) return forward(spread.error());
  double relative_top = 0, relative_bottom = 0;
  peers.expected.assign(g_count, 0.0);
  for (std::size_t g = 0; g < g_count; ++g) {
    if (peers.count[g] < 2) continue;
    const auto count = static_cast<double>(peers.count[g]);
    peers.correction[g] = small_sample_share(groups_.rows[g]) / small_sample_share(peers.count[g]);
    peers.expected[g] = peers.correction[g] * (*spread)[g] / count;
    relative_top += peers.expected[g] * count, relative_bottom += peers.usual[g] * count;
  }
  const double relative = relative_bottom > 0 ? relative_top / relative_bottom : 0.0;
  for (std::size_t g = 0; g < g_count; ++g)
    if (peers.count[g] == 1) peers.expected[g] = relative * peers.usual[g];
  const bool beside = !alike_.fine.empty();
  if (beside)
    if (auto done = look_at_alike(x, peers); !done) return forward(done.error());
  const double longest = std::max(1.0, groups_.longest);
  const auto as_alike = [&](std::size_t i, double variability) {
    return beside ? std::min(variability * alike_.variability[alike_.fine[i]], longest) : variability;
  };

  // How far the event explains the variability of the launches that have peers without it.
  enum { kSeen, kExpected, kExtra, kComparable, kCells };
  auto compared = sum_by(kCells, 2 * longest, [&](std::size_t i, ExactSums& sums) {
    const auto g = local_.group[i];
    if (x[i] == 0 || peers.count[g] == 0) return;
    const double longer = beside ? std::clamp(peers.usual[g] * alike_.longer[alike_.fine[i]], -longest, longest) : 0.0;
    sums.add(kSeen, v_[i]), sums.add(kExpected, as_alike(i, peers.expected[g]));
    sums.add(kExtra, local_.duration[i] - peers.usual[g] - longer), sums.add(kComparable, 1.0);
  });
  if (!compared) return forward(compared.error());
  const auto& c = *compared;
  const double acts = c[kSeen] > 0 ? std::clamp(1.0 - c[kExpected] / c[kSeen], 0.0, 1.0) : 0.0;
  result.mean_extra_ns = c[kComparable] > 0 ? c[kExtra] / c[kComparable] : 0.0;
  result.compared = std::llround(c[kComparable]);
  result.spreads = c[kSeen] > 0 && std::fabs(c[kExtra]) < kMostlySpread * c[kSeen];

  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!local_.used[i]) continue;
    const auto g = local_.group[i];
    const double alike = as_alike(i, peers.expected[g]);
    if (x[i] != 0) {
      without_[i] = peers.count[g] > 0
                        ? alike
                        : v_[i] - acts * std::max(0.0, v_[i] - as_alike(i, relative * groups_.median[g]));
      continue;
    }
    // The expected value is an estimate from these rows: each carries its part of the estimate's deviation,
    // so that a resample of blocks shows the right uncertainty while the sum stays the same.
    const double own = peers.correction[g] * std::fabs(local_.duration[i] - peers.usual[g]);
    const double told = beside ? alike_.weight[alike_.fine[i]]
                               : static_cast<double>(groups_.rows[g] - peers.count[g]) / static_cast<double>(peers.count[g]);
    without_[i] = peers.count[g] < 2 ? peers.expected[g] : own + told * (own - alike);
  }
  return result;
}

} // namespace jitterscope::causal
