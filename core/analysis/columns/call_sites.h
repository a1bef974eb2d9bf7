#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/analysis/columns/collective_waits.h"
#include "core/analysis/columns/launch_context.h"
#include "core/analysis/session/learn_once.h"

namespace jitterscope::analysis {

/// A call site of one configuration: a place in the program from which the configuration is launched.
struct CallSite {
  std::uint32_t configuration = 0;
  double typical_ns = 0; ///< median duration of its launches; NaN if the configuration has only one call site
  /// Median of the call site − median of all launches of the configuration; 0 for the only or the unknown
  /// call site.
  double work_ns = 0;
  std::string text;         ///< "gemm: call site 2 of 5 (after reduce_kernel)"
  std::string surroundings; ///< "after `reduce_kernel`"; empty for the only or the unknown call site
  std::size_t sampled = 0;  ///< launches of the sample from which it was learned; 0 likewise
};

/// Call sites: launches of one configuration do different work when the program launches it from several
/// call sites.
///
/// A call site is identified by the surroundings of a launch: the path of ranges around its call, or the
/// launches before and after it on its stream (launch_context.h). A configuration has several call sites if
/// its surroundings predict its durations among launches close in time: R² of leave-one-out means of ranks
/// within runs of kStretch launches of one device is at least kMinPredicted, or launches with some
/// surroundings are nearly always the longest or the shortest of a run. So phases of the run are not call
/// sites, unless ranges mark them: ranges that occur several times and whose launches are nearly always
/// longer, or shorter, than those in other ranges. Surroundings whose medians differ by less than
/// kMinDifference are one call site. For kernels that communicate, durations exclude the wait for other
/// devices. All other configurations have one call site.
///
/// Learned from at most kSample launches; the same on every rank and independent of earlier queries.
/// Thread-safe. Without prepare() before, the first use learns the sites and cannot be cancelled.
class CallSites {
public:
  static constexpr std::int64_t kSample = 262'144;
  static constexpr std::size_t kStretch = 32, kMinPerPlace = 4, kMaxPlaces = 16;
  static constexpr double kMinPredicted = 0.2, kMinDifference = 1.05;

  static bool possible(const Session& session) { return !session.launch_order() && session.has_durations(); }
  /// `waits`: waiting times of kernels that communicate, may be null.
  CallSites(const Session& session, std::shared_ptr<const CollectiveWaits> waits)
      : session_(&session), waits_(std::move(waits)) {}

  /// Learns the call sites and the waits; returns an error when cancelled.
  Expected<void> prepare(const Job& job) const;
  /// All call sites: entry c is the only or the unknown call site of configuration c. The call sites of
  /// configurations with several follow, shortest first.
  const std::vector<CallSite>& all() const { return learned().sites; }
  /// Whether a configuration has several call sites.
  bool several(std::uint32_t configuration) const {
    return configuration < learned().place_maps.size() && learned().place_maps[configuration];
  }
  bool any_several() const { return learned().sites.size() > learned().place_maps.size(); }

  /// Index in all() of the call site of each row of a segment; c for configuration c if its surroundings are
  /// unknown.
  std::vector<std::uint32_t> read(const Segment& segment) const;

  /// Maps surroundings to the call sites of one configuration.
  struct PlaceMap {
    std::vector<std::size_t> keys; ///< keys of LaunchContext that identify the call sites, best first
    std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> place; ///< per key: index in all()
  };

private:
  struct Learned {
    std::unique_ptr<LaunchContext> context;
    std::vector<CallSite> sites;
    std::vector<std::optional<PlaceMap>>
        place_maps; ///< by session configuration; empty if it has one call site
  };
  const Learned& learned() const {
    return learned_.get([this](const Job& job) { return learn(job); });
  }
  Expected<Learned> learn(const Job& job) const;

  const Session* session_;
  std::shared_ptr<const CollectiveWaits> waits_;
  mutable LearnOnce<Learned> learned_;
};

/// Name of the column with the call site of a launch (CallSites).
inline constexpr std::string_view kCallSite = "call_site";

} // namespace jitterscope::analysis
