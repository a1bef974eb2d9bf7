#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reasons/launch_reasons.h"
#include "core/reasons/peer_values.h"

namespace jitterscope::analysis {

/// The part of an excess that one cause explains.
struct Reason {
  std::string feature; ///< column of the cause
  std::string label;   ///< name of the cause in words
  std::string unit;
  causal::FeatureRole role = causal::FeatureRole::numeric;
  double excess_ns = 0, low_ns = 0, high_ns = 0; ///< part of the excess, 95 % interval
  /// Numeric: mean value, weighted by the effect on each launch in the direction of excess_ns; events: % of
  /// launches; categories: code of the one with the largest effect. An effect is a part of a launch minus the
  /// mean part of its peers.
  double here = 0;
  /// Numeric: median of the peers, or their mean if their values rather than those of the selection make the
  /// difference; events: % of the peers; both as means over the selected launches. Categories: the most
  /// frequent one of the peers. NaN if it is not recorded for any peer.
  double elsewhere = 0;
  /// Selected launches that the cause changes by at least 2 % in the direction of its part of the excess.
  std::int64_t launches = 0;
  std::int64_t example = -1;             ///< session row of the launch with the largest such effect
  std::string here_text, elsewhere_text; ///< values in words, with unit
  /// Whether an event occurs on none of the selected launches, so that its part is due to its absence.
  bool absent() const { return role == causal::FeatureRole::event && here == 0; }
  /// Whether the cause acts in the selection and lengthens its launches, so that advice on it applies to
  /// them.
  bool lengthens() const { return excess_ns > 0 && !absent(); }
  /// Whether an event occurs on fewer of the selected launches than of their peers.
  bool rarer() const { return role == causal::FeatureRole::event && here < elsewhere; }
};

/// A column whose values differ from the peers' values and that is not one of the causes.
struct Difference {
  enum class Kind : std::uint8_t {
    may_explain, ///< also associated with longer launches elsewhere, in the direction of the rest; the causal
                 ///< direction is not identified
    differs,     ///< the association with durations elsewhere does not explain the rest
    only_here ///< the difference is clearly larger than in any other moment, and a part of the excess remains
  };
  std::string feature, label, unit;
  Kind kind = Kind::differs;
  /// Mean of the selected launches; mean over them of the means of their peers. Columns of 0 and 1: % of
  /// launches.
  double here = 0, elsewhere = 0;
  /// Fraction of other moments with the same number of launches that differ as much. Beyond all of them: an
  /// exponential tail through the largest difference.
  double chance = 1;
  std::string here_text, elsewhere_text;
  /// Ratio of the difference to the largest one of other moments; infinite if no other moment differs.
  double beyond = 0;
};

/// Launches that differ from their configuration because they do different work: the same kernel launched
/// from several call sites.
struct DifferentWork {
  /// Σ over the selected launches: mean work of the call site elsewhere minus that of the configuration.
  double ns = 0;
  double error_ns = 0;    ///< standard error of `ns`
  double expected_ns = 0; ///< Σ over these launches: mean work of the configuration elsewhere
  /// Σ over these launches: duration minus mean duration of the configuration elsewhere, both with time that
  /// is not work.
  double difference_ns = 0;
  std::string kernel; ///< short name of the kernel of the configuration with the largest part
  /// For this configuration: mean of the selected launches' call sites; mean of all call sites.
  double here_ns = 0, elsewhere_ns = 0;
  std::vector<double> typical_ns; ///< by call site of the configuration with the largest part, shortest first
};

/// Why launches took longer (or shorter) than their peers.
struct Contrast {
  /// Compared launches; other launches: without enough peers, or without a recorded duration.
  std::int64_t launches = 0, left_out = 0, without_duration = 0;
  /// Which launches outside the selection can be peers: all, those of a sample, those that pass a filter.
  enum class From : std::uint8_t { all, sample, filter };
  From from = From::all;
  std::int64_t selected =
      0; ///< selected launches, if the compared ones and those left out are a sample of them
  double left_out_ns = 0,
         left_out_waiting_ns = 0; ///< of launches without enough peers: duration; part of it that is not work
  std::int64_t peers = 0;         ///< launches of the sample that serve as peers
  double excess_ns = 0, excess_low_ns = 0, excess_high_ns = 0;
  double expected_ns = 0;      ///< time of the launches at the mean duration of their peers
  double rest_ns = 0;          ///< part of the excess that no reason accounts for
  DifferentWork work;          ///< different work, which is not part of the excess
  std::vector<Reason> reasons; ///< largest part in the direction of the excess first
  std::vector<Difference> differences;
  /// Whether the interval of the excess excludes 0, so that percentages of it are meaningful.
  bool clear() const { return excess_low_ns > 0 || excess_high_ns < 0; }
  double percent(double ns) const { return excess_ns != 0 ? 100 * ns / excess_ns : 0; }
  /// The leading reason: the first that accounts for at least a tenth and whose interval excludes 0; null if
  /// there is none.
  const Reason* leading() const;
  /// The largest difference that occurs only here; null if there is none.
  const Difference* only_here() const { return first_of(Difference::Kind::only_here); }
  /// The largest difference that may explain the excess, its direction not identified; null if there is none.
  const Difference* may_explain() const { return first_of(Difference::Kind::may_explain); }
  const Difference* first_of(Difference::Kind kind) const;
  /// Whether different work is at least a tenth of the expected time, and the difference from the
  /// configurations' means deviates from it by less than half of it.
  bool of_work() const;
};

/// Compares any number of selections with their peers by one model. Peers are launches of the sample that
/// have the same configuration and call site, are outside the selection and are accepted by `against`, if
/// given.
class Contrasts {
public:
  /// After a cancelled job, this object is invalid. `against` is called only here.
  Contrasts(const LaunchReasons& reasons, const Job& job,
            const std::function<bool(std::int64_t session_row)>& against = {});

