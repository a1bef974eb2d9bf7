#include "core/import/ncu/reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/core.h>

namespace jitterscope::import::ncu {
namespace {

using store::Severity;

constexpr double kMostRounding = 0.005; // pages write three digits

constexpr std::array kExtents = {&Configuration::grid_x,  &Configuration::grid_y,  &Configuration::grid_z,
                                 &Configuration::block_x, &Configuration::block_y, &Configuration::block_z};
constexpr std::array kOthers = {&Configuration::static_shared_memory, &Configuration::dynamic_shared_memory,
                                &Configuration::registers};

double number_at(const Attribute& attribute, std::size_t row) {
  const auto& numbers = attribute.numbers.values();
  return row < numbers.size() ? numbers[row] : std::numeric_limits<double>::quiet_NaN();
}

std::uint32_t text_at(const Attribute& attribute, std::size_t row) {
  return row < attribute.strings.size() ? attribute.strings[row] : kNone;
}

bool has_value(const Attribute& attribute, std::size_t row) {
  return attribute.text ? text_at(attribute, row) != kNone : !std::isnan(number_at(attribute, row));
}

bool alike(double a, double b) {
  return a == b || std::abs(a - b) <= kMostRounding * std::max(std::abs(a), std::abs(b));
}

bool same_value(const Attribute& attribute, std::size_t a, std::size_t b) {
  return attribute.text ? text_at(attribute, a) == text_at(attribute, b)
                        : alike(number_at(attribute, a), number_at(attribute, b));
}

// Of two times that differ by rounding, the one with more digits is nearer to what was measured.
std::int64_t exactness(std::int64_t nanoseconds) {
  while (nanoseconds != 0 && nanoseconds % 10 == 0) nanoseconds /= 10;
  return nanoseconds;
}

bool same_extents(const Configuration& a, const Configuration& b) {
  return std::all_of(kExtents.begin(), kExtents.end(),
                     [&](auto extent) { return a.*extent == b.*extent || a.*extent == 0 || b.*extent == 0; });
}

} // namespace

void Reports::add(const std::string& name, std::size_t first, const std::vector<LaunchIdentity>& identities) {
  Report report{name, {}};
  bool several = false; // reports one behind the other: the numbers say nothing
  for (std::size_t i = 0; i < identities.size(); ++i)
    several = !report.rows.emplace(identities[i], first + i).second || several;
  if (several) return;
  for (auto& earlier : reports_) {
    Pairs pairs;
    for (const auto& [identity, row] : report.rows)
      if (const auto found = earlier.rows.find(identity); found != earlier.rows.end())
        pairs.emplace_back(found->second, row);
    if (pairs.empty()) continue;
    if (!agree(pairs)) {
      issues_.count(Severity::Doubt, "numbered-alike", [&] {
        return fmt::format("{} has launches of the same process, number and kernel as {}, but with the same "
                           "metrics or other values: they are kept apart as two runs",
                           name, earlier.name);
      });
      continue;
    }
    join(pairs);
    drop(pairs, first, report);
    for (const auto& [identity, row] : report.rows) earlier.rows.emplace(identity, row);
    issues_.count(
        Severity::Info, "joined-reports",
        [&] {
          return fmt::format("{} and {} tell of the same launches: their metrics are joined", earlier.name,
                             name);
        },
        static_cast<std::int64_t>(pairs.size()));
    return;
  }
  reports_.push_back(std::move(report));
}

// True when no value contradicts another and one of the two has metrics that the other lacks.
bool Reports::agree(const Pairs& pairs) const {
  bool more = false;
  for (const auto& attribute : draft_.attributes.all())
    for (const auto& [a, b] : pairs) {
      const bool in_a = has_value(attribute, a), in_b = has_value(attribute, b);
      more = more || in_a != in_b;
      if (in_a && in_b && !same_value(attribute, a, b)) return false;
    }
  const auto& launches = draft_.launches;
  for (const auto& [a, b] : pairs) {
    if (!same_extents(draft_.configurations[launches.configuration[a]],
                      draft_.configurations[launches.configuration[b]]))
      return false;
    const auto da = launches.duration[a], db = launches.duration[b];
    if (da != store::kMissingDuration && db != store::kMissingDuration &&
        !alike(static_cast<double>(da), static_cast<double>(db)))
      return false;
  }
  return more;
}

void Reports::join(const Pairs& pairs) {
  auto& attributes = draft_.attributes;
  for (std::size_t column = 0; column < attributes.all().size(); ++column)
    for (const auto& [a, b] : pairs) {
      const auto& attribute = attributes.all()[column];
      if (has_value(attribute, a) || !has_value(attribute, b)) continue;
      if (attribute.text)
        attributes.set_text(column, a, text_at(attribute, b));
      else
        attributes.set(column, a, number_at(attribute, b));
    }
  auto& launches = draft_.launches;
  for (const auto& [a, b] : pairs) {
    if (launches.duration[a] == store::kMissingDuration ||
        exactness(launches.duration[b]) > exactness(launches.duration[a]))
      launches.duration[a] = launches.duration[b];
    auto configuration = draft_.configurations[launches.configuration[a]];
    const auto& other = draft_.configurations[launches.configuration[b]];
    const auto fill = [&](auto field) {
      if (configuration.*field == 0) configuration.*field = other.*field;
    };
    std::for_each(kExtents.begin(), kExtents.end(), fill);
    std::for_each(kOthers.begin(), kOthers.end(), fill);
    launches.configuration[a] = draft_.configuration(configuration);
  }
}

// The later rows of the pairs go; what the later report has beyond them moves up.
void Reports::drop(const Pairs& pairs, std::size_t first, Report& report) {
  auto& launches = draft_.launches;
  const auto end = launches.start.size();
  std::vector<std::size_t> kept;
  {
    std::vector<bool> gone(end - first);
    for (const auto& pair : pairs) gone[pair.second - first] = true;
    for (auto row = first; row < end; ++row)
      if (!gone[row - first]) kept.push_back(row);
  }
  const auto move_up = [&](auto& values, auto missing) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (first + i < values.size()) values[first + i] = kept[i] < values.size() ? values[kept[i]] : missing;
  };
  move_up(launches.duration, store::kMissingDuration);
  move_up(launches.configuration, 0u);
  move_up(launches.stream, 0u);
  for (auto& attribute : draft_.attributes.all()) {
    move_up(attribute.numbers.values(), std::numeric_limits<double>::quiet_NaN());
    move_up(attribute.strings, kNone);
  }
  auto sizes = draft_.sizes();
  sizes.launches = first + kept.size();
  draft_.shrink(sizes);
  for (auto row = report.rows.begin(); row != report.rows.end();) {
    const auto place = std::lower_bound(kept.begin(), kept.end(), row->second);
    if (place == kept.end() || *place != row->second) {
      row = report.rows.erase(row);
    } else {
      row->second = first + static_cast<std::size_t>(place - kept.begin());
      ++row;
    }
  }
}

} // namespace jitterscope::import::ncu
