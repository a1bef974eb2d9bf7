#include "core/reasons/excess.h"

#include <algorithm>
#include <cmath>

namespace jitterscope::analysis {

Excess::Kind Excess::kind_of(const causal::FeatureInfo& feature) {
  const std::string_view name = feature.name;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name == kCollectiveWait) return kWaiting;
  if (feature.role == causal::FeatureRole::category) return kPlace;
  if (has("clock") || has("frequency")) return kClock;
  if (has("migration") || has("page_fault")) return kMigrations;
  if (has("transfer") || has("overlap") || has("linked") || has("copy") || has("copies")) return kCopies;
  if (has("concurren") || has("other_kernels")) return kOtherKernels;
  return name == "first_launch" ? kFirstLaunch : kOther;
}

Excess::Excess(std::shared_ptr<const LaunchReasons> reasons) : reasons_(std::move(reasons)) {
  for (const auto& term : reasons_->fit().terms) kinds_.push_back(kind_of(term.feature));
}

Excess::Rows Excess::read(const Segment& segment) const {
  const auto launches = reasons_->read(segment);
  const auto& fit = reasons_->fit();
  const std::size_t n = launches.launches.size();
  Rows rows;
  rows.total.assign(n, causal::kMissing);
  for (auto& part : rows.parts) part.assign(n, causal::kMissing);
  std::vector<double> of_terms(fit.terms.size());
  for (std::size_t i = 0; i < n; ++i) {
    const auto& launch = launches.launches[i];
    const double typical = reasons_->typical_ns(launch.peers);
    if (!(launch.duration_ns > 0) || !(typical > 0) || !fit.has(launch.peers)) continue;
    fit.parts(launches.of(i), launch.peers, reasons_->kernel_of(launch.peers), launch.duration_ns, of_terms);
    double rest = rows.total[i] = launch.duration_ns - typical;
    for (auto& part : rows.parts) part[i] = 0;
    for (std::size_t t = 0; t < of_terms.size(); ++t)
      rows.parts[kinds_[t]][i] += of_terms[t], rest -= of_terms[t];
    rows.parts[kRest][i] = rest;
  }
  return rows;
}

std::vector<double> Excess::read(std::string_view column, const Segment& segment) const {
  if (column == kWork) {
    std::vector<double> work(static_cast<std::size_t>(segment.rows()));
    if (const auto* sites = reasons_->call_sites()) {
      const auto places = sites->read(segment);
      std::transform(places.begin(), places.end(), work.begin(),
                     [&](auto place) { return sites->all()[place].work_ns; });
    }
    return work;
  }
  Rows rows = read(segment);
  if (column == kTotal) return std::move(rows.total);
  const auto kind = std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin();
  return std::move(rows.parts[static_cast<std::size_t>(kind)]);
}

} // namespace jitterscope::analysis
