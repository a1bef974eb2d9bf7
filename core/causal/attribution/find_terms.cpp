#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/parallel.h"
#include "core/causal/attribution/near_launches.h"
#include "core/causal/attribution/term_fit.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/earlier.h"

namespace jitterscope::causal {
namespace {

/// Features with at least this share of their variance within blocks are tested within blocks, the others
/// between blocks.
constexpr double kMostlyWithin = 0.5;
constexpr double kClearWithin =
    3.0; ///< minimum gain in standard errors over blocks: about thirty features are tried
/// Minimum gain in standard errors over blocks, for features that mostly vary between blocks. These are also
/// judged by shifts in time.
constexpr double kClearBetween = 1.0;
/// Minimum effect of an event in standard errors over its launches. An event may be too rare for a test over
/// blocks.
constexpr double kClearEvents = 5.0;
constexpr double kMinEvents = 5; ///< minimum launches with the event, and minimum launches without it
/// Minimum changes between launches with and without the event: several occurrences, not one stretch.
constexpr int kMinEventChanges = 6;
constexpr double kMinLevel = 0.02;   ///< minimum change of ln(duration): smaller changes are irrelevant
constexpr double kShiftLevel = 0.02; ///< maximum fraction of the shifts in time that predict equally well
/// Maximum ratio of the change of ln(duration) to the change of ln(clock). A duration changes at most in
/// inverse proportion to a clock, but coarse samples contain only a part of the change of the clock.
constexpr double kSteepest = 4;
constexpr double kShrunk = 4; ///< pseudo-rows without effect added to each class, which shrink its level
constexpr double kNearlyAsMuch = 0.9;    ///< minimum ratio to the best gain, for a feature with a better name
constexpr std::uint32_t kNeighbours = 1; ///< blocks left out on either side of the predicted block
constexpr std::size_t kMinSteps = 5;     ///< minimum number of steps, up or down
constexpr double kClearSteps = 4.0;      ///< minimum mean change at steps, in standard errors
constexpr int kMinCrossings = 3;         ///< minimum changes between low and high values: rise, fall, rise
/// As a fraction of the gain that a term has alone: other features with a smaller joint gain cannot replace
/// it, and a term that gains less in addition to others is replaced by them.
constexpr double kRival = 0.5;

/// Minimum fraction of the gain that remains between launches next to each other: half of the effect, since
/// gains are squares.
constexpr double kLocal = 0.25;

/// Additional terms allowed in a search from which a contested feature is excluded.
constexpr std::size_t kInstead = 2;

/// Sums of y by block and class.
struct Table {
  std::size_t blocks = 0, classes = 0;
  std::vector<double> sum, n;

