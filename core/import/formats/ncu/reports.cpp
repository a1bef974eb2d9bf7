#include "core/import/formats/ncu/reports.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/core.h>

#include "core/base/spill_vector.h"

namespace jitterscope::import::ncu {
namespace {

using store::Severity;

// Maximum relative difference of equal values: pages write three digits.
constexpr double kMaxRounding = 0.005;
// For a report that was exported twice: minimum number of values to compare, and the share that must agree.
constexpr std::size_t kMinValues = 16;
constexpr double kMinShare = 0.99;

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
  return a == b || std::abs(a - b) <= kMaxRounding * std::max(std::abs(a), std::abs(b));
}

bool same_value(const Attribute& attribute, std::size_t a, std::size_t b) {
  return attribute.text ? text_at(attribute, a) == text_at(attribute, b)
                        : alike(number_at(attribute, a), number_at(attribute, b));
}

// The power of ten of the last written digit: -2 for 5.12, 3 for 17,000.
int last_digit(double value) {
  // 12 digits: without the rounding errors of unit conversion.
  const auto written = fmt::format("{:.11e}", value);
  const auto e = written.find('e');
  const auto digits = written.find_last_not_of('0', e - 1);
  const auto fraction = digits > written.find('.') ? digits - written.find('.') : 0;
  return std::atoi(written.c_str() + e + 1) - static_cast<int>(fraction);
}

// True when the value with fewer digits is the other value, rounded.
bool one_rounded(double a, double b) {
  const int last = std::max(last_digit(a), last_digit(b));
  return a == b || std::abs(a - b) <= 0.5001 * std::pow(10.0, last);
}

// Of two values that differ by rounding, the one with more digits is closer to the measurement.
double more_exact(double a, double b) {
  return b != 0 && (a == 0 || last_digit(b) < last_digit(a)) ? b : a;
}

bool same_extents(const Configuration& a, const Configuration& b) {
  return std::all_of(kExtents.begin(), kExtents.end(),
                     [&](auto extent) { return a.*extent == b.*extent || a.*extent == 0 || b.*extent == 0; });
}

} // namespace

void Reports::add(const std::string& name, std::size_t first, const SpillVector<LaunchIdentity>& identities) {
  Report report{name, {}};
  bool several = false; // concatenated reports: numbers are not unique
  for (std::size_t i = 0; i < identities.size(); ++i)
    several = !report.rows.emplace(identities[i], first + i).second || several;
  if (several) return;
  for (auto& earlier : reports_) {
    Pairs pairs;
    for (const auto& [identity, row] : report.rows)
      if (const auto found = earlier.rows.find(identity); found != earlier.rows.end())
        pairs.emplace_back(found->second, row);
    if (pairs.empty()) continue;
    const bool more = agree(pairs);
    const bool repeated = !more && repeat(pairs, std::min(earlier.rows.size(), report.rows.size()));
    if (!more && !repeated) {
      issues_.count(Severity::Doubt, "numbered-alike", [&] {
        return fmt::format("{} has launches with the same process, number and kernel as {}, but repeats "
                           "metrics or has other values: both are kept as separate runs",
                           name, earlier.name);
      });
      continue;
    }
    join(pairs);
    drop(pairs, first, report);
    for (const auto& [identity, row] : report.rows) earlier.rows.emplace(identity, row);
    issues_.count(
        Severity::Info, repeated ? "repeated-report" : "joined-reports",
        [&] {
          return repeated ? fmt::format("{} and {} are exports of one report, one of them with rounded "
                                        "values: the export with more digits is kept",
                                        earlier.name, name)
                          : fmt::format("{} and {} contain the same launches: their metrics are joined",
                                        earlier.name, name);
        },
        static_cast<std::int64_t>(pairs.size()));
    return;
  }
  reports_.push_back(std::move(report));
}

// True when no value contradicts another and one report has metrics that the other lacks.
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

// True when the pairs cover all `launches` of one report and nearly all of their values differ only by
// rounding.
bool Reports::repeat(const Pairs& pairs, std::size_t launches) const {
  if (pairs.size() != launches) return false;
  std::size_t values = 0, rounded = 0;
  const auto compare = [&](double a, double b) {
    const bool reported = a != 0 && b != 0; // any value may be rounded to zero
    values += reported;
    rounded += reported && one_rounded(a, b);
    return !reported || one_rounded(a, b);
  };
  const auto& rows = draft_.launches;
  for (const auto& [a, b] : pairs) {
    if (!same_extents(draft_.configurations[rows.configuration[a]],
                      draft_.configurations[rows.configuration[b]]))
      return false;
    const auto da = rows.duration[a], db = rows.duration[b];
    if (da == store::kMissingDuration || db == store::kMissingDuration ||
        !compare(static_cast<double>(da), static_cast<double>(db)))
      return false;
  }
  for (const auto& attribute : draft_.attributes.all())
    for (const auto& [a, b] : pairs) {
      if (!has_value(attribute, a) || !has_value(attribute, b)) continue;
      if (!attribute.text)
        compare(number_at(attribute, a), number_at(attribute, b));
      else if (text_at(attribute, a) != text_at(attribute, b))
        return false;
    }
  return values >= kMinValues && static_cast<double>(rounded) >= kMinShare * static_cast<double>(values);
}

void Reports::join(const Pairs& pairs) {
  auto& attributes = draft_.attributes;
  for (std::size_t column = 0; column < attributes.all().size(); ++column)
    for (const auto& [a, b] : pairs) {
      const auto& attribute = attributes.all()[column];
      if (!has_value(attribute, b)) continue;
      if (!attribute.text)
        attributes.set(column, a,
                       has_value(attribute, a) ? more_exact(number_at(attribute, a), number_at(attribute, b))
                                               : number_at(attribute, b));
      else if (!has_value(attribute, a))
        attributes.set_text(column, a, text_at(attribute, b));
    }
  auto& launches = draft_.launches;
  for (const auto& [a, b] : pairs) {
    if (launches.duration[a] == store::kMissingDuration)
      launches.duration[a] = launches.duration[b];
    else if (launches.duration[b] != store::kMissingDuration)
      launches.duration[a] = static_cast<std::int64_t>(
          more_exact(static_cast<double>(launches.duration[a]), static_cast<double>(launches.duration[b])));
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

// Removes the later rows of the pairs; the other rows of the later report move up.
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
