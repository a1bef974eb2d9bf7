#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/attribution/fit_rows.h"

namespace jitterscope::causal {

/// One cause in a model of durations: what each class of a feature's values changes.
struct FitTerm {
  enum class Scale : std::uint8_t {
    factor, ///< levels are relative changes of the duration (a clock)
    added,  ///< levels are ns, whatever the duration (a stall)
    part    ///< the value is a part of the duration, ns (waiting for other devices); no levels
  };

  FeatureInfo feature;
  ValueClasses classes;
  Scale scale = Scale::factor;
  std::vector<double> centre; ///< by class: mean of the feature's values
  std::vector<double> level;  ///< by class; class 0 has level 0 where it means that nothing happened
  std::vector<double>
      spread; ///< by class: variance beyond that of launches at the reference, in the level's unit squared
  std::vector<double> response;  ///< by kernel: how strongly it responds, 1 for most
  std::vector<double> reference; ///< by peers: the value that launches are compared with

  /// Classes whose levels a value's level is interpolated from: (1 − part) of `left` and part of `right`;
  /// both its own class at a centre, beyond the outermost centres, of categories and where the value is
  /// missing.
  struct Place {
    std::size_t left = 0, right = 0;
    double part = 0;
  };
  Place place_of(double value) const;
  /// Level at a value: that of its class; of amounts linear between the centres of classes. 0 where missing.
  double level_at(double value, std::span<const double> levels) const;
};

/// Levels and responses of all terms as one resample of blocks gives them.
struct FitReplicate {
  std::vector<std::vector<double>> level;    ///< by term, by class
  std::vector<double> base_ns;               ///< by peers
  std::vector<std::vector<double>> response; ///< by term, by kernel
  std::vector<std::uint8_t> drawn;           ///< by block: whether the resample has it
};

/// Durations of launches as their causes make them:
///   d = base(peers) · Π (1 + response · change) + Σ response · added + Σ part + rest.
///
/// The part of a launch's excess that a cause accounts for is the Aumann–Shapley value of this function along
/// the path from the reference to the launch's values (of a product, shares in proportion to logarithms: Ang,
/// Liu 2001; Sun, Trueman 1998). To it comes what is expected of the cause in the launch's own rest: launches
/// that a cause acts on may be hit harder or less than the mean of their class, and the rest is divided by
/// variances (best linear prediction; Henderson 1975). Noise is a mixture of usual launches and outliers, so
/// that what happens to few launches at the reference does not make the rest of all others doubtful: the
/// prediction is the mean over both, by their likelihood of the rest.
class LaunchFit {
public:
  std::vector<FitTerm> terms;
  std::vector<double> base_ns;     ///< by peers: mean duration at the reference; NaN without
  std::vector<double> noise;       ///< by peers: variance of the rest at the reference, in base²
  std::vector<double> usual_noise; ///< by peers: the same without outliers
  double outliers = 0; ///< part of the launches at the reference whose rest is far beyond the usual noise
  std::vector<FitReplicate> replicates;
  std::size_t fitted_rows = 0;

  bool has(std::uint32_t peers) const { return peers < base_ns.size() && base_ns[peers] > 0; }
  /// ns that each term accounts for in a launch with these values of the terms' features. `out` has one place
  /// a term. Returns the standard deviation of what the prediction from the rest misses, ns. Needs
  /// has(peers).
  double parts(std::span<const double> values, std::uint32_t peers, std::uint32_t kernel, double duration_ns,
               std::span<double> out, const FitReplicate* replicate = nullptr) const;
};

/// What a feature measures, whatever its unit: features of one cause share it (migrations, their bytes, page
/// faults).
std::string cause_of(const FeatureInfo& feature);

struct FitOptions {
  std::size_t most_terms = 8;
  int replicates = 40;
  std::uint64_t seed = 20261124;
  std::vector<std::string> stated; ///< columns that are known to act, whatever their tier
};

/// Finds the features that durations of equal launches depend on and fits their model.
///
/// Candidates are what is fixed or known before the launch ends: places (device, rank, stream, run) and the
/// context that launches meet (clocks, migrations, copies, first launches), not what only follows from
/// earlier work (the position in a burst: a queue that slow launches fill), and not activity counters, whose
/// direction is not known. A feature enters when it predicts ln(duration) in blocks of time that it was not
/// fitted on (each left out together with its neighbours):
/// - a feature that mostly varies within blocks is judged against launches of the same block: what only
///   happens to fall into a slow phase explains nothing there;
/// - one that mostly varies between blocks must come and go at least twice, and either predict better than 98
///   % of its own shifts in time or step together with durations at five moments or more;
/// - an event that is too rare to be found in many blocks must have happened five times, apart from each
///   other.
///
/// The best feature enters, the others are judged on what it leaves.
Expected<LaunchFit> fit_launches(const FitRows& rows, const FitOptions& options, const Job& job = {});

} // namespace jitterscope::causal
