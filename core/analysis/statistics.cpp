#include "core/analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::pair<std::string_view, Statistic> kNames[] = {
    {"sum", Statistic::Sum}, {"variance", Statistic::Variance}, {"cv", Statistic::Cv},
    {"iqr", Statistic::Iqr}, {"max", Statistic::Max},           {"mean", Statistic::Mean}};

} // namespace

double quantile(std::span<double> values, double p) {
  if (values.empty()) return kMissing;
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  const double fraction = position - static_cast<double>(below);
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)];
  if (fraction == 0.0) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  // numpy's _lerp: from whichever end is nearer, so that both ends are met exactly.
  const double step = high - low;
  return fraction >= 0.5 ? high - step * (1.0 - fraction) : low + step * fraction;
}

double quantile_of_sorted(std::span<const double> values, double p) {
  if (values.empty()) return kMissing;
  const double position = p * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0.0) return values[below];
  const double step = values[below + 1] - values[below];
  return fraction >= 0.5 ? values[below + 1] - step * (1.0 - fraction) : values[below] + step * fraction;
}

Statistics statistics_of(std::span<double> values) {
  Statistics s;
  s.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) {
    s.min = s.max = s.mean = s.variance = s.std = s.cv = s.q1 = s.median = s.q3 = s.iqr = kMissing;
    return s;
  }
  s.min = s.max = values.front();
  for (const double v : values) {
    s.sum += v;
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
  }
  s.mean = s.sum / static_cast<double>(s.n);
  double squares = 0;
  for (const double v : values) squares += (v - s.mean) * (v - s.mean);
  s.variance = s.n > 1 ? squares / static_cast<double>(s.n - 1) : kMissing;
  s.std = std::sqrt(s.variance);
  s.cv = s.mean != 0 ? s.std / s.mean : kMissing;
  s.q1 = quantile(values, 0.25);
  s.median = quantile(values, 0.5);
  s.q3 = quantile(values, 0.75);
  s.iqr = s.q3 - s.q1;
  return s;
}

void put(nlohmann::json& out, const Statistics& s) {
  out["n"] = s.n;
  out["sum"] = s.sum;
  out["min"] = s.min;
  out["max"] = s.max;
  out["mean"] = s.mean;
  out["variance"] = s.variance;
  out["std"] = s.std;
  out["cv"] = s.cv;
  out["q1"] = s.q1;
  out["median"] = s.median;
  out["q3"] = s.q3;
  out["iqr"] = s.iqr;
}

double value_of(const Statistics& s, Statistic which) {
  switch (which) {
  case Statistic::Sum:
    return s.sum;
  case Statistic::Variance:
    return s.variance;
  case Statistic::Cv:
    return s.cv;
  case Statistic::Iqr:
    return s.iqr;
  case Statistic::Max:
    return s.max;
  case Statistic::Mean:
    break;
  }
  return s.mean;
}

bool parse(std::string_view text, Statistic& out) {
  for (const auto& [name, statistic] : kNames)
    if (name == text) {
      out = statistic;
      return true;
    }
  return false;
}

std::string_view to_string(Statistic which) {
  for (const auto& [name, statistic] : kNames)
    if (statistic == which) return name;
  return "sum";
}

} // namespace jitterscope::analysis
