#include "core/causal/groups/grouped_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kNamedDevices = 3;
constexpr double kNamedPercent = 1; ///< smaller components are in the table only

const VarianceShare kWhole{1, {1, 1}}, kUnknown{kMissing, {kMissing, kMissing}};

VarianceShare rest_of(const VarianceShare& share) {
  return {1 - share.share, {1 - share.interval.high, 1 - share.interval.low}};
}

/// The component that is `share` of `part` of the variance; the distances to the ends add in quadrature.
VarianceComponent component(std::string group, std::string label, std::size_t levels,
                            const VarianceShare& share, const VarianceShare& part = kWhole) {
  const double product = part.share * share.share;
  const auto end = [&](double Range::*which, double sign) {
    return 100 * std::clamp(product + sign * std::hypot(part.share * (share.share - share.interval.*which),
                                                        share.share * (part.share - part.interval.*which)),
                            0.0, 1.0);
  };
  return {std::move(group), std::move(label),     static_cast<std::int64_t>(levels),
          100 * product,    end(&Range::low, -1), end(&Range::high, 1)};
}

std::string with_range(const VarianceComponent& c, int digits, std::string_view name = {}) {
  if (!std::isfinite(c.ci_low)) return fmt::format("{:.{}f} %", c.percent, digits);
  return share_with_interval(c.percent, c.ci_low, c.ci_high, digits, name);
}

std::string short_range(const VarianceComponent& c) {
  return c.label + " " + with_range(c, (std::isfinite(c.ci_high) ? c.ci_high : c.percent) < 9.95 ? 1 : 0);
}

class Estimator {
public:
  Estimator(const GroupedRows& rows, const std::string& target)
      : target_(words_for(target)), rows_(rows), groups_(*rows.row_groups()),
        within_(target == "kernel_variability" && rows.has_durations()),
        slower_(target == "kernel_variability" || tier_by_name(target) == static_cast<int>(Tier::duration)) {}

  GroupEstimates run() {
    if (within_) target_ = "durations of launches of one configuration";
    const auto place = groups_.levels[groups_.unit].place;
    result_.unit = place == Place::other ? "values of " + words_for(column(groups_.unit)) : words_for(place);
    result_.logarithm = groups_.logarithm;
    components();
    devices();
    add_notes();
    report_places();
    report_slowest();
    report_missing();
    return std::move(result_);
  }

private:
  const std::string& column(std::size_t level) const {
    return rows_.features()[groups_.levels[level].feature].name;
  }

  void components() {
    auto part = kWhole; // of the variance: within configurations
    if (!groups_.configurations.empty() && !within_) {
      const auto shares = variance_shares(groups_.configurations, 2, groups_.configurations_without);
      std::set<int> kernels;
      for (const auto& c : groups_.configurations) kernels.insert(c.path.front());
      result_.components.push_back(component("kernel", "kernels", kernels.size(), shares[0]));
      result_.components.push_back(
          component("configuration", "configurations", groups_.configurations.size(), shares[1]));
      part = rest_of(shares.back());
    }
    std::vector<VarianceShare> shares(groups_.levels.size() + 2, kUnknown);
    if (groups_.sums.empty())
      shares[groups_.levels.size()] = kWhole;
    else
      shares = variance_shares(groups_.sums, groups_.unit + 1, groups_.sums_without);
    for (std::size_t level = 0; level < groups_.levels.size(); ++level)
      result_.components.push_back(
          component(column(level), words_for(groups_.levels[level].place), groups_.levels[level].code.size(),
                    groups_.levels[level].compared ? shares[level] : kUnknown, part));
    result_.components.push_back(component("rest", "rows of one group",
                                           static_cast<std::size_t>(groups_.rows),
                                           shares[groups_.levels.size()], part));
    result_.between = component(column(groups_.unit), result_.unit, groups_.levels[groups_.unit].code.size(),
                                shares.back(), part);
  }

  void devices() {
    NestedVariances variances;
    std::vector<GroupEffect> effects;
    if (!groups_.sums.empty())
      variances = nested_variances(groups_.sums),
      effects = group_effects(groups_.sums, groups_.unit, variances);
    effects.resize(groups_.unit_values.size());
    for (std::size_t level = 0; level < groups_.unit; ++level) result_.place_columns.push_back(column(level));
    const auto percent = [&](double effect) {
      return 100 *
             (groups_.logarithm ? std::expm1(effect) : effect / std::max(std::fabs(variances.mean), 1e-300));
    };
    for (std::size_t d = 0; d < effects.size(); ++d) {
      if (groups_.unit_values[d].n == 0) continue;
      DeviceEstimate device;
      const GroupLevel& unit = groups_.levels[groups_.unit];
      device.name = rows_.name_of(unit.feature, unit.code[d]);
      int group = static_cast<int>(d);
      for (std::size_t level = groups_.unit; level-- > 0;) {
        group = groups_.levels[level + 1].around[group];
        const GroupLevel& around = groups_.levels[level];
        device.places.insert(device.places.begin(), rows_.name_of(around.feature, around.code[group]));
      }
      device.n = static_cast<std::int64_t>(groups_.unit_values[d].n);
      device.mean = groups_.unit_values[d].mean;
      if (groups_.logarithm) device.geometric_mean = std::exp(groups_.unit_logarithms[d].mean);
      const auto compared = [&](double effect) { return effects[d].n > 0 ? percent(effect) : kMissing; };
      device.difference_percent = compared(effects[d].effect);
      device.ci_low = compared(effects[d].interval.low), device.ci_high = compared(effects[d].interval.high);
      result_.devices.push_back(std::move(device));
    }
    // Devices that are not compared are last: a NaN has no order.
    std::ranges::stable_sort(result_.devices, std::greater(), [](const DeviceEstimate& d) {
      return std::isnan(d.difference_percent) ? -HUGE_VAL : d.difference_percent;
    });
  }

