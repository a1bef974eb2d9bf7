#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/exact_sums.h"
#include "core/causal/amounts/amount_effect.h"
#include "core/causal/amounts/suspect.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/statistics/group_medians.h"

namespace jitterscope::causal {

/// Values of the suspects' columns for the rows of this rank, and state shared by all calculations.
class Attributor {
public:
  Attributor(const Frame& frame, const std::vector<std::vector<int>>& resamples, std::uint64_t seed,
             Communicator& communicator, const Job& job)
      : frame_(frame), groups_(frame.groups), local_(frame.local), resamples_(resamples), seed_(seed),
        communicator_(communicator), job_(job) {}

  Expected<void> load(const std::vector<Suspect>& suspects) {
    kept_.assign(local_.used.size(), kMissing);
    x_.assign(suspects.size(), std::vector<double>(local_.used.size(), kMissing));
    auto walked = frame_.walk(job_, "attributable shares", [&](std::int64_t, const Tile& tile) {
      for (std::size_t s = 0; s < suspects.size(); ++s)
        for (std::size_t k = 0; k < tile.row.size(); ++k)
          x_[s][tile.row[k]] = tile.raw(static_cast<Eigen::Index>(k), suspects[s].column);
    });
    if (!walked) return walked;
    return measure();
  }

  /// Whether a suspect of a plain table counts things that happen at a steady rate during launches
  /// (exposure.h). Columns of profilers need no test: where it matters, they count over the typical duration
  /// of a launch.
  Expected<bool> counts_length(std::size_t s, const Suspect& suspect);

  /// Whether a gap is correlated with durations only because it reflects the length of the previous launch:
  /// the correlation nearly vanishes among launches of a configuration whose previous launches deviated
  /// equally.
  Expected<bool> reflects_earlier_launch(std::size_t s);

  /// Whether a suspect and the durations change at the same moments (changes.h).
  Expected<bool> changes_with_durations(std::size_t s, const Suspect& suspect);

  /// Sets the events that numeric factors are adjusted for: launches with the same subset of these events are
  /// compared.
  void hold(std::vector<std::size_t> events) { held_ = std::move(events); }

  /// Other suspects that are not consequences of an event: launches with the event are compared with launches
  /// that lack it and have the same values of these suspects.
  struct OtherSuspects {
    std::vector<std::size_t> events;
    std::optional<std::size_t> amount;
    bool empty() const { return events.empty() && !amount; }
  };
  Expected<void> compare_given(const OtherSuspects& others);

  /// Removes the effect of a cause: the launches with an event (except those with the event `apart_from`),
  /// the effect of a numeric factor on durations, or the variability due to a configuration column.
  /// share_of_suspect() must have judged this cause last.
  Expected<void> remove_cause(std::size_t s, const Suspect& suspect,
                              std::optional<std::size_t> apart_from = {}) {
    const Column& column = frame_.columns[static_cast<std::size_t>(suspect.column)];
    if (suspect.constant_in_configuration) {
      if (auto done = draw_together(x_[s]); !done) return done;
    } else if (column.event || column.zero_inflated) {
      for (std::size_t i = 0; i < local_.used.size(); ++i)
        if (local_.used[i] && x_[s][i] != 0 && (!apart_from || x_[*apart_from][i] == 0))
          local_.used[i] = 0, kept_[i] = without_[i];
    } else {
      local_.duration = moved_;
    }
    judged_amounts_.clear(), amount_ = nullptr;
    return regroup();
  }

  Expected<Attribution> share_of_suspect(std::size_t s, const Suspect& suspect) {
    const Column& column = frame_.columns[static_cast<std::size_t>(suspect.column)];
    without_ = v_;
    corrections_.clear(), settings_.clear(), carried_.clear(), of_configurations_.reset(), of_event_.reset();
    amount_ = nullptr, left_.reset();
    if (suspect.constant_in_configuration) return of_configuration(x_[s]);
    if (column.event || column.zero_inflated) return of_event(x_[s]);
    return of_amount(s, suspect);
  }

  /// 1 − Σ v' / Σ v of the last judged suspect.
  Expected<double> share() {
    if (of_configurations_) return of_configurations_->share;
    if (!left_) {
      std::vector<double> of_rows = without_;
      for (std::size_t i = 0; i < carried_.size(); ++i) of_rows[i] += carried_[i];
      auto blocks = block_sums(of_rows);
      if (!blocks) return forward(blocks.error());
      left_ = std::move(*blocks);
    }
    return share_of_blocks([](std::size_t) { return 1.0; });
  }

