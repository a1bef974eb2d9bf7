#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/analysis/statistics/order_statistics.h"

namespace jitterscope::analysis {

/// Exact statistics of a list of numbers. With n = 0 the sum is 0 and all others are NaN; variance, std and
/// cv need n ≥ 2.
struct Statistics {
  std::int64_t n = 0;
  double sum = 0, min = 0, max = 0, mean = 0;
  double variance = 0; ///< Σ (value − mean)² / (n − 1)
  double std = 0;
  double cv = 0; ///< std / mean, NaN when the mean is 0
  double q1 = 0, median = 0, q3 = 0, iqr = 0;
};

/// Mergeable sums over values; the pieces of a list are merged in their order.
struct Moments {
  std::int64_t n = 0;
  double sum = 0, low = 0, high = 0; ///< low and high are undefined if n is 0
  double squares = 0;                ///< Σ (value − mean)²

  double mean() const { return sum / static_cast<double>(n); }
  /// Adds the values of the next piece (Chan, Golub and LeVeque 1979, equation 2.1b).
  void add(const Moments& next);
};
/// `values` must not contain NaN.
Moments moments_of(std::span<const double> values);
Statistics statistics_of(const Moments& moments, const Quartiles& quartiles);

/// Value i is added to partial sum i mod 8, and the partial sums are added in order, so that the result is
/// the same on any machine. The variance is computed from differences from the mean (two passes). Quartiles
/// by linear interpolation between order statistics (Hyndman & Fan 1996, type 7, numpy's default). `values`
/// holds no NaN.
Statistics statistics_of(std::span<const double> values, QuartileFinder& quartiles);
Statistics statistics_of(std::span<const double> values);

/// The quantile p in [0, 1] of ascending values, type 7; NaN if there are none.
double quantile_of_sorted(std::span<const double> values, double p);

/// All fields except n, with their keys in the JSON contract.
inline constexpr std::pair<const char*, double Statistics::*> kStatisticFields[] = {
    {"sum", &Statistics::sum},
    {"min", &Statistics::min},
    {"max", &Statistics::max},
    {"mean", &Statistics::mean},
    {"variance", &Statistics::variance},
    {"std", &Statistics::std},
    {"cv", &Statistics::cv},
    {"q1", &Statistics::q1},
    {"median", &Statistics::median},
    {"q3", &Statistics::q3},
    {"iqr", &Statistics::iqr}};

/// Keys of the JSON contract: n, sum, min, max, mean, variance, std, cv, q1, median, q3, iqr. NaN becomes
/// null.
void put(nlohmann::json& out, const Statistics& s);

/// Statistic by which bins are ranked.
enum class Statistic : std::uint8_t { Sum, Variance, Cv, Iqr, Max, Mean };
double value_of(const Statistics& s, Statistic which);
/// Parses "sum", "variance" …; returns false if unknown.
bool parse(std::string_view text, Statistic& out);
std::string_view to_string(Statistic which);

} // namespace jitterscope::analysis
