#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/error.h"
#include "core/base/job.h"
#include "core/causal/attribution/fit_rows.h"

namespace jitterscope::causal {

constexpr double kMinFactor = 0.02; ///< minimum factor of one cause on the duration of a launch

/// One cause in a model of durations: the change that each class of a feature's values makes.
struct FitTerm {
  enum class Scale : std::uint8_t {
    factor,   ///< levels are relative changes of the duration that other factors leave (a clock)
    relative, ///< levels are relative changes of the duration: they add up
    added,    ///< levels are ns, independent of the duration (a stall)
    part      ///< the value is a component of the duration, ns (waiting for other devices); no levels
  };

  FeatureInfo feature;
  ValueClasses classes;
  Scale scale = Scale::factor;
  std::vector<double> centre; ///< by class: mean of the feature's values
  /// By class, at response 1. Level 0 is that of class 0 if nothing happened in it, otherwise the mean over
  /// the peers' references.
  std::vector<double> level;
  std::vector<double>
      spread; ///< by class: variance beyond that of launches at the reference, in the level's unit squared
  std::vector<double> response;  ///< by kernel: response relative to the kernel that responds most
  std::vector<double> reference; ///< by peers: reference value that launches are compared with

  /// Classes between which a value's level is interpolated: (1 − part) of `left` and part of `right`. Beyond
  /// the outermost centres, `part` is below 0 or above 1 (extrapolation over about the outermost class). Both
  /// are the value's own class for categories, for events that did not happen and for missing values.
  struct Place {
    std::size_t left = 0, right = 0;
    double part = 0;
  };
  Place place_of(double value) const;
  /// Change from the reference of these peers to a value, for `levels` and `response` of one kernel. A level
  /// is that of the value's class; for numeric factors piecewise linear through the centres of classes. 0 if
  /// one of the two is missing, because nothing can be compared.
  double change_at(double value, std::uint32_t peers, Scale form, double of_kernel,
                   std::span<const double> levels) const;
};

/// 1 plus the change at the reference: levels are relative to level 0, changes are relative to the reference,
/// (1 + response · level) / (1 + response · reference) − 1. 1 for added ns, which are only subtracted.
double reference_factor(FitTerm::Scale scale, double response, double reference);

/// Scales, levels and responses of all terms, fitted to one resample of blocks.
struct FitReplicate {
  std::vector<FitTerm::Scale> scale;         ///< scale of each term
  std::vector<std::vector<double>> level;    ///< level by term and class
  std::vector<double> base_ns;               ///< by peers: mean duration at the reference
  std::vector<std::vector<double>> response; ///< response by term and kernel
  std::vector<std::uint8_t> drawn;           ///< by block: whether it is in the resample
};

/// Variance that a relative change of a launch's duration adds to its noise, which changes in proportion:
/// noise · ((1 + change)² − 1), clamped to [0, spread]. `spread`: variance of the term beyond that of
/// launches at the reference. All in the same unit.
double scaled_noise(double change, double noise, double spread);

/// How the rest of a launch (duration − prediction) divides: rest = √((noise + scaled) / noise) · own +
/// other. The first summand is the launch's own deviation, which factors multiply; the second is the
/// deviation of the causes' effects. Given the rest, the best linear prediction of the own deviation is `own`
/// · rest. All variances in the same unit squared.
struct RestOfLaunch {
  RestOfLaunch(double noise, double scaled, double other);
  double variance = 0; ///< variance of the rest
  double own = 1;      ///< fraction of the rest that no cause accounts for
  double missed = 0;   ///< variance of the prediction
};

/// Model of launch durations by their causes:
///   d = base(peers) · (Π (1 + response · factor) + Σ response · relative) + Σ response · added + Σ part +
///   rest.
///
/// A cause accounts for two parts of a launch's excess. The first is the Aumann–Shapley value of this
/// function along the path from the reference to the launch's values; in a product, shares are in proportion
/// to logarithms (Ang, Liu 2001; Sun, Trueman 1998). The second is the part of the launch's own rest that is
/// expected from the cause, because a cause may affect a launch more or less than the mean of its class. The
/// rest is apportioned by variance (best linear prediction; Henderson 1975; see RestOfLaunch).
///
/// Noise is a mixture of typical launches and outliers, so that a few outliers at the reference do not make
/// the rest of all others uncertain. The prediction is the mean over these two components, weighted by their
/// likelihood given the rest.
class LaunchFit {
public:
  std::vector<FitTerm> terms;
  std::vector<double> base_ns;       ///< by peers: mean duration at the reference; NaN if there is none
  std::vector<double> noise;         ///< by peers: variance of the rest at the reference, in units of base²
  std::vector<double> typical_noise; ///< by peers: same as `noise`, but without outliers
  double outliers = 0; ///< fraction of launches at the reference whose rest is far beyond the typical noise
  /// By term: deviation of a moment's rest beyond chance, as a fraction of the term's part of the moment.
  /// Launches of a moment deviate together from a model whose form is not exact.
  std::vector<double> misfit_of_moments;
  std::vector<FitReplicate> replicates;
  std::size_t fitted_rows = 0;

  bool has(std::uint32_t peers) const { return peers < base_ns.size() && base_ns[peers] > 0; }
  /// Time that each term accounts for in a launch with these values of the terms' features, ns. `out` has one
  /// element per term. Returns the standard deviation of the prediction from the rest, ns. Precondition:
  /// has(peers).
  double parts(std::span<const double> values, std::uint32_t peers, std::uint32_t kernel, double duration_ns,
               std::span<double> out, const FitReplicate* replicate = nullptr) const;

private:
  double modelled_parts(std::span<const double> values, std::uint32_t peers, std::uint32_t kernel,
                        double duration_ns, std::span<double> out, const FitReplicate* replicate) const;
};

/// The quantity that a feature measures, independent of its unit: features of one cause share it (migrations,
/// their bytes, page faults).
std::string cause_of(const FeatureInfo& feature);

struct FitOptions {
  std::size_t max_terms = 8;
  int replicates = 40;
  std::uint64_t seed = 20261124;
  std::vector<std::string> stated;   ///< columns that are known to act, independent of their tier
  std::vector<std::string> excluded; ///< columns that are known to be consequences
};

/// Finds the features on which durations of launches with equal work depend and fits their model.
///
/// Candidates are fixed or known before the launch ends: places (device, rank, stream, run) and the context
/// of launches (clocks, migrations, copies, first launches). Consequences of earlier work are excluded (the
/// position in a burst: a queue that slow launches fill), as are activity counters, whose direction is not
/// known.
///
/// A feature must predict ln(duration) in blocks of time to which it was not fitted (each block is left out
/// together with its neighbours):
/// - A feature that mostly varies within blocks is compared with launches of the same block: coincidence with
///   a slow phase explains nothing there. It must also predict how launches differ from those next to them
///   (near_launches.h): launches of a step may be long together for an unrecorded reason.
/// - A feature that mostly varies between blocks must change between low and high values at least three
///   times. It must also predict better than 98 % of its own shifts in time, or step together with durations
///   at five moments or more.
/// - An event that is too rare to be in many blocks must be on at least five launches, in at least three
///   separate groups.
///
/// The best feature is added; the others are then judged on the rest. Features into which durations divide
/// (FeatureInfo::factor) come before all others and need only predict. Collective.
Expected<LaunchFit> fit_launches(const FitRows& rows, const FitOptions& options, Communicator& communicator,
                                 const Job& job = {});

} // namespace jitterscope::causal
