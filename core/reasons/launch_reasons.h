#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/causal/attribution/launch_fit.h"
#include "core/reasons/rows/launch_rows.h"

namespace jitterscope::analysis {

/// One launch as input of the model of durations.
struct FittedLaunch {
  std::int64_t row = 0;      ///< session row
  std::int64_t start_ns = 0; ///< session axis; in tables without times the index in launch order
  double duration_ns = 0;
  std::uint32_t peers =
      0; ///< number of the call site (call_sites.h); in tables without times, configuration of the session
};

/// Launches with the values of some features, launch by launch; the same on every rank.
struct FittedLaunches {
  std::vector<FittedLaunch> launches;
  std::vector<double> values;
  std::size_t features = 0;
  double share = 1; ///< fraction of the selected launches
  std::span<const double> of(std::size_t launch) const {
    return {values.data() + launch * features, features};
  }
};

/// Model of the durations of a session's launches, fitted to a sample of them. It gives the contribution of
/// each cause to the excess of any launch (core/causal/attribution/launch_fit.h). It depends only on the
/// session, not on a selection.
///
/// Peers of a launch are the other launches of its configuration and call site. The sample consists of short
/// runs of consecutive launches (stratified_sample); all launches if there are at most kSample. A first model
/// comes sooner: from a smaller sample, with fewer resamples.
class LaunchReasons {
public:
  static constexpr std::int64_t kSample = 262'144, kFirstSample = 12'288;
  static constexpr std::size_t kMinPeers = 10;

  /// Collective. Errors: BadUse for sessions without durations, Cancelled.
  static Expected<LaunchReasons> make(const Session& session, const LaunchColumns& columns,
                                      std::shared_ptr<const TypicalRows> typical, Communicator& communicator,
                                      const Job& job, bool first = false);

  const causal::LaunchFit& fit() const { return fit_; }
  const causal::FitRows& sample() const { return sample_; }
  const FittedLaunches& sampled() const { return sampled_; } ///< values of the terms' features
  /// Median duration of the launches of a call site without waiting for other devices [ns]; NaN below
  /// kMinPeers launches in the sample.
  double typical_ns(std::uint32_t peers) const { return sample_.typical_ns[peers]; }
  std::uint32_t configuration_of(std::uint32_t peers) const {
    return sites_ ? sites_->all()[peers].configuration : peers;
  }
  std::uint32_t kernel_of(std::uint32_t peers) const {
    return session_->configurations()[configuration_of(peers)].kernel;
  }
  const Session& session() const { return *session_; }
  const CallSites* call_sites() const { return sites_; } ///< null for tables without times
  /// Index of the bootstrap block that contains a time.
  std::uint32_t block_of(std::int64_t start_ns) const;
  /// Fraction of the session's launches that are in the sample.
  double sampled_share() const { return share_; }
  /// Launches with a duration, of the whole session.
  struct Total {
    std::int64_t launches = 0, duration_ns = 0;
  };
  /// By peers; empty if all launches are in the sample.
  const std::vector<Total>& totals() const { return totals_; }
  /// Number of the run of the sample that contains a session row.
  std::int64_t run_of(std::int64_t session_row) const { return session_row / run_; }

  /// Reads the selected launches, a sample of at most kSample of them, with the values of the terms'
  /// features, or of all features of the sample. Collective.
  Expected<FittedLaunches> read(const LaunchRows& rows, bool all_features, Communicator& communicator,
                                const Job& job) const;
  /// Reads the launches of a segment with the values of the terms' features. Thread-safe.
  FittedLaunches read(const Segment& segment) const;

private:
  Expected<void> add_totals(std::size_t groups, Communicator& communicator, const Job& job);

  const Session* session_ = nullptr;
  const CallSites* sites_ = nullptr;
  std::vector<Total> totals_;
  std::shared_ptr<const LaunchRows> all_; ///< launches of the session with the terms' features
  causal::FitRows sample_;
  FittedLaunches sampled_;
  causal::LaunchFit fit_;
  std::vector<std::int64_t> block_begins_; ///< start of the first launch in every block of the bootstrap
  double share_ = 1;
  std::int64_t run_ = 1; ///< launches per run of the sample
};

} // namespace jitterscope::analysis
