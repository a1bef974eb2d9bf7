#include "core/model/network/regimes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace jitterscope::model {
namespace {

constexpr std::size_t kMinPoints = 3; // minimum points in a segment
constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct RegimeLine {
  double alpha = 0, beta = 0, residual = 0;
};

double residual_of(std::span<const NetworkPoint> points, double alpha, double beta) {
  double sum = 0;
  for (const auto& p : points) {
    const double error = (p.value - alpha - beta * p.bytes) / p.value;
    sum += error * error;
  }
  return sum;
}

// Sizes span seven orders of magnitude: centring on weighted means avoids cancellation.
RegimeLine fit_line(std::span<const NetworkPoint> points) {
  double w = 0, wn = 0, wt = 0;
  for (const auto& p : points) {
    const double weight = 1 / (p.value * p.value);
    w += weight;
    wn += weight * p.bytes;
    wt += weight * p.value;
  }
  const double mean_n = wn / w, mean_t = wt / w;
  double nn = 0, nt = 0, raw_nn = 0, raw_nt = 0;
  for (const auto& p : points) {
    const double weight = 1 / (p.value * p.value);
    nn += weight * (p.bytes - mean_n) * (p.bytes - mean_n);
    nt += weight * (p.bytes - mean_n) * (p.value - mean_t);
    raw_nn += weight * p.bytes * p.bytes;
    raw_nt += weight * p.bytes * p.value;
  }
  RegimeLine line;
  line.beta = nn > 0 ? nt / nn : 0;
  line.alpha = mean_t - line.beta * mean_n;
  if (line.beta < 0) {
    line.beta = 0;
    line.alpha = mean_t;
  } else if (line.alpha < 0) {
    line.alpha = 0;
    line.beta = raw_nn > 0 ? raw_nt / raw_nn : 0;
  }
  line.residual = residual_of(points, line.alpha, line.beta);
  return line;
}

/// cost[s][e]: minimum residual of points 0 … e − 1 in s segments; from[s][e]: first point of the last
/// segment.
struct Table {
  std::vector<std::vector<double>> cost;
  std::vector<std::vector<std::size_t>> from;
};

Table best_partitions(std::span<const NetworkPoint> points, std::size_t maximum) {
  const auto m = points.size();
  std::vector<std::vector<double>> alone(m + 1, std::vector<double>(m + 1, kInfinite));
  for (std::size_t b = 0; b < m; ++b)
    for (std::size_t e = b + kMinPoints; e <= m; ++e)
      alone[b][e] = fit_line(points.subspan(b, e - b)).residual;
  Table table{{maximum + 1, std::vector<double>(m + 1, kInfinite)},
              {maximum + 1, std::vector<std::size_t>(m + 1, 0)}};
  table.cost[0][0] = 0;
  for (std::size_t s = 1; s <= maximum; ++s)
    for (std::size_t e = kMinPoints; e <= m; ++e)
      for (std::size_t b = 0; b + kMinPoints <= e; ++b) {
        const double sum = table.cost[s - 1][b] + alone[b][e];
        if (sum < table.cost[s][e]) table.cost[s][e] = sum, table.from[s][e] = b;
      }
  return table;
}

std::size_t number_by_bic(const Table& table, std::size_t m) {
  const auto points = static_cast<double>(m);
  std::size_t best = 1;
  double minimum = kInfinite;
  for (std::size_t s = 1; s < table.cost.size(); ++s) {
    const double rss = table.cost[s][m];
    if (!std::isfinite(rss)) break;
    const double bic = points * std::log(std::max(rss, 1e-6 * points) / points) +
                       (3 * static_cast<double>(s) - 1) * std::log(points);
    if (bic < minimum) minimum = bic, best = s;
  }
  return best;
}

std::optional<Error> problem_of(std::span<const NetworkPoint> points) {
  const auto bad = [](const char* message) { return Error{ErrorKind::BadInput, message, {}, {}, {}}; };
  if (points.size() < kMinPoints) return bad("fewer than 3 message sizes: no protocol can be fitted");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!(points[i].value > 0) || !std::isfinite(points[i].value))
      return bad("a message time is not positive");
    if (!(points[i].bytes >= 0) || !std::isfinite(points[i].bytes) ||
        (i > 0 && !(points[i].bytes > points[i - 1].bytes)))
      return bad("the message sizes are not in ascending order");
  }
  return {};
}

} // namespace

Expected<Segments> find_segments(std::span<const NetworkPoint> points, int maximum) {
  if (auto problem = problem_of(points)) return forward(std::move(*problem));
  const auto m = points.size();
  const auto table = best_partitions(points, static_cast<std::size_t>(std::max(maximum, 1)));
  Segments out;
  for (std::size_t s = number_by_bic(table, m), e = m; s > 0; --s) {
    const auto b = table.from[s][e];
    const auto line = fit_line(points.subspan(b, e - b));
    out.list.push_back({b, e - 1, line.alpha, line.beta});
    out.residual += line.residual;
    e = b;
  }
  std::reverse(out.list.begin(), out.list.end());
  for (const auto& s : out.list)
    for (auto i = s.first; i <= s.last; ++i)
      out.mean_absolute_percentage += std::abs((s.alpha + s.beta * points[i].bytes) / points[i].value - 1);
  out.mean_absolute_percentage *= 100 / static_cast<double>(m);
  return out;
}

} // namespace jitterscope::model