  /// Sets the share of the last judged suspect and its interval, which is from resamples of blocks (of
  /// configurations for a configuration column).
  Expected<void> finish(double& full_share, Range& interval);

  /// From now on, no settings are computed for events.
  void measure_shares_only() { measures_settings_ = false; }

  /// Settings of the numeric factor or event whose share was last finished; empty for other suspects.
  const std::vector<Setting>& settings() const { return settings_; }

  /// Number of blocks that hold four fifths of the variability that would vanish, for the share last
  /// finished.
  std::int64_t blocks_of_main_part() const { return blocks_of_main_part_; }

  /// Kernels on which the event judged last acts, and on which it does not.
  Expected<std::optional<Attribution::OnKernels>> kernels_of(std::size_t s);

  /// share_of_suspect() and finish() of an event, on launches without the event `other`. Launches with both
  /// are assumed to gain as much as launches of their configuration with this event only.
  Expected<Attribution> share_apart_from(std::size_t s, const Suspect& suspect, std::size_t other);

  /// `spared`: kernels that the suspect does not act on.
  Expected<std::optional<Attribution::Condition>> condition_of(std::size_t s, const Suspect& suspect,
                                                               const std::vector<std::uint32_t>& spared);

  /// By kernel: launches and their remaining variability.
  Expected<std::vector<Attributions::Left>> left_by_kernel() {
    ExactSums sums(2 * groups_.count, std::max(groups_.longest, 1.0),
                   frame_.plan.rows); // variability, then launches
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (!local_.used[i] && std::isnan(kept_[i])) continue;
      sums.add(local_.group[i], local_.used[i] ? v_[i] : std::max(kept_[i], 0.0));
      sums.add(groups_.count + local_.group[i], 1.0);
    }
    auto left = sums.total(communicator_);
    if (!left) return forward(left.error());
    std::vector<Attributions::Left> by_kernel(groups_.kernels);
    for (std::size_t g = 0; g < groups_.count; ++g) {
      auto& kernel = by_kernel[groups_.kernel[g]];
      kernel.launches += std::llround((*left)[groups_.count + g]), kernel.variability += (*left)[g];
    }
    return by_kernel;
  }

  /// Fraction of the remaining rows in which a suspect is not 0.
  Expected<double> part_with(std::size_t s) {
    std::array<std::int64_t, 2> counts{0, 0};
    for (std::size_t i = 0; i < local_.used.size(); ++i)
      if (local_.used[i]) ++counts[0], counts[1] += x_[s][i] != 0;
    if (auto done = communicator_.sum(counts); !done) return forward(done.error());
    return counts[0] > 0 ? static_cast<double>(counts[1]) / static_cast<double>(counts[0]) : 0.0;
  }

  /// Mean variability of the remaining rows, ns.
  double mean_variability() const { return mean_v_; }
  /// Standard deviation of the variability of the remaining rows, ns.
  Expected<double> std_variability() {
    double rows = 0;
    for (const auto n : groups_.rows) rows += static_cast<double>(n);
    auto squares = sum_by(1, std::max(1.0, groups_.longest), [&](std::size_t i, ExactSums& sums) {
      sums.add(0, v_[i] * v_[i] / std::max(1.0, groups_.longest));
    });
    if (!squares) return forward(squares.error());
    return rows > 0 ? std::sqrt(std::max(0.0, squares->front() * std::max(1.0, groups_.longest) / rows -
                                                  mean_v_ * mean_v_))
                    : 0.0;
  }

private:
  using Totals = Expected<std::vector<double>>;

  /// Contracts durations towards the median of the configuration until the variability is that without the
  /// configuration column `x`.
  Expected<void> draw_together(const std::vector<double>& x) {
    without_ = v_;
    if (auto again = of_configuration(x); !again) return forward(again.error());
    auto before = sum_by(groups_.count, groups_.longest,
                         [&](std::size_t i, ExactSums& sums) { sums.add(local_.group[i], v_[i]); });
    if (!before) return forward(before.error());
    for (std::size_t i = 0; i < local_.used.size(); ++i) {
      const auto g = local_.group[i];
      if (!local_.used[i] || std::isnan(configuration_level_[g]) || (*before)[g] <= 0) continue;
      const double left =
          std::min(1.0, configuration_level_[g] * static_cast<double>(groups_.rows[g]) / (*before)[g]);
      local_.duration[i] = groups_.median[g] + left * (local_.duration[i] - groups_.median[g]);
    }
    return {};
  }