  /// `launches`: with values of the terms' features. `inside`: whether a session row is selected. After a
  /// cancelled job, the result is invalid.
  Contrast of(const FittedLaunches& launches, std::span<const std::size_t> chosen,
              const std::function<bool(std::int64_t)>& inside, const Job& job) const;
  /// By launch of the sample: whether it can be a peer (accepted by `against`).
  const std::vector<std::uint8_t>& peers() const { return peer_; }

private:
  struct Sums {
    double n = 0, duration = 0;
    double work = 0; ///< durations without parts that are not work (waiting for other devices)
    std::vector<double> parts;
  };
  DifferentWork different_work(const std::vector<Sums>& peers, const std::vector<Sums>& selected) const;
  void add(Sums& sums, std::size_t sampled, double sign) const;
  void fit_slopes();
  /// Means over the peers, those outside the selection. Where the peers are a sample, but the durations of
  /// all are known, the means of the parts follow these by regression (Cochran 1977, "Sampling
  /// Techniques", 7.1).
  struct Means {
    double n = 0; ///< launches whose mean duration is known
    double duration = 0;
    std::vector<double> parts;
  };
  /// `peers`, `selected`: sums over the sampled peers outside the selection, and over the `share` of the
  /// selected launches that was read.
  std::vector<Means> means_of(const std::vector<Sums>& peers, const std::vector<Sums>& selected,
                              double share) const;
  /// Variances, ns², of Σ over the selected launches: mean part of their peers, because only a sample of the
  /// peers is known; one per term, then that of all terms together. `outside`: by launch of the sample, 1 if
  /// it is a peer outside the selection. `selected`: launches by peers.
  std::vector<double> sampling_variances(const std::vector<Sums>& peers, std::span<const double> selected,
                                         std::span<const std::uint8_t> outside) const;
  Reason describe(std::size_t term, const FittedLaunches& launches, std::span<const std::size_t> chosen,
                  const std::vector<double>& part, const std::vector<Means>& means,
                  std::span<const std::uint8_t> compared, std::span<const std::size_t> excluded,
                  std::span<const double> selected) const;

  const LaunchReasons& reasons_;
  std::vector<double> part_;       ///< ns that a term accounts for: launch of the sample × term
  std::vector<std::uint8_t> peer_; ///< by launch of the sample: 1 if it may be a peer
  PeerValues peer_values_;
  std::vector<Sums> by_peers_;
  std::vector<double> slope_; ///< of a part on the duration, peer group × term; 0 without regression
  Contrast::From from_ = Contrast::From::all;
  bool totals_known_ = false; ///< whether the durations of all peers are known, those of a sample only if not
  std::vector<std::vector<double>> shift_; ///< by replicate: mean change of the parts, peer group × term
};

/// "`gemm` at two call sites, typically 90 µs and 209 µs".
std::string work_in_words(const DifferentWork& work);

/// "GPC clock", "the absence of unified-memory migration during the launch".
std::string label_of(const Reason& reason);

/// "too few launches to compare with; 97 % of the time is waiting for other devices in a collective":
/// states why there is no leading reason.
std::string note_of(const Contrast& contrast);

/// The answer in sentences: size first, then causes, then the rest.
std::vector<std::string> sentences_of(const Contrast& contrast);
/// The sentence that states the launches meant by "elsewhere": those that pass the filter `against`.
std::string meaning_of_elsewhere(const std::string& against);
/// Text between "took" and "the same launches" for an excess in percent: "52 % longer than", "175 times as
/// long as".
std::string excess_words(double percent);
/// Short label for a list, the cause first: "GPC clock 0.71 GHz, elsewhere 1.41 GHz", "migration during
/// launch: 12 launches"; empty without a leading reason.
std::string short_reason(const Contrast& contrast);

} // namespace jitterscope::analysis