  Table(std::size_t b, std::size_t c) : blocks(b), classes(c), sum(b * c), n(b * c) {}
  std::size_t at(std::size_t b, std::size_t c) const { return b * classes + c; }
};

/// Prediction of y by class levels, for blocks that were not used to estimate the levels.
struct Gain {
  double total = 0, clear = 0; ///< Σ y² − Σ (y − prediction)²; the same in standard errors over blocks
  double largest = 0;          ///< |level| of a class with enough rows
  std::vector<double> of_block; ///< mean prediction of every block, by levels from all blocks
};

Gain gain_of(const Table& table) {
  const std::size_t classes = table.classes;
  std::vector<double> sum(classes), n(classes);
  for (std::size_t b = 0; b < table.blocks; ++b)
    for (std::size_t c = 0; c < classes; ++c)
      sum[c] += table.sum[table.at(b, c)], n[c] += table.n[table.at(b, c)];
  Gain gain;
  double squares = 0;
  for (std::size_t b = 0; b < table.blocks; ++b) {
    const std::size_t first = b > kNeighbours ? b - kNeighbours : 0,
                      last = std::min(table.blocks, b + kNeighbours + 1);
    double own = 0, predicted = 0, rows = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      double s = sum[c], k = n[c];
      for (std::size_t near = first; near < last; ++near)
        s -= table.sum[table.at(near, c)], k -= table.n[table.at(near, c)];
      const double level = k > 0.5 ? s / (k + kShrunk) : 0.0;
      const double here = table.sum[table.at(b, c)], count = table.n[table.at(b, c)];
      own += level * (2 * here - level * count);
      predicted += sum[c] / (n[c] + kShrunk) * count, rows += count;
    }
    gain.total += own, squares += own * own;
    gain.of_block.push_back(rows > 0 ? predicted / rows : 0.0);
  }
  gain.clear = squares > 0 ? gain.total / std::sqrt(squares) : 0.0;
  double all = 0, mean = 0;
  for (std::size_t c = 0; c < classes; ++c) all += n[c], mean += sum[c];
  mean = all > 0 ? mean / all : 0;
  for (std::size_t c = 0; c < classes; ++c)
    if (n[c] >= 10) gain.largest = std::max(gain.largest, std::fabs(sum[c] / n[c] - mean));
  return gain;
}

/// How often a series changes from near its minimum to near its maximum or back.
int crossings(const std::vector<double>& series) {
  const auto [low, high] = std::minmax_element(series.begin(), series.end());
  const double lower = *low + 0.3 * (*high - *low), upper = *low + 0.7 * (*high - *low);
  int count = 0, side = 0;
  for (const double v : series) {
    const int now = v <= lower ? -1 : v >= upper ? 1 : 0;
    if (now != 0 && side != 0 && now != side) ++count;
    if (now != 0) side = now;
  }
  return count;
}

/// Whether y steps where the prediction does. A periodic series predicts equally well when it is shifted by
/// one period, but it has many steps.
bool steps_together(const Table& table, const std::vector<double>& prediction) {
  const std::size_t blocks = table.blocks;
  std::vector<double> y(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    double sum = 0, rows = 0;
    for (std::size_t c = 0; c < table.classes; ++c)
      sum += table.sum[table.at(b, c)], rows += table.n[table.at(b, c)];
    y[b] = rows > 0 ? sum / rows : 0;
  }
  const auto [low, high] = std::minmax_element(prediction.begin(), prediction.end());
  const double step = 0.5 * (*high - *low);
  std::vector<double> seen;
  for (std::size_t b = 1; b + 3 < blocks; ++b) {
    const double change = prediction[b + 2] - prediction[b];
    if (!(std::fabs(change) >= step) || step == 0) continue;
    seen.push_back((0.5 * (y[b + 2] + y[b + 3]) - 0.5 * (y[b - 1] + y[b])) * (change > 0 ? 1 : -1));
    b += 2;
  }
  if (seen.size() < kMinSteps) return false;
  double mean = 0, squares = 0;
  for (const double d : seen) mean += d / static_cast<double>(seen.size());
  for (const double d : seen) squares += (d - mean) * (d - mean);
  const auto n = static_cast<double>(seen.size());
  return mean > 0 && mean / std::sqrt(std::max(squares / (n - 1) / n, 1e-12)) >= kClearSteps;
}

class Search {
public:
  Search(TermFit& fit, const FitOptions& options, Communicator& communicator, Halt& halt)
      : fit_(fit), rows_(fit.rows()), options_(options), communicator_(communicator), halt_(halt) {
    kinds_known_ = std::any_of(rows_.features.begin(), rows_.features.end(), [](const FeatureInfo& feature) {
      return feature.name.starts_with("overlap_") && !counts_all_kinds(feature.name);
    });
  }

  /// Adds the features that predict best one after the other, and removes those that later ones made
  /// unnecessary.
  Expected<void> run() {
    auto within = by_feature([&](std::size_t f) { return may_act(f) ? part_within(f) : 0.0; });
    if (!within) return forward(within.error());
    within_ = std::move(*within);
    while (fit_.features().size() < options_.max_terms) {
      const auto best = next();
      if (!best) return forward(best.error());
      if (!*best) break;
      if (auto done = fit_.add(**best); !done) return forward(done.error());
    }
    for (std::size_t t = fit_.features().size(); t-- > 0;) {
      if (halt_.requested()) return Job::cancelled_error();
      if (!passes(fit_.features()[t], centred(fit_.logarithms(t)))) fit_.remove(t);
    }
    return {};
  }

  /// Terms that causes without a term might replace. For each such cause, the largest gain of a single
  /// feature counts; a term is contested if these gains add up to at least kRival times its own gain alone.
  std::vector<std::size_t> contested() const {
    std::map<std::string, double> rivals; ///< by cause: largest gain of a single feature
    for (const auto& [f, gain] : alone_)
      if (!known(f)) {
        auto& maximum = rivals[cause_of(rows_.features[f])];
        maximum = std::max(maximum, gain);
      }
    double together = 0;
    for (const auto& [cause, gain] : rivals) together += gain;
    std::vector<std::size_t> found;
    for (const auto f : fit_.features())
      if (alone_.contains(f) && together >= kRival * alone_.at(f) && !rows_.features[f].factor)
        found.push_back(f);
    return found;
  }