  /// Recomputes the row counts and medians of configurations from the remaining rows and durations, then
  /// calls measure().
  Expected<void> regroup() {
    groups_.rows.assign(groups_.count, 0);
    std::vector<double> durations = local_.duration;
    for (std::size_t i = 0; i < local_.used.size(); ++i) {
      if (local_.used[i])
        ++groups_.rows[local_.group[i]];
      else
        durations[i] = kMissing;
    }
    if (auto done = communicator_.sum(groups_.rows); !done) return done;
    auto medians = group_medians(durations, local_.group, groups_.count, communicator_, job_);
    if (!medians) return forward(medians.error());
    groups_.median = std::move(*medians);
    return measure();
  }

  /// Computes v of every row, and Σ v of every block, for the remaining rows and durations.
  Expected<void> measure() {
    v_.assign(local_.used.size(), 0.0);
    for (std::size_t i = 0; i < v_.size(); ++i)
      if (local_.used[i]) v_[i] = std::fabs(local_.duration[i] - groups_.median[local_.group[i]]);
    auto blocks = block_sums(v_);
    if (!blocks) return forward(blocks.error());
    total_ = std::move(*blocks);
    double sum = 0, rows = 0;
    for (const double b : total_) sum += b;
    for (const auto n : groups_.rows) rows += static_cast<double>(n);
    mean_v_ = rows > 0 ? sum / rows : 0.0;
    return {};
  }

  /// Sums over rows by cell, exact over ranks; `visit` adds the terms of one row.
  template <class Visit>
  Totals sum_by(std::size_t cells, double bound, const Visit& visit) {
    ExactSums sums(cells, bound, frame_.plan.rows);
    for (std::size_t i = 0; i < local_.used.size(); ++i)
      if (local_.used[i]) visit(i, sums);
    return sums.total(communicator_);
  }

  /// 1 − Σ w v' / Σ w v; `weight` of a block index.
  template <class Weight>
  double share_of_blocks(const Weight& weight) const {
    double all = 0, left = 0;
    for (std::size_t b = 0; b < total_.size(); ++b)
      all += weight(b) * total_[b], left += weight(b) * (*left_)[b];
    return all > 0 ? 1.0 - left / all : 0.0;
  }

  std::int64_t units_of_main_part(std::size_t units) const;

  Totals block_sums(const std::vector<double>& values) {
    std::vector<double> mine;
    for (std::int64_t b = local_.first_block; b < local_.last_block; ++b) {
      double sum = 0;
      for (auto i = frame_.plan.first(b) - local_.first_row; i < frame_.plan.first(b + 1) - local_.first_row;
           ++i)
        if (local_.used[static_cast<std::size_t>(i)]) sum += values[static_cast<std::size_t>(i)];
      mine.push_back(sum);
    }
    return communicator_.all_gather<double>(mine);
  }

  /// Launches without an event, by configuration.
  struct EventPeers {
    std::vector<std::int64_t> count;
    std::vector<double> typical; ///< median duration, ns
    /// Factor from few launches to the number of launches of the whole configuration.
    std::vector<double> correction;
    std::vector<double>& expected; ///< mean variability, ns
  };
  Expected<void> examine_classes(const std::vector<double>& x, const EventPeers& peers);
  Expected<std::vector<double>> levels_nearby(const std::vector<double>& x, const EventPeers& peers);
  Expected<void> compare_nearby(const std::vector<double>& x, const EventPeers& peers);
  /// Variability of launches without the event and if all of them had it, and the duration that it adds.
  struct OfEvent {
    double value = 1;    ///< mean value of the event over launches that have it
    double affected = 0; ///< fraction of the launches
    // By row, ns and ns²: variability as recorded, without the event, and with the event for all.
    std::vector<double> square, left, left_square, with, with_square;
    std::vector<double> extra,
        counted; ///< launches with peers without the event: extra duration, ns; 1 per launch
  };
  std::optional<OfEvent> of_event_;
  bool measures_settings_ = true;
  Expected<void> measure_event(const std::vector<double>& x, const EventPeers& peers);
  Expected<void> finish_event(double full_share, const std::vector<double>& shares,
                              const std::vector<std::vector<int>>& resamples);
  /// Variability of a launch without the event, scaled to the class of the row, ns.
  double as_alike(std::size_t row, double variability) const {
    return alike_.fine.empty()
               ? variability
               : std::min(variability * alike_.variability[alike_.fine[row]], std::max(1.0, groups_.longest));
  }
  Expected<Attribution> of_event(const std::vector<double>& x);
  std::vector<double> peer_typical_;     ///< of_event: by configuration, median without the event, ns
  std::vector<std::int64_t> peer_count_; ///< of_event: by configuration, number of launches without the event
  /// How much longer a launch took than comparable launches without the event judged last, ns.
  double longer_than_peers(std::size_t row) const {
    const double typical = peer_typical_[local_.group[row]], longest = std::max(1.0, groups_.longest);
    const double alike =
        alike_.fine.empty() ? 0.0 : std::clamp(typical * alike_.longer[alike_.fine[row]], -longest, longest);
    return local_.duration[row] - typical - alike;
  }
  Expected<std::vector<std::uint8_t>> columns_within_kernels(std::size_t s, bool of_configuration,
                                                             const std::vector<std::uint8_t>& is_spared);
  struct JudgedAmount;
  Expected<Attribution> of_amount(std::size_t s, const Suspect& suspect);
  Expected<JudgedAmount> judge_amount(std::size_t s, const Suspect& suspect);
  Expected<Attribution> of_configuration(const std::vector<double>& x);
  double gain(std::size_t s, std::size_t row, bool of_configuration) const;
  /// Stratum of a row: its configuration and which of the events `held_` it has.
  std::uint32_t stratum_of(std::size_t row) const {
    std::uint32_t stratum = local_.group[row];
    for (const std::size_t s : held_) stratum = 2 * stratum + (x_[s][row] != 0);
    return stratum;
  }
  void finish_settings(double full_share, const std::vector<double>& shares);
  Expected<AmountRows> amount_rows(const std::vector<double>& x, std::int64_t maximum);
  Expected<void> refit(JudgedAmount& judged);

