#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/stop.h"
#include "core/causal/attribution/clipped_mean.h"
#include "core/causal/attribution/launch_fit.h"

namespace jitterscope::causal {

/// The sample to which a model is fitted, with the per-row data of its terms.
class TermFit {
public:
  using ClassOfRows = std::vector<std::vector<std::uint8_t>>; ///< ValueClasses::of, by feature and row

  /// Once `halt` requests a stop, anything fitted since then is unusable.
  TermFit(const FitRows& rows, std::vector<ValueClasses> classes, ClassOfRows class_of,
          Communicator& communicator, Halt& halt);

  const FitRows& rows() const { return rows_; }
  const std::vector<ValueClasses>& classes() const { return classes_; }
  std::uint8_t class_of(std::size_t feature, std::size_t row) const { return (*class_)[feature][row]; }
  bool used(std::size_t row) const { return used_[row] != 0; }

  /// Adds a feature to the terms and refits all of them. Chooses the scale with the smallest loss().
  /// Collective.
  Expected<void> add(std::size_t feature);
  void remove(std::size_t term);
  const std::vector<std::size_t>& features() const { return feature_of_term_; }
  /// ln(duration / prediction) of every used row, 0 for other rows; `without`: a term that is left out of the
  /// prediction.
  std::vector<double> logarithms(std::size_t without = kNoTerm) const;
  static constexpr std::size_t kNoTerm = static_cast<std::size_t>(-1);
  /// Σ logarithms()².
  double loss() const;

  /// Computes variances and replicates of resampled blocks, and returns the complete fit. Collective: ranks,
  /// which have the same rows, compute different replicates.
  Expected<LaunchFit> finish(const FitOptions& options);

private:
  /// Changes of a row by all terms.
  struct Effects {
    double factor = 1;   ///< product of the factors
    double relative = 0; ///< sum of the relative changes
    double added = 0;    ///< sum of the added parts, ns
  };
  struct State {
    std::vector<FitTerm::Scale> scale;         ///< scale of each term
    std::vector<std::vector<double>> level;    ///< level by term and class
    std::vector<double> base;                  ///< by peers: mean duration at the reference, ns
    std::vector<std::vector<double>> response; ///< response by term and kernel
    /// By term: effective number of responses that were fitted to single kernels, because they differ.
    std::vector<double> freedom;
    /// By term, by row: change by the term's level and response; and by row: all changes (update_changes).
    std::vector<std::vector<double>> change;
    std::vector<Effects> effects;
    /// Limits to which rests are Winsorised, by term and class, and by peers; resamples use the same limits.
    std::vector<std::vector<Limits>> level_limits;
    std::vector<Limits> base_limits;
  };
  std::vector<double> logarithms(const State& state, std::size_t without) const;
  static double loss(const std::vector<double>& logarithms);
  /// A state without `change` and `effects`, as numbers that ranks exchange, and the state of such numbers.
  std::vector<double> values_of(const State& state) const;
  State state_of(std::span<const double> values) const;
  State with_changes(State state) const;
  /// FitTerm::Place of a value, computed once for all rounds.
  struct Place {
    float part = 0;
    std::uint8_t left = 0, right = 0;
    /// NaN if the value is missing or a rare category.
    double level(const std::vector<double>& levels) const {
      return right < levels.size() ? levels[left] + part * (levels[right] - levels[left])
                                   : std::numeric_limits<double>::quiet_NaN();
    }
  };
  static Place place_of(const FitTerm& term, double value);
  /// Recomputes `change` of a term, and `effects`; needed after a change of the term's levels, responses or
  /// reference.
  void update_changes(std::size_t term, State& state) const;
  static void apply(FitTerm::Scale scale, double before, double change, Effects& effects);
  /// Level of a term at the reference, by peers.
  std::vector<double> levels_at_reference(std::size_t term, const State& state) const;
  /// The level that counts as 0: of what did not happen, or the mean over the peers' references.
  double origin_of_levels(std::size_t term, const State& state) const;
  /// FitTerm::change_at of a row at response 1, for these levels at the reference: divided by
  /// reference_factor() of the current response.
  double change_of(std::size_t term, std::size_t row, const State& state,
                   const std::vector<double>& reference) const {
    const double compared_with = reference[rows_.peers[row]],
                 change = place_[term][row].level(state.level[term]) - compared_with;
    return std::isnan(change)
               ? 0.0
               : change / reference_factor(state.scale[term], state.response[term][rows_.kernel[row]],
                                           compared_with);
  }
  struct Prediction {
    double duration = 0;   ///< predicted duration, ns
    double multiplied = 0; ///< part of it that factors multiply, ns
  };
  Prediction prediction(std::size_t row, const State& state, std::size_t without = kNoTerm) const;
  /// Rows by group (0 … count − 1), in random order; used rows only.
  using RowsByGroup = std::vector<std::vector<std::uint32_t>>;
  template <class GroupOf>
  RowsByGroup random_rows(std::size_t count, const GroupOf& group_of) const;
  /// Duration by which a term's change is multiplied, ns. `others`: prediction without the term.
  double unit_of(std::size_t term, std::size_t row, const State& state, const Prediction& others) const;
  void fit(State& state, int rounds, const std::vector<double>& block_weight) const;
  void fit_level(std::size_t term, State& state, const std::vector<double>& block_weight) const;
  void fit_base(State& state, const std::vector<double>& block_weight) const;
  void fit_responses(std::size_t term, State& state, const std::vector<double>& block_weight) const;
  void fit_with_responses(State& state, const std::vector<double>& block_weight) const;
  void choose_reference(std::size_t term);
  void find_reference(std::size_t term);
  Expected<FitTerm::Scale> better_scale() const;
  /// Factor on the loss of a state for the freedom of its responses: kernels with responses of their own fit
  /// several scales (each has one configuration, or one launch).
  double price_of_responses(const State& state) const;
  void fit_all();
  void settle(State& state, int first_round, int last_round) const;
  std::vector<std::vector<FitTerm::Scale>> scales_of_forms() const;
  struct Form {
    State state;
    std::vector<double> loss_of_block;
    double loss() const;
  };
  std::vector<double> values_of(const Form& form) const;
  Form form_of(std::span<const double> values) const;
  static void drop_hopeless(std::vector<Form>& forms, double hopeless);
  Expected<std::vector<Form>> forms() const;
  Expected<std::vector<FitReplicate>> resampled(const std::vector<Form>& forms,
                                                const std::vector<double>& misfits,
                                                const FitOptions& options) const;
  /// −ln of a likelihood of y² / noise, without constants.
  using LossOfRest = double (*)(double square);
  std::vector<double> loss_of_blocks(const State& state, LossOfRest loss) const;
  /// Of the current state: terms, levels, bases and variances, without replicates.
  LaunchFit fit_with_variances() const;
  std::vector<double> noise_of_rows(const LaunchFit& fit) const;
  void fit_variances(LaunchFit& fit) const;
  double misfit(std::size_t term, const std::vector<double>& rest) const;
  std::vector<double> misfit_of_moments(const LaunchFit& fit, const std::vector<double>& rest) const;
  double spread_of(std::size_t t, std::size_t row, const FitTerm& term) const;
  void fit_spread(std::size_t term, const std::vector<double>& rest, LaunchFit& fit) const;