  /// Whether the other terms replace most of what this term predicts alone. The place of a launch replaces no
  /// factor of its duration.
  bool replaced(std::size_t term) const {
    const auto f = fit_.features()[term];
    if (!alone_.contains(f) || rows_.features[f].factor) return false;
    const auto now = gain(f, centred(fit_.logarithms(term)));
    return !now || now->total < kRival * alone_.at(f);
  }

private:
  /// y minus the mean of the peers, and this minus the mean of the block.
  struct Centred {
    std::vector<double> of_peers, of_block;
  };

  bool may_act(std::size_t f) const {
    const auto& feature = rows_.features[f];
    if (std::find(rows_.parts.begin(), rows_.parts.end(), f) != rows_.parts.end()) return false;
    if (counts_all_kinds(feature.name) && kinds_known_) return false;
    if (std::find(options_.excluded.begin(), options_.excluded.end(), feature.name) !=
        options_.excluded.end())
      return false;
    if (feature.factor ||
        std::find(options_.stated.begin(), options_.stated.end(), feature.name) != options_.stated.end())
      return true;
    const int tier = feature.tier >= 0 ? feature.tier : default_tier(feature.name);
    const bool place = tier == static_cast<int>(Tier::environment) && feature.role == FeatureRole::category;
    // What is counted during a launch grows with its length; how a plain table counted it is unknown.
    const bool counted = feature.of_plain_table && !is_device_state(feature.name);
    const bool context = tier == static_cast<int>(Tier::context) && !counted;
    // Slow launches fill the queue, and a full queue makes long bursts, for any cause.
    const bool of_queue = feature.name.starts_with("burst_position");
    return (place || context) && feature.name != kEarlierDeviation &&
           !follows_from_earlier_work(feature.name) && !of_queue && fit_.classes()[f].count() > 1;
  }

  /// Part of a feature's variance within blocks: the largest of the values, the event and each category.
  double part_within(std::size_t f) const {
    const auto& classes = fit_.classes()[f];
    const auto is_class = [&](std::size_t c) {
      return part_within([&](std::size_t i) {
        return fit_.class_of(f, i) == ValueClasses::kNone ? kMissing : fit_.class_of(f, i) == c;
      });
    };
    double maximum = 0;
    if (!classes.category())
      maximum = part_within([&](std::size_t i) { return static_cast<double>(rows_.values[f][i]); });
    for (std::size_t c = 0; c < classes.count() && (classes.category() || (c == 0 && classes.zero_apart()));
         ++c)
      maximum = std::max(maximum, is_class(c));
    return maximum;
  }
  template <class Value>
  double part_within(const Value& value) const {
    std::vector<double> sum(rows_.blocks), n(rows_.blocks);
    double all = 0, squares = 0, rows = 0, between = 0;
    for (std::size_t i = 0; i < rows_.rows(); ++i)
      if (const double v = value(i); fit_.used(i) && !std::isnan(v)) all += v, rows += 1;
    if (rows == 0) return 0;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const double v = value(i) - all / rows;
      if (!fit_.used(i) || std::isnan(v)) continue;
      sum[rows_.block[i]] += v, n[rows_.block[i]] += 1, squares += v * v;
    }
    for (std::size_t b = 0; b < sum.size(); ++b)
      if (n[b] > 0) between += sum[b] * sum[b] / n[b];
    return squares > 0 ? 1 - between / squares : 0;
  }

