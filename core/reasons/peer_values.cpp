#include "core/reasons/peer_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace jitterscope::analysis {
namespace {

std::size_t up_to(std::span<const double> sorted, double value) {
  return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

std::size_t below(std::span<const double> sorted, double value) {
  return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
}

/// Fraction of the values other than 0 among `all` without `excluded`, both ascending.
double share_of_events(std::span<const double> all, std::span<const double> excluded) {
  const auto others = [](std::span<const double> sorted) {
    return sorted.size() - (up_to(sorted, 0) - below(sorted, 0));
  };
  return static_cast<double>(others(all) - others(excluded)) /
         static_cast<double>(all.size() - excluded.size());
}

/// Upper median of `all` without `excluded`, both ascending.
double median_without(std::span<const double> all, std::span<const double> excluded) {
  const auto middle = (all.size() - excluded.size()) / 2;
  const auto before = [&](double value) { return up_to(all, value) - up_to(excluded, value); };
  return *std::partition_point(all.begin(), all.end(), [&](double v) { return before(v) <= middle; });
}

/// Mean of `all` without `excluded`, both ascending: excluded values are among all, and skipped.
double mean_of_others(std::span<const double> all, std::span<const double> excluded) {
  double sum = 0;
  std::size_t skipped = 0;
  for (const double value : all)
    if (skipped < excluded.size() && excluded[skipped] == value)
      ++skipped;
    else
      sum += value;
  return sum / static_cast<double>(all.size() - skipped);
}

} // namespace

PeerValues::PeerValues(const LaunchReasons& reasons, std::span<const std::uint8_t> compared, const Job& job)
    : reasons_(&reasons) {
  const auto& known = reasons.sampled();
  const std::size_t terms = reasons.fit().terms.size(), sites = reasons.sample().typical_ns.size();
  for (std::size_t t = 0; t < terms; ++t) {
    if (job.cancelled()) return;
    auto& begins = begins_.emplace_back(sites + 1);
    const auto counts = [&](std::size_t i) { return compared[i] && !std::isnan(known.of(i)[t]); };
    for (std::size_t i = 0; i < compared.size(); ++i)
      if (counts(i)) ++begins[known.launches[i].peers + 1];
    for (std::size_t s = 0; s < sites; ++s) begins[s + 1] += begins[s];
    auto& values = values_.emplace_back(begins.back());
    auto next = begins;
    for (std::size_t i = 0; i < compared.size(); ++i)
      if (counts(i)) values[next[known.launches[i].peers]++] = known.of(i)[t];
    const auto at = [&](std::size_t k) { return values.begin() + static_cast<std::ptrdiff_t>(k); };
    for (std::size_t s = 0; s < sites && !job.cancelled(); ++s) std::sort(at(begins[s]), at(begins[s + 1]));
  }
}

std::span<const double> PeerValues::of_site(std::size_t term, std::size_t site) const {
  const auto first = begins_[term][site];
  return std::span(values_[term]).subspan(first, begins_[term][site + 1] - first);
}

double PeerValues::typical(std::size_t term, causal::FeatureRole role, std::span<const std::size_t> excluded,
                           std::span<const double> selected) const {
  if (role == causal::FeatureRole::category) return most_frequent(term, excluded, selected);
  return over_sites(term, excluded, selected,
                    role == causal::FeatureRole::event ? &share_of_events : &median_without);
}

double PeerValues::mean(std::size_t term, std::span<const std::size_t> excluded,
                        std::span<const double> selected) const {
  return over_sites(term, excluded, selected, mean_of_others);
}

template <class ValueOf>
double PeerValues::over_sites(std::size_t term, std::span<const std::size_t> excluded,
                              std::span<const double> selected, const ValueOf& value_of) const {
  const auto& known = reasons_->sampled();
  std::map<std::size_t, std::vector<double>> left_out;
  for (const auto i : excluded)
    if (const auto site = known.launches[i].peers; selected[site] > 0 && !std::isnan(known.of(i)[term]))
      left_out[site].push_back(known.of(i)[term]);
  double sum = 0, weight = 0;
  for (std::size_t site = 0; site < selected.size(); ++site) {
    if (!(selected[site] > 0)) continue;
    const auto all = of_site(term, site);
    auto& own = left_out[site];
    if (all.size() <= own.size()) continue;
    std::sort(own.begin(), own.end());
    sum += selected[site] * value_of(all, own), weight += selected[site];
  }
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

double PeerValues::most_frequent(std::size_t term, std::span<const std::size_t> excluded,
                                 std::span<const double> selected) const {
  std::map<double, double> count; // by code: Σ over selected launches of the fraction of their peers with it
  std::vector<double> peers(selected.size());
  const auto& known = reasons_->sampled();
  for (std::size_t site = 0; site < selected.size(); ++site)
    if (selected[site] > 0) peers[site] = static_cast<double>(of_site(term, site).size());
  for (const auto i : excluded)
    if (!std::isnan(known.of(i)[term])) peers[known.launches[i].peers] -= 1;
  for (const auto i : excluded)
    if (const auto site = known.launches[i].peers; peers[site] > 0 && !std::isnan(known.of(i)[term]))
      count[known.of(i)[term]] -= selected[site] / peers[site];
  for (std::size_t site = 0; site < selected.size(); ++site) {
    if (!(peers[site] > 0)) continue;
    const auto all = of_site(term, site);
    for (std::size_t k = 0, last = 0; k < all.size(); k = last)
      last = up_to(all, all[k]),
      count[all[k]] += selected[site] / peers[site] * static_cast<double>(last - k);
  }
  const auto found = std::max_element(count.begin(), count.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return found == count.end() ? std::numeric_limits<double>::quiet_NaN() : found->first;
}

} // namespace jitterscope::analysis
