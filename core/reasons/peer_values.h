#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/reasons/launch_reasons.h"

namespace jitterscope::analysis {

/// Values of the terms' features in launches that may be peers, by call site. Gives typical values of the
/// peers of any selection: the launches of the selection are excluded.
class PeerValues {
public:
  PeerValues() = default;
  /// `compared`: by launch of the sample, whether it may be a peer. After a cancelled job, this object is
  /// invalid.
  PeerValues(const LaunchReasons& reasons, std::span<const std::uint8_t> compared, const Job& job);

  /// Mean over the selected launches of what is typical of their peers; call sites without known values are
  /// left out. Events: fraction of peers with a value other than 0; numeric factors: upper median;
  /// categories: most frequent code. NaN without any known value. `excluded`: launches of the sample that are
  /// in the selection and may be peers of others; `selected`: launches of the selection, by call site.
  double typical(std::size_t term, causal::FeatureRole role, std::span<const std::size_t> excluded,
                 std::span<const double> selected) const;

  /// The same for the mean of a numeric factor.
  double mean(std::size_t term, std::span<const std::size_t> excluded,
              std::span<const double> selected) const;

private:
  /// Mean over the selected launches of `value_of` their peers' values: all values of a call site and those
  /// of them to exclude, both ascending.
  template <class ValueOf>
  double over_sites(std::size_t term, std::span<const std::size_t> excluded, std::span<const double> selected,
                    const ValueOf& value_of) const;
  double most_frequent(std::size_t term, std::span<const std::size_t> excluded,
                       std::span<const double> selected) const;
  std::span<const double> of_site(std::size_t term, std::size_t site) const;

  const LaunchReasons* reasons_ = nullptr;
  std::vector<std::vector<double>> values_;      ///< values of each term, ascending within each call site
  std::vector<std::vector<std::size_t>> begins_; ///< by term and call site: first index; one more at the end
};

} // namespace jitterscope::analysis
