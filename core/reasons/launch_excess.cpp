#include "core/reasons/launch_excess.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/causal/base/wording.h"
#include "core/reasons/rows/recent_idle.h"
#include "core/reasons/rows/recent_memory.h"

namespace jitterscope::analysis {
namespace {

constexpr std::size_t kBins = 32;

// The last bin ends at the launch or at the slowest hundredth of the peers, whichever is longer, and holds
// all longer peers: one outlier does not compress the others.
void add_histogram(std::vector<double> durations, LaunchExcess& found) {
  std::sort(durations.begin(), durations.end());
  found.peers = static_cast<std::int64_t>(durations.size());
  found.rank = static_cast<double>(std::lower_bound(durations.begin(), durations.end(), found.duration_ns) -
                                   durations.begin()) /
               static_cast<double>(durations.size());
  const double low = std::min(durations.front(), found.duration_ns);
  const double typical = durations[durations.size() - 1 - durations.size() / 100];
  const double high = std::max({typical, found.duration_ns, low + 1});
  for (std::size_t i = 0; i <= kBins; ++i)
    found.edges.push_back(low + (high - low) * static_cast<double>(i) / kBins);
  found.counts.assign(kBins, 0);
  for (const double ns : durations)
    ++found.counts[std::min(static_cast<std::size_t>((ns - low) / (high - low) * kBins), kBins - 1)];
}

// Scores are stated as what they mean, and numbers without a unit are named, so that a count or an event
// is not read as a time.
std::string value_of(const causal::FeatureInfo& feature, double value) {
  if (std::isnan(value)) return {};
  if (feature.role == causal::FeatureRole::category) {
    const auto code = static_cast<std::size_t>(std::max(0.0, value));
    return code < feature.labels.size() ? feature.labels[code] : std::string();
  }
  if (feature.name == kRecentIdle)
    return value > 0 ? fmt::format("launch {} after idle time", kAfterIdle + 1 - std::llround(value)) : "no";
  if (std::ranges::find(RecentMemory::kColumns, feature.name) != RecentMemory::kColumns.end())
    return value > 0 ? causal::words_for_ns(static_cast<double>(RecentMemory::kWithin) - value) +
                           " before the launch"
                     : "no";
  if (feature.unit.empty() && feature.name.ends_with("_count"))
    return "number: " + causal::value_in_words(value, {});
  if (feature.unit.empty() && (value == 0 || value == 1)) return value == 1 ? "yes" : "no";
  return causal::value_in_words(value, feature.unit);
}

} // namespace

Expected<LaunchExcess> excess_of_launch(const LaunchReasons& reasons, std::int64_t row) {
  const auto segments = reasons.session().segments(row, row + 1);
  if (row < 0 || segments.empty())
    return failure(ErrorKind::BadUse, fmt::format("there is no launch {}", row));
  const auto read = reasons.read(segments.front());
  const auto& launch = read.launches.front();
  const auto& fit = reasons.fit();
  LaunchExcess found;
  found.duration_ns = launch.duration_ns;
  found.typical_ns = reasons.typical_ns(launch.peers);
  if (!(found.duration_ns > 0))
    return failure(ErrorKind::BadInput, fmt::format("launch {} has no recorded duration", row));
  if (!(found.typical_ns > 0) || !fit.has(launch.peers))
    return failure(ErrorKind::BadInput,
                   fmt::format("launch {} cannot be compared with others, because fewer than {} launches of "
                               "its configuration and call site are known",
                               row, LaunchReasons::kMinPeers));
  const auto kernel = reasons.kernel_of(launch.peers);
  std::vector<double> of_terms(fit.terms.size()), of_replicate(fit.terms.size()), squares(fit.terms.size());
  fit.parts(read.of(0), launch.peers, kernel, launch.duration_ns, of_terms);
  for (const auto& replicate : fit.replicates) {
    fit.parts(read.of(0), launch.peers, kernel, launch.duration_ns, of_replicate, &replicate);
    for (std::size_t t = 0; t < of_terms.size(); ++t)
      squares[t] += std::pow(of_replicate[t] - of_terms[t], 2);
  }
  found.unexplained_ns = found.duration_ns - found.typical_ns;
  for (std::size_t t = 0; t < of_terms.size(); ++t) {
    found.unexplained_ns -= of_terms[t];
    found.waits =
        found.waits || (fit.terms[t].scale == causal::FitTerm::Scale::part && !std::isnan(read.of(0)[t]));
    if (of_terms[t] == 0) continue;
    const auto& feature = fit.terms[t].feature;
    found.parts.push_back(
        {feature.name, causal::words_for(feature.name), value_of(feature, read.of(0)[t]), of_terms[t],
         fit.replicates.empty() ? 0 : std::sqrt(squares[t] / static_cast<double>(fit.replicates.size()))});
  }
  std::stable_sort(found.parts.begin(), found.parts.end(),
                   [](const auto& a, const auto& b) { return std::fabs(a.ns) > std::fabs(b.ns); });
  std::vector<double> durations;
  for (const auto& peer : reasons.sampled().launches)
    if (peer.peers == launch.peers && peer.duration_ns > 0 && peer.row != row)
      durations.push_back(peer.duration_ns);
  if (!durations.empty()) add_histogram(std::move(durations), found);
  return found;
}

} // namespace jitterscope::analysis
