#include "core/causal/groups/grouped_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kNamedDevices = 3;
constexpr double kNamedPercent = 1; ///< smaller components are in the table only

VarianceComponent component(std::string group, std::string label, std::size_t levels,
                            const VarianceShare& share, double part) {
  return {std::move(group),
          std::move(label),
          static_cast<std::int64_t>(levels),
          100 * part * share.share,
          100 * part * share.interval.low,
          100 * part * share.interval.high};
}

std::string with_range(const VarianceComponent& c) {
  const int digits = c.percent < 9.95 || c.percent >= 99.5 ? 1 : 0;
  return share_with_interval(c.percent, c.ci_low, c.ci_high, digits, "95 % interval ");
}

std::string short_range(const VarianceComponent& c) {
  const int digits = c.ci_high < 9.95 ? 1 : 0;
  return c.label + " " + share_with_interval(c.percent, c.ci_low, c.ci_high, digits);
}

class Estimator {
public:
  Estimator(const GroupedRows& rows, const std::string& target)
      : target_(words_for(target)), rows_(rows), groups_(*rows.row_groups()),
        within_(target == "kernel_variability" && rows.has_durations()),
        slower_(target == "kernel_variability" || tier_by_name(target) == static_cast<int>(Tier::duration)) {}

  GroupEstimates run() {
    if (within_) target_ = "durations of launches of one configuration";
    result_.unit = words_for(groups_.levels[groups_.unit].place);
    components();
    devices();
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
    double part = 1; // fraction of the variance within configurations
    if (!groups_.configurations.empty() && !within_) {
      const auto shares = variance_shares(groups_.configurations, 2);
      std::set<int> kernels;
      for (const auto& c : groups_.configurations) kernels.insert(c.path.front());
      result_.components.push_back(component("kernel", "kernels", kernels.size(), shares[0], 1));
      result_.components.push_back(
          component("configuration", "configurations", groups_.configurations.size(), shares[1], 1));
      part = 1 - shares.back().share;
    }
    const auto shares = variance_shares(groups_.sums, groups_.unit + 1);
    for (std::size_t level = 0; level < groups_.levels.size(); ++level)
      result_.components.push_back(component(column(level), words_for(groups_.levels[level].place),
                                             groups_.levels[level].code.size(), shares[level], part));
    result_.components.push_back(component("rest", "rows of one group",
                                           static_cast<std::size_t>(groups_.rows),
                                           shares[groups_.levels.size()], part));
    result_.between = component(column(groups_.unit), result_.unit, groups_.levels[groups_.unit].code.size(),
                                shares.back(), part);
  }

  void devices() {
    const auto variances = nested_variances(groups_.sums);
    const auto effects = group_effects(groups_.sums, groups_.unit, variances);
    for (std::size_t level = 0; level < groups_.unit; ++level) result_.place_columns.push_back(column(level));
    const auto percent = [&](double effect) {
      return 100 *
             (groups_.logarithm ? std::expm1(effect) : effect / std::max(std::fabs(variances.mean), 1e-300));
    };
    for (std::size_t d = 0; d < effects.size(); ++d) {
      if (effects[d].n == 0) continue;
      DeviceEstimate device;
      const GroupLevel& unit = groups_.levels[groups_.unit];
      device.name = rows_.name_of(unit.feature, unit.code[d]);
      int group = static_cast<int>(d);
      for (std::size_t level = groups_.unit; level-- > 0;) {
        group = groups_.levels[level + 1].around[group];
        const GroupLevel& around = groups_.levels[level];
        device.places.insert(device.places.begin(), rows_.name_of(around.feature, around.code[group]));
      }
      device.n = static_cast<std::int64_t>(effects[d].n), device.mean = groups_.unit_means[d];
      device.difference_percent = percent(effects[d].effect);
      device.ci_low = percent(effects[d].interval.low), device.ci_high = percent(effects[d].interval.high);
      result_.devices.push_back(std::move(device));
    }
    std::ranges::stable_sort(result_.devices, std::greater(), &DeviceEstimate::difference_percent);
  }

  void report_places() {
    std::vector<std::string> parts;
    for (const auto& c : result_.components)
      if (c.group != "rest" && c.group != result_.between.group && c.percent >= kNamedPercent)
        parts.push_back(short_range(c));
    const auto own = std::ranges::find_if(result_.components,
                                          [&](const auto& c) { return c.group == result_.between.group; });
    if (!parts.empty() && own != result_.components.end()) parts.push_back(short_range(*own));
    result_.sentences.push_back(fmt::format("{} of the variance of {} is between {} ({}, column {}){}{}.",
                                            with_range(result_.between), target_, result_.unit,
                                            grouped(result_.between.levels), result_.between.group,
                                            parts.empty() ? "" : ": ", listed(parts)));
  }

  void report_slowest() {
    std::vector<std::string> named;
    std::set<std::string> places;
    for (const auto& d : result_.devices) {
      constexpr double kShown = 0.05; // smaller ones are shown as 0.0 %
      if (named.size() == kNamedDevices || d.ci_low <= 0 || d.difference_percent < kShown) break;
      std::string where;
      for (std::size_t p = 0; p < d.places.size(); ++p)
        if (!d.places[p].empty())
          where += fmt::format("{}{} {}", where.empty() ? "" : ", ", result_.place_columns[p], d.places[p]);
      named.push_back(
          fmt::format("{}{} ({:+.1f} %)", d.name, where.empty() ? "" : " in " + where, d.difference_percent));
    }
    if (!named.empty())
      result_.sentences.push_back(fmt::format("{} {}: {}.",
                                              slower_ ? "Slowest" : fmt::format("Highest {} of", target_),
                                              result_.unit, listed(named)));
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
