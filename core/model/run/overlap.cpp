#include "core/model/run/overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/stop.h"

namespace jitterscope::model {
namespace {

/// Start or end of an activity.
struct Border {
  std::int64_t at = 0;
  bool begins = false;
  Work work = Work::kernel;
  double factor = 1;
};

/// Factors of the activities that are running at a moment, by kind.
class Active {
public:
  void change(const Border& border) {
    auto& of = factors_[static_cast<std::size_t>(border.work)];
    if (border.begins)
      of.insert(border.factor);
    else
      of.erase(of.find(border.factor));
  }
  void add(double length, RunParts& parts) const {
    double largest = -1;
    std::size_t kinds = 0, only = 0;
    for (std::size_t work = 0; work < kWorks; ++work) {
      if (factors_[work].empty()) continue;
      ++kinds, only = work;
      largest = std::max(largest, *factors_[work].rbegin());
    }
    if (kinds == 0) return void(parts.other += length);
    if (kinds > 1) return void(parts.overlapped += length * largest);
    double* const of[] = {&parts.kernels, &parts.copies, &parts.messages, &parts.computation};
    *of[only] += length * largest;
  }

private:
  std::array<std::multiset<double>, kWorks> factors_;
};

} // namespace

Expected<RunParts> run_parts(std::span<const Activity> activities, std::int64_t begin, std::int64_t end,
                             const Job& job) {
  std::vector<Border> borders;
  borders.reserve(2 * activities.size());
  for (const auto& a : activities) {
    const auto from = std::max(a.start, begin), to = std::min(a.end, end);
    if (to <= from) continue;
    borders.push_back({from, true, a.work, a.factor});
    borders.push_back({to, false, a.work, a.factor});
  }
  Stop stop(job);
  sort_stably(
      borders, [](const Border& a, const Border& b) { return a.at < b.at; }, stop);
  RunParts parts;
  Active active;
  std::int64_t at = begin;
  for (std::size_t i = 0; i < borders.size();) {
    const auto now = borders[i].at;
    if (now > at) active.add(static_cast<double>(now - at), parts);
    at = now;
    const auto first = i;
    for (; i < borders.size() && borders[i].at == now; ++i)
      if (stop.at(i)) return Job::cancelled_error();
    for (auto b = first; b < i; ++b)
      if (borders[b].begins) active.change(borders[b]);
    for (auto b = first; b < i; ++b)
      if (!borders[b].begins) active.change(borders[b]);
  }
  if (stop.requested()) return Job::cancelled_error();
  if (end > at) active.add(static_cast<double>(end - at), parts);
  return parts;
}

CopyFit fit_copies(std::span<const double> bytes, std::span<const double> durations) {
  // Least squares of T = α + β n with weights 1/T².
  double w = 0, wn = 0, wnn = 0, wt = 0, wnt = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double t = durations[i], n = bytes[i];
    if (!(t > 0) || !(n >= 0)) continue;
    const double weight = 1 / (t * t);
    w += weight, wn += weight * n, wnn += weight * n * n, wt += weight * t, wnt += weight * n * t;
  }
  CopyFit fit;
  if (!(w > 0)) return fit;
  const double determinant = w * wnn - wn * wn;
  double alpha = 0, beta = wnn > 0 ? wnt / wnn : 0;
  if (determinant > 1e-9 * w * wnn) {
    alpha = (wt * wnn - wn * wnt) / determinant;
    beta = (w * wnt - wn * wt) / determinant;
    if (alpha < 0) alpha = 0, beta = wnt / wnn;
    if (beta < 0) beta = 0, alpha = wt / w;
  } else if (!(wnn > 0)) {
    alpha = wt / w;
  }
  fit.latency_ns = alpha;
  fit.bytes_per_ns = beta > 0 ? 1 / beta : 0;
  return fit;
}

} // namespace jitterscope::model
