#include "core/causal/statistics/normal_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/causal/base/lists.h"

namespace jitterscope::causal {
namespace {

/// Ratio of two polynomials in r; the constant of the second is 1.
double ratio(const std::array<double, 8>& a, const std::array<double, 7>& b, double r) {
  double top = a[7], bottom = b[6];
  for (std::size_t i = 7; i-- > 0;) top = top * r + a[i];
  for (std::size_t i = 6; i-- > 0;) bottom = bottom * r + b[i];
  return top / (bottom * r + 1);
}

// Coefficients of PPND16, Wichura 1988.
constexpr std::array<double, 8> kA{3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                   1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr std::array<double, 7> kB{4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
                                   2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
                                   5.2264952788528545610e3};
constexpr std::array<double, 8> kC{1.42343711074968357734e0,  4.63033784615654529590e0,
                                   5.76949722146069140550e0,  3.64784832476320460504e0,
                                   1.27045825245236838258e0,  2.41780725177450611770e-1,
                                   2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr std::array<double, 7> kD{2.05319162663775882187e0,  1.67638483018380384940e0,
                                   6.89767334985100004550e-1, 1.48103976427480074590e-1,
                                   1.51986665636164571966e-2, 5.47593808499534494600e-4,
                                   1.05075007164441684324e-9};
constexpr std::array<double, 8> kE{6.65790464350110377720e0,  5.46378491116411436990e0,
                                   1.78482653991729133580e0,  2.96560571828504891230e-1,
                                   2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                   2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr std::array<double, 7> kF{5.99832206555887937690e-1, 1.36929880922735805310e-1,
                                   1.48753612908506148525e-2, 7.86869131145613259100e-4,
                                   1.84631831751005468180e-5, 1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};

} // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(kA, kB, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
  const double z = r <= 5 ? ratio(kC, kD, r - 1.6) : ratio(kE, kF, r - 5);
  return q < 0 ? -z : z;
}

NormalScores::NormalScores(std::vector<double> sample, std::size_t max_knots) {
  std::ranges::sort(sample);
  const std::size_t n = sample.size();
  for (std::size_t first = 0; first < n;) {
    std::size_t last = first + 1;
    while (last < n && sample[last] == sample[first]) ++last;
    knots_.push_back(sample[first]);
    scores_.push_back(normal_quantile(0.5 * static_cast<double>(first + last) / static_cast<double>(n)));
    first = last;
  }
  if (knots_.size() <= max_knots || max_knots < 2) return;
  const std::size_t all = knots_.size();
  for (std::size_t k = 0; k < max_knots; ++k) {
    const std::size_t from = k * (all - 1) / (max_knots - 1);
    knots_[k] = knots_[from], scores_[k] = scores_[from];
  }
  knots_.resize(max_knots), scores_.resize(max_knots);
}

double NormalScores::operator()(double value) const {
  if (knots_.empty()) return 0;
  const auto above = std::ranges::lower_bound(knots_, value);
  if (above == knots_.end()) return scores_.back();
  const auto i = static_cast<std::size_t>(above - knots_.begin());
  if (i == 0 || *above == value) return scores_[i];
  const double part = (value - knots_[i - 1]) / (knots_[i] - knots_[i - 1]);
  return scores_[i - 1] + part * (scores_[i] - scores_[i - 1]);
}

std::vector<double> ranks_within(const std::vector<double>& values,
                                 const std::vector<std::uint32_t>& groups) {
  auto order = numbers_below(values.size());
  std::ranges::sort(order, [&](auto a, auto b) {
    return std::tuple(groups[a], values[a], a) < std::tuple(groups[b], values[b], b);
  });
  std::vector<double> ranks(values.size(), 0.0);
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first; // end of the rows of the group
    while (last < order.size() && groups[order[last]] == groups[order[first]]) ++last;
    const auto rows = static_cast<double>(last - first);
    for (std::size_t low = first; low < last;) {
      std::size_t high = low;
      while (high < last && values[order[high]] == values[order[low]]) ++high;
      const double rank =
          static_cast<double>(low + high - 1) / 2 - static_cast<double>(first) - (rows - 1) / 2;
      for (; low < high; ++low) ranks[order[low]] = rank / rows;
    }
    first = last;
  }
  return ranks;
}

} // namespace jitterscope::causal