  void add_notes() {
    if (!groups_.logarithm)
      result_.notes.push_back(note<notes::kValuesCompared>(target_, fmt::format("{:g}", groups_.minimum)));
    for (const GroupLevel& level : groups_.levels)
      if (!level.compared) result_.notes.push_back(note<notes::kNotCompared>(words_for(level.place)));
    if (groups_.sums.empty()) return;
    if (groups_.not_compared > 0)
      result_.notes.push_back(
          note<notes::kPartlyCompared>(grouped(groups_.not_compared), grouped(groups_.rows), result_.unit));
    std::set<int> outermost;
    for (const auto& sums : groups_.sums) outermost.insert(sums.path.front());
    if (outermost.size() >= kMinGroups) return;
    const auto words = words_for(groups_.levels.front().place);
    result_.notes.push_back(groups_.sums_without.empty() ? note<notes::kNoInterval>(kMinGroups, words)
                                                         : note<notes::kFewGroups>(kMinGroups, words));
  }

  void report_places() {
    std::vector<std::string> parts;
    for (const auto& c : result_.components)
      if (c.group != "rest" && c.group != result_.between.group && c.percent >= kNamedPercent)
        parts.push_back(short_range(c));
    const auto own = std::ranges::find_if(result_.components,
                                          [&](const auto& c) { return c.group == result_.between.group; });
    if (!parts.empty() && own != result_.components.end() && std::isfinite(own->percent))
      parts.push_back(short_range(*own));
    const auto& between = result_.between;
    const auto of = fmt::format("of the variance of {}{}", groups_.logarithm ? "the logarithm of " : "",
                                target_),
               units = fmt::format("between {} ({}, column {})", result_.unit, grouped(between.levels),
                                   between.group);
    const auto sentence =
        std::isfinite(between.percent)
            ? fmt::format("{} {} is {}",
                          with_range(between, between.percent < 9.95 || between.percent >= 99.5 ? 1 : 0,
                                     "95 % interval "),
                          of, units)
            : fmt::format("The share {} {} cannot be computed", of, units);
    result_.sentences.push_back(fmt::format("{}{}{}.", sentence, parts.empty() ? "" : ": ", listed(parts)));
  }

  void report_slowest() {
    std::vector<std::string> named;
    std::set<std::string> places;
    for (const auto& d : result_.devices) {
      constexpr double kShown = 0.05; // smaller ones are shown as 0.0 %
      if (named.size() == kNamedDevices || !(d.ci_low > 0) || d.difference_percent < kShown) break;
      std::string where;
      for (std::size_t p = 0; p < d.places.size(); ++p)
        if (!d.places[p].empty())
          where += fmt::format("{}{} {}", where.empty() ? "" : ", ", result_.place_columns[p], d.places[p]);
      named.push_back(
          fmt::format("{}{} ({:+.1f} %)", d.name, where.empty() ? "" : " in " + where, d.difference_percent));
    }
    if (!named.empty())
      result_.sentences.push_back(
          fmt::format("{} {}{}: {}.", slower_ ? "Slowest" : fmt::format("Highest {} of", target_),
                      result_.unit, groups_.logarithm ? " by geometric mean" : "", listed(named)));
  }

  void report_missing() {
    std::vector<std::string> columns;
    std::int64_t unnamed = 0, still = 0;
    for (std::size_t level = 0; level < groups_.levels.size(); ++level) {
      if (groups_.unnamed[level] == 0) continue;
      columns.push_back(column(level));
      unnamed = std::max(unnamed, groups_.unnamed[level]),
      still = std::max(still, groups_.still_unnamed[level]);
    }
    if (columns.empty()) return;
    const bool one = columns.size() == 1;
    result_.sentences.push_back(fmt::format(
        "{} {} missing (−1 or \"unknown\") in {} of {} rows{}.", listed(std::move(columns)),
        one ? "is" : "are", grouped(unnamed), grouped(rows_.rows()),
        still < unnamed ? fmt::format("; for {} of them the value is taken from other rows of the same {}",
                                      grouped(unnamed - still), result_.unit)
                        : ""));
  }

  std::string target_; ///< target in words
  const GroupedRows& rows_;
  const RowGroups& groups_;
  bool within_; ///< launches are compared only within their configuration
  bool slower_; ///< the target is a duration
  GroupEstimates result_;
};

} // namespace

GroupEstimates estimate_groups(const GroupedRows& rows, const std::string& target) {
  return Estimator(rows, target).run();
}

} // namespace jitterscope::causal
