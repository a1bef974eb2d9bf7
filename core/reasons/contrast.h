#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/reasons/launch_reasons.h"

namespace jitterscope::analysis {

/// The part of an excess that one cause accounts for.
struct Reason {
  std::string feature; ///< column of launches
  std::string label;   ///< in words
  std::string unit;
  causal::FeatureRole role = causal::FeatureRole::numeric;
  double excess_ns = 0, low_ns = 0, high_ns = 0; ///< 95 % interval
  double here = 0; ///< amounts: mean value, by launches as far as they are affected; events: launches with
                   ///< it, of 100; categories: code
  double elsewhere = 0;      ///< among peers: typical value; launches with it, of 100; the typical category
  std::int64_t launches = 0; ///< of the selection that it lengthens or shortens by 2 % at least
  std::int64_t example = -1; ///< session row of the launch that shows it best
  std::string here_text, elsewhere_text; ///< with unit
};

/// A column whose values differ from those of peers, beyond the causes.
struct Difference {
  enum class Kind : std::uint8_t {
    may_explain, ///< goes with longer launches elsewhere, too, in the direction of the rest; its direction is
                 ///< not identified
    differs,     ///< its relation to durations elsewhere does not explain the rest
    only_here    ///< is never like this elsewhere
  };
  std::string feature, label, unit;
  Kind kind = Kind::differs;
  double here = 0, elsewhere = 0; ///< means, within configurations
  double chance = 1; ///< share of other moments of the same number of launches that differ as much
  std::string here_text, elsewhere_text;
  double beyond = 0; ///< times the largest difference of these moments; infinite where none differs
};

/// Launches that differ from their configuration because they do different work: the same kernel, called at
/// several places.
struct DifferentWork {
  double ns =
      0; ///< over all launches: mean of their places elsewhere minus mean of their configurations elsewhere
  double error_ns = 0;      ///< standard error of that
  double expected_ns = 0;   ///< over the same launches: mean of their configurations elsewhere
  double difference_ns = 0; ///< over the same launches: what they took minus that, with all that is no work
  std::string kernel;       ///< short name of the one with the largest part
  double here_ns = 0,
         elsewhere_ns = 0;        ///< of it: mean of the selected launches' places; of the configuration
  std::vector<double> typical_ns; ///< of its places, shortest first
};

/// Why launches took longer (or shorter) than their peers (spec: contrast).
struct Contrast {
  std::int64_t launches = 0, left_out = 0; ///< compared; without enough peers
  double left_out_ns = 0,
         left_out_waiting_ns = 0; ///< duration of those without enough peers; of it, parts that are no work
  std::int64_t peers = 0;         ///< launches of the sample that they are compared with
  double excess_ns = 0, excess_low_ns = 0, excess_high_ns = 0;
  double expected_ns = 0;      ///< what the launches would have taken as their peers do on average
  double rest_ns = 0;          ///< of the excess, no reason accounts for
  DifferentWork work;          ///< not in the excess
  std::vector<Reason> reasons; ///< largest part in the direction of the excess first
  std::vector<Difference> differences;
  /// Percents of the excess mean something.
  bool clear() const { return excess_low_ns > 0 || excess_high_ns < 0; }
  double percent(double ns) const { return excess_ns != 0 ? 100 * ns / excess_ns : 0; }
  /// The reason to name: the first, where it accounts for at least a tenth and its interval excludes 0; else
  /// null.
  const Reason* leading() const;
  /// What differs only here, most of all; null without.
  const Difference* only_here() const;
  /// Different work makes the difference from the configurations' means, but for a half of it at most, and a
  /// tenth of these means at least.
  bool of_work() const;
};

/// Compares any number of selections with their peers by one model. Peers are launches of the sample of the
/// same configuration and call site, outside the selection and, where given, only those that `against`
/// accepts.
class Contrasts {
public:
  /// What a cancelled job leaves, here and in the answers below, is not to be used: ask the job after each.
  Contrasts(const LaunchReasons& reasons, const Job& job,
            std::function<bool(std::int64_t session_row)> against = {});

  /// `values` of `launches` are those of the terms' features. `inside`: whether a session row is selected.
  Contrast of(const FittedLaunches& launches, std::span<const std::size_t> chosen,
              const std::function<bool(std::int64_t)>& inside) const;
  /// By launch of the sample: whether it is a peer of some selection.
  const std::vector<std::uint8_t>& peers() const { return peer_; }

private:
  struct Sums {
    double n = 0, duration = 0;
    double work = 0; ///< durations without parts that are no work (waiting for other devices)
    std::vector<double> parts;
  };
  DifferentWork different_work(const std::vector<Sums>& peers, const std::vector<Sums>& selected) const;
  void add(Sums& sums, std::size_t sampled, double sign) const;
  Reason describe(std::size_t term, const FittedLaunches& launches, std::span<const std::size_t> chosen,
                  const std::vector<double>& part) const;

  const LaunchReasons& reasons_;
  std::function<bool()> cancelled_;
  std::function<bool(std::int64_t)> against_;
  std::vector<double> part_;       ///< of every launch of the sample, by term
  std::vector<std::uint8_t> peer_; ///< of the sample: may be one
  std::vector<Sums> by_peers_;
  std::vector<std::vector<double>> shift_; ///< by replicate: mean change of parts, configuration × term
};

/// "gemm at two places, 90 µs and 209 µs".
std::string work_in_words(const DifferentWork& work);

/// "too few peers; 97 % of the time is waiting for other devices in a collective"; why there is no leading
/// reason.
std::string note_of(const Contrast& contrast);

/// The answer in words: size first, then causes, then the rest.
std::vector<std::string> sentences_of(const Contrast& contrast);
/// What follows "took" and comes before "the same launches", of an excess in percent: "52 % longer than",
/// "175 times as long as".
std::string excess_words(double percent);
/// A few words for a list: "GPC clock 0.71 GHz, elsewhere 1.41 GHz"; empty without a leading reason.
std::string short_reason(const Contrast& contrast);

} // namespace jitterscope::analysis
