#include "core/analysis/statistics/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/vector_clones.h"

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr std::pair<std::string_view, Statistic> kNames[] = {
    {"sum", Statistic::Sum}, {"variance", Statistic::Variance}, {"cv", Statistic::Cv},
    {"iqr", Statistic::Iqr}, {"max", Statistic::Max},           {"mean", Statistic::Mean}};

constexpr std::size_t kLanes = 8, kHalf = kLanes / 2;
/// Four numbers that the compiler keeps in vector registers.
typedef double Half __attribute__((vector_size(kHalf * sizeof(double))));

struct Sums {
  double sum[kLanes], low[kLanes], high[kLanes];
};

JITTERSCOPE_VECTOR_CLONES
void sums_of(const double* values, std::size_t count, Sums& sums) {
  Half sum[2] = {}, low[2] = {Half{} + values[0], Half{} + values[0]}, high[2] = {low[0], low[0]};
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    Half first, second;
    std::memcpy(&first, values + i, sizeof first);
    std::memcpy(&second, values + i + kHalf, sizeof second);
    sum[0] += first;
    sum[1] += second;
    low[0] = first < low[0] ? first : low[0];
    low[1] = second < low[1] ? second : low[1];
    high[0] = first > high[0] ? first : high[0];
    high[1] = second > high[1] ? second : high[1];
  }
  std::memcpy(sums.sum, sum, sizeof sum);
  std::memcpy(sums.low, low, sizeof low);
  std::memcpy(sums.high, high, sizeof high);
  for (std::size_t i = whole; i < count; ++i) {
    const double v = values[i];
    sums.sum[i - whole] += v;
    sums.low[0] = v < sums.low[0] ? v : sums.low[0];
    sums.high[0] = v > sums.high[0] ? v : sums.high[0];
  }
}

JITTERSCOPE_VECTOR_CLONES
void squares_of(const double* values, std::size_t count, double mean, double* squares) {
  Half sum[2] = {};
  const std::size_t whole = count / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    Half first, second;
    std::memcpy(&first, values + i, sizeof first);
    std::memcpy(&second, values + i + kHalf, sizeof second);
    first -= mean;
    second -= mean;
    sum[0] += first * first;
    sum[1] += second * second;
  }
  std::memcpy(squares, sum, sizeof sum);
  for (std::size_t i = whole; i < count; ++i) squares[i - whole] += (values[i] - mean) * (values[i] - mean);
}

double total(const double (&lanes)[kLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

} // namespace

double quantile_of_sorted(std::span<const double> values, double p) {
  if (values.empty()) return kMissing;
  const QuantilePosition position(p, values.size());
  return between(values[position.below], values[std::min(position.below + 1, values.size() - 1)],
                 position.fraction);
}

void Moments::add(const Moments& next) {
  if (next.n == 0) return;
  if (n == 0) {
    *this = next;
    return;
  }
  const double apart = next.mean() - mean();
  const auto here = static_cast<double>(n), there = static_cast<double>(next.n);
  squares += next.squares + apart * apart * (here * there / (here + there));
  sum += next.sum;
  low = std::min(low, next.low);
  high = std::max(high, next.high);
  n += next.n;
}

Moments moments_of(std::span<const double> values) {
  Moments m;
  m.n = static_cast<std::int64_t>(values.size());
  if (values.empty()) return m;
  Sums sums;
  sums_of(values.data(), values.size(), sums);
  m.sum = total(sums.sum);
  m.low = *std::min_element(sums.low, sums.low + kLanes);
  m.high = *std::max_element(sums.high, sums.high + kLanes);
  double squares[kLanes];
  squares_of(values.data(), values.size(), m.mean(), squares);
  m.squares = total(squares);
  return m;
}

Statistics statistics_of(const Moments& moments, const Quartiles& quartiles) {
  Statistics s;
  s.n = moments.n;
  if (s.n == 0) {
    s.min = s.max = s.mean = s.variance = s.std = s.cv = s.q1 = s.median = s.q3 = s.iqr = kMissing;
    return s;
  }
  s.sum = moments.sum;
  s.min = moments.low;
  s.max = moments.high;
  s.mean = moments.mean();
  s.variance = s.n > 1 ? moments.squares / static_cast<double>(s.n - 1) : kMissing;
  s.std = std::sqrt(s.variance);
  s.cv = s.mean != 0 ? s.std / s.mean : kMissing;
  s.q1 = quartiles.q1;
  s.median = quartiles.median;
  s.q3 = quartiles.q3;
  s.iqr = s.q3 - s.q1;
  return s;
}

Statistics statistics_of(std::span<const double> values, QuartileFinder& quartiles) {
  const auto moments = moments_of(values);
  return statistics_of(moments,
                       values.empty() ? Quartiles() : quartiles.find(values, moments.low, moments.high));
}

Statistics statistics_of(std::span<const double> values) {
  QuartileFinder quartiles;
  return statistics_of(values, quartiles);
}

void put(nlohmann::json& out, const Statistics& s) {
  out["n"] = s.n;
  for (const auto& [key, field] : kStatisticFields) out[key] = s.*field;
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