  Table sums(std::size_t f, const std::vector<double>& y) const {
    Table table(rows_.blocks, fit_.classes()[f].count());
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const auto c = fit_.class_of(f, i);
      if (!fit_.used(i) || c >= table.classes) continue;
      const auto at = table.at(rows_.block[i], c);
      table.n[at] += 1;
      if (!y.empty()) table.sum[at] += y[i];
    }
    return table;
  }

  void centre(std::vector<double>& y, const std::vector<std::uint32_t>& of, std::size_t count) const {
    std::vector<double> sum(count), n(count);
    for (std::size_t i = 0; i < y.size(); ++i)
      if (fit_.used(i)) sum[of[i]] += y[i], n[of[i]] += 1;
    for (std::size_t i = 0; i < y.size(); ++i)
      if (fit_.used(i)) y[i] -= sum[of[i]] / n[of[i]];
  }
  Centred centred(std::vector<double> y) const {
    Centred c;
    centre(y, rows_.peers, rows_.typical_ns.size());
    c.of_peers = y;
    centre(y, rows_.block, rows_.blocks);
    c.of_block = std::move(y);
    return c;
  }

  /// Fraction of the shifts in time for which the feature's blocks predict as well as without a shift.
  static double chance_of_shifts(const Table& table) {
    std::vector<double> y(table.blocks), rows(table.blocks);
    for (std::size_t b = 0; b < table.blocks; ++b)
      for (std::size_t c = 0; c < table.classes; ++c)
        y[b] += table.sum[table.at(b, c)], rows[b] += table.n[table.at(b, c)];
    const auto shifted = [&](std::size_t shift) {
      Table moved(table.blocks, table.classes);
      for (std::size_t b = 0; b < table.blocks; ++b) {
        const std::size_t from = (b + shift) % table.blocks;
        if (!(rows[from] > 0) || !(rows[b] > 0)) continue;
        for (std::size_t c = 0; c < table.classes; ++c) {
          const double part = table.n[table.at(from, c)] / rows[from];
          moved.n[moved.at(b, c)] = part * rows[b], moved.sum[moved.at(b, c)] = part * y[b];
        }
      }
      return gain_of(moved).total;
    };
    const double own = shifted(0);
    const std::size_t near = std::max<std::size_t>(3, table.blocks / 50);
    const std::size_t step = std::max<std::size_t>(1, table.blocks / 200);
    double as_good = 1, tried = 1;
    for (std::size_t shift = near; shift + near < table.blocks; shift += step)
      tried += 1, as_good += shifted(shift) >= own;
    return as_good / tried;
  }

  /// For an event: compares launches with the event to other launches of the same block. Each launch with the
  /// event is predicted from the others. Empty if the effect is not clear.
  std::optional<Gain> gain_of_events(std::size_t f, const std::vector<double>& y) const {
    double n = 0, sum = 0, squares = 0, others = 0, other_squares = 0;
    int changes = 0;
    std::uint8_t before = ValueClasses::kNone;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const auto c = fit_.class_of(f, i);
      if (!fit_.used(i) || c == ValueClasses::kNone) continue;
      const std::uint8_t happened = c != 0;
      changes += before != ValueClasses::kNone && happened != before, before = happened;
      (happened ? n : others) += 1, (happened ? squares : other_squares) += y[i] * y[i];
      if (happened) sum += y[i];
    }
    if (n < kMinEvents || changes < kMinEventChanges || others < kMinEvents) return {};
    const double level = sum / n,
                 variance = (squares - n * level * level) / (n - 1) / n + other_squares / others / n;
    Gain found;
    found.clear = std::fabs(level) / std::sqrt(std::max(variance, 1e-12)), found.largest = std::fabs(level);
    found.total = n * level * level - 2 * (squares - n * level * level) / (n - 1);
    if (!(found.total > 0) || found.largest < kMinLevel || found.clear < kClearEvents) return {};
    return found;
  }

  /// The larger gain of an event and of its amounts: an event too rare for a test over blocks has no clear
  /// gain by amounts, and one that acts only in some amounts a small gain as an event.
  std::optional<Gain> gain(std::size_t f, const Centred& y) const {
    const bool within = within_[f] >= kMostlyWithin;
    std::optional<Gain> best;
    if (within && fit_.classes()[f].zero_apart()) best = gain_of_events(f, y.of_block);
    Gain found = gain_of(sums(f, within ? y.of_block : y.of_peers));
    const bool clear = found.total > 0 && found.largest >= kMinLevel &&
                       found.clear >= (within ? kClearWithin : kClearBetween);
    if (clear && (!best || found.total > best->total)) best = std::move(found);
    return best;
  }

  /// Whether a clock changes enough for the durations that it predicts (kSteepest); true for other features.
  bool possible(std::size_t f, const std::vector<double>& y) const {
    if (!is_clock(rows_.features[f].name)) return true;
    struct Sums {
      double n = 0, y = 0, clock = 0;
    };
    std::vector<Sums> of_class(fit_.classes()[f].count());
    Sums all;
    for (std::size_t i = 0; i < rows_.rows(); ++i) {
      const auto c = fit_.class_of(f, i);
      const auto value = static_cast<double>(rows_.values[f][i]);
      if (!fit_.used(i) || c >= of_class.size() || !(value > 0)) continue;
      for (auto* sums : {&of_class[c], &all}) sums->n += 1, sums->y += y[i], sums->clock += std::log(value);
    }
    double durations = 0, clocks = 0;
    for (const auto& sums : of_class) {
      if (sums.n == 0) continue;
      const double by = sums.y / sums.n - all.y / all.n, of = sums.clock / sums.n - all.clock / all.n;
      durations += sums.n * by * by, clocks += sums.n * of * of;
    }
    return durations <= kSteepest * kSteepest * clocks;
  }

  /// Whether the feature predicts how a launch differs from those next to it, too: launches of a step that
  /// share an unrecorded cause (the size of its input) are all long, whether they have the event or not.
  bool holds_locally(std::size_t f, const Centred& y, double total) const {
    if (fit_.classes()[f].category()) return true;
    const auto left = gain(f, centred(without_neighbours(fit_, f, y.of_peers)));
    return left && left->total >= kLocal * total;
  }

  bool passes(std::size_t f, const Centred& y) const {
    const auto found = gain(f, y);
    if (!found || !possible(f, y.of_peers)) return false;
    if (rows_.features[f].factor) return true;
    if (within_[f] >= kMostlyWithin) return holds_locally(f, y, found->total);
    if (crossings(found->of_block) < kMinCrossings) return false;
    const Table table = sums(f, y.of_peers);
    return chance_of_shifts(table) <= kShiftLevel || steps_together(table, found->of_block);
  }

  Expected<std::optional<std::size_t>> next() {
    const auto y = centred(fit_.logarithms());
    const auto gains = by_feature([&](std::size_t f) {
      const auto found = may_act(f) && !known(f) ? gain(f, y) : std::nullopt;
      return found ? found->total : 0.0; // 0: no gain; every gain is above 0
    });
    if (!gains) return forward(gains.error());
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t f = 0; f < gains->size(); ++f)
      if ((*gains)[f] > 0) order.emplace_back((*gains)[f], f);
    if (fit_.features().empty())
      for (const auto& [total, f] : order) alone_.emplace(f, total);
    std::sort(order.begin(), order.end(), std::greater<>());
    std::stable_partition(order.begin(), order.end(),
                          [&](const auto& of) { return rows_.features[of.second].factor; });
    for (const auto& [total, f] : order) {
      if (halt_.requested()) return Job::cancelled_error();
      if (passes(f, y)) return best_of_cause(order, total, f, y);
    }
    return std::nullopt;
  }

  /// A number for each feature, computed on all ranks and threads.
  template <class Number>
  Expected<std::vector<double>> by_feature(const Number& number) const {
    auto all = run_replicates(
        static_cast<int>(rows_.features.size()), 1,
        [&](int f) { return std::vector{number(static_cast<std::size_t>(f))}; }, communicator_,
        halt_.job_of_caller(), threads_of_rank());
    if (!all) return forward(all.error());
    std::vector<double> numbers;
    for (const auto& of : *all) numbers.push_back(of.front());
    return numbers;
  }

  /// Of the features of the same cause that gain nearly as much: those with the best-known name, and of these
  /// the one with the best fit (count, bytes or time of migrations, which have the same name).
  Expected<std::optional<std::size_t>> best_of_cause(const std::vector<std::pair<double, std::size_t>>& order,
                                                     double total, std::size_t best, const Centred& y) const {
    std::vector<std::size_t> chosen{best};
    const auto priority_of = [&](std::size_t f) { return naming_priority(rows_.features[f].name); };
    for (const auto& [other_total, f] : order) {
      if (f == best || cause_of(rows_.features[f]) != cause_of(rows_.features[best]) ||
          other_total < kNearlyAsMuch * total || priority_of(f) > priority_of(chosen.front()) ||
          !passes(f, y))
        continue;
      if (priority_of(f) < priority_of(chosen.front())) chosen.clear();
      chosen.push_back(f);
    }
    if (chosen.size() == 1) return chosen.front();
    std::vector<double> losses;
    for (const auto f : chosen) {
      TermFit with = fit_;
      if (auto done = with.add(f); !done) return forward(done.error());
      losses.push_back(with.loss());
    }
    return chosen[static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) - losses.begin())];
  }

  /// Whether the terms already have a feature of this cause.
  bool known(std::size_t f) const {
    const auto cause = cause_of(rows_.features[f]);
    return std::any_of(fit_.features().begin(), fit_.features().end(),
                       [&](std::size_t g) { return g == f || cause_of(rows_.features[g]) == cause; });
  }

  TermFit& fit_;
  const FitRows& rows_;
  const FitOptions& options_;
  Communicator& communicator_;
  Halt& halt_;
  std::map<std::size_t, double> alone_; ///< gain of each feature without other terms
  bool kinds_known_ = false;            ///< memory operations of each kind have separate columns
  std::vector<double> within_;          ///< by feature: part of its variance within blocks
};