  const Frame& frame_;
  Groups groups_; // own copies, because causes are removed one after the other
  LocalRows local_;
  const std::vector<std::vector<int>>& resamples_;
  std::map<std::size_t, std::vector<std::vector<int>>> of_units_; ///< resamples by number of units
  std::uint64_t seed_;                                            ///< for the resamples of configurations
  Communicator& communicator_;
  const Job& job_;
  std::vector<std::vector<double>>
      corrections_; ///< by resample: correction of the share and of its settings by a refit
  std::vector<Setting> settings_;
  std::vector<double> v_, without_, moved_;
  /// Result for a numeric factor that was adjusted for the events `held`; valid until a cause is removed.
  struct JudgedAmount {
    std::vector<std::size_t> held; ///< ascending
    AmountFit fit;
    std::vector<double> typical; ///< by configuration: median duration without the level of the factor, ns
    Attribution attribution;
    std::vector<Setting> settings;
    std::size_t suspect = 0;
    bool shifts = true, spreads = true;           ///< allowed effects of the suspect
    std::optional<AmountEffect> effect;           ///< kept until it is refitted to resamples
    double rows = 0;                              ///< number of rows it was judged on
    std::vector<std::vector<double>> corrections; ///< from the refits
  };
  JudgedAmount* amount_ = nullptr;          ///< the last judged suspect if it is a numeric factor
  std::optional<std::vector<double>> left_; ///< by block: Σ v' of the last judged suspect
  void move_by_level(const std::vector<double>& x, const AmountFit& fit);
  double steady(std::size_t row, double x, const AmountFit& fit, const std::vector<double>& typical);
  std::map<std::size_t, JudgedAmount> judged_amounts_; ///< by suspect index
  /// of_event: by row, sums to 0; uncertainty of the estimates for launches without peers.
  std::vector<double> carried_;
  std::vector<double>
      expected_; ///< of_event: by configuration, mean variability of launches without the event, ns
  std::vector<double>
      configuration_level_; ///< of_configuration: expected variability; NaN where nothing changes
  struct ConfigurationShare {
    double share = 0;
    Range interval;
  };
  std::optional<ConfigurationShare> of_configurations_; ///< for a column constant in configurations
  std::vector<std::vector<double>> x_;
  std::vector<std::size_t> held_; ///< indices of suspects
  /// Classes of rows that have the same other causes as an event; empty: no classes.
  struct Alike {
    std::vector<std::uint32_t> coarse,
        fine; ///< by row: class of the numeric factor; class of the factor and the events
    std::size_t coarse_count = 1, fine_count = 1;
    // By fine class, over launches without the event:
    std::vector<double> variability; ///< variability relative to that of the configurations
    /// Mean excess over the typical duration, as a fraction of the typical duration.
    std::vector<double> longer;
    std::vector<double> weight; ///< number of launches with the event that each launch represents
  };
  Alike alike_;
  /// Classes of compare_given(); `alike_` may divide them further, by the level of nearby launches.
  Alike alike_by_suspects_;
  std::vector<double> kept_; ///< by row: variability without the cause, for launches removed by
                             ///< remove_cause(); NaN for others
  std::vector<double> total_;
  double mean_v_ = 0;
  std::int64_t blocks_of_main_part_ = 0;
};

} // namespace jitterscope::causal