  bool stop() const { return halt_.requested(); }

  const FitRows& rows_;
  Communicator& communicator_;
  Halt& halt_;
  std::vector<ValueClasses> classes_; ///< classes of each feature
  std::shared_ptr<const ClassOfRows> class_;
  std::vector<std::uint8_t> used_;
  /// By row: typical variance of logarithms(), which weights rows; 1 during the search.
  std::vector<double> noise_;
  std::shared_ptr<const RowsByGroup> rows_of_peers_;
  std::vector<std::size_t> feature_of_term_;
  std::vector<FitTerm> terms_;
  std::vector<std::shared_ptr<const RowsByGroup>> rows_of_class_; ///< by term: rows of each class
  std::vector<std::vector<Place>> place_;                         ///< place of the value, by term and row
  std::vector<std::vector<Place>> reference_place_; ///< place of the reference, by term and peers
  State state_;
};

// In the header, because every pass over the rows calls these for each row.

inline void TermFit::apply(FitTerm::Scale scale, double before, double change, Effects& effects) {
  switch (scale) {
  case FitTerm::Scale::factor:
    effects.factor *= std::max(1 + change, kMinFactor) / std::max(1 + before, kMinFactor);
    break;
  case FitTerm::Scale::relative:
    effects.relative += change - before;
    break;
  default:
    effects.added += change - before;
  }
}

inline TermFit::Prediction TermFit::prediction(std::size_t row, const State& state,
                                               std::size_t without) const {
  Effects effects = state.effects[row];
  if (without != kNoTerm) apply(state.scale[without], state.change[without][row], 0, effects);
  const double base = state.base[rows_.peers[row]];
  return {std::max(base * (effects.factor + effects.relative) + effects.added, kMinFactor * base),
          base * effects.factor};
}

inline double TermFit::unit_of(std::size_t t, std::size_t row, const State& state,
                               const Prediction& others) const {
  switch (state.scale[t]) {
  case FitTerm::Scale::factor:
    return others.multiplied;
  case FitTerm::Scale::relative:
    return state.base[rows_.peers[row]];
  default:
    return 1;
  }
}

} // namespace jitterscope::causal