/// Loss of a model with a penalty for its levels, by the Bayesian information criterion.
double criterion(const TermFit& fit) {
  double rows = 0, levels = 0;
  for (std::size_t i = 0; i < fit.rows().rows(); ++i) rows += fit.used(i);
  for (const auto f : fit.features()) levels += static_cast<double>(fit.classes()[f].count());
  return rows * std::log(std::max(fit.loss(), 1e-12) / std::max(rows, 1.0)) +
         levels * std::log(std::max(rows, 2.0));
}

/// Removes the terms, from the last to the first, that others replace and without which the model is better
/// by the criterion: a term that was found as a substitute for a later one predicts a little by chance. A
/// term that no other replaces remains: the criterion judges typical launches, but an event may lengthen few
/// of its launches.
void prune(std::optional<TermFit>& fit, const Search& search, Halt& halt) {
  for (std::size_t t = fit->features().size(); t-- > 0 && !halt.requested();) {
    if (!search.replaced(t)) continue;
    TermFit without = *fit;
    without.remove(t);
    if (criterion(without) < criterion(*fit)) fit.emplace(std::move(without));
  }
}

/// The best model that a forward search finds, with all features or without one contested term. A quantity
/// that several causes change (the gap before a launch that waits for either of two neighbours) predicts
/// better than each cause and is found first, but not better than all of them together.
Expected<TermFit> search(const TermFit& none, const FitOptions& options, Communicator& communicator,
                         Halt& halt) {
  std::optional<TermFit> best(none);
  Search first(*best, options, communicator, halt);
  if (auto done = first.run(); !done) return forward(done.error());
  const std::size_t terms = best->features().size();
  for (const auto f : first.contested()) {
    FitOptions without = options;
    without.excluded.push_back(none.rows().features[f].name);
    without.max_terms = std::min(options.max_terms, terms + kInstead);
    TermFit other = none;
    if (auto done = Search(other, without, communicator, halt).run(); !done) return forward(done.error());
    if (criterion(other) < criterion(*best)) best.emplace(std::move(other));
  }
  prune(best, first, halt);
  return *std::move(best);
}

} // namespace

std::string cause_of(const FeatureInfo& feature) {
  return cause_of(feature.family.empty() ? feature.name : feature.family);
}

Expected<LaunchFit> fit_launches(const FitRows& rows, const FitOptions& options, Communicator& communicator,
                                 const Job& job) {
  Halt halt(job);
  std::vector<ValueClasses> classes(rows.features.size());
  TermFit::ClassOfRows class_of(rows.features.size());
  const auto classify = [&](std::size_t f) {
    classes[f] = ValueClasses(rows.features[f], rows.values[f]);
    for (const auto value : rows.values[f]) class_of[f].push_back(classes[f].of(static_cast<double>(value)));
  };
  if (!parallel_for(classes.size(), static_cast<int>(threads_of_rank()), classify,
                    [&] { return halt.requested(); }))
    return Job::cancelled_error();
  const TermFit none(rows, std::move(classes), std::move(class_of), communicator, halt);
  auto found = search(none, options, communicator, halt);
  if (!found) return forward(found.error());
  auto finished = found->finish(options);
  if (halt.requested()) return Job::cancelled_error();
  return finished;
}

} // namespace jitterscope::causal
