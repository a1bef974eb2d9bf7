#include "core/model/correction/correction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include "core/base/job.h"

namespace jitterscope::model {
namespace {

constexpr double kClipMargin = 0.2; // added at both ends to the range of ln(measured / predicted) in training
constexpr std::size_t kImportant = 3; // maximum number of features whose range is checked
constexpr double kRangeSlack =
    1e-6; // tolerance of the range check, relative to a feature's value and absolute below 1

/// Trees and the limits of their use, trained on some of the rows.
struct Learnt {
  std::vector<Tree> trees;
  std::vector<double> lowest, highest;
  double clip_low = 0, clip_high = 0;
};

std::vector<std::size_t> important_of(std::span<const Tree> trees, std::size_t columns) {
  std::vector<double> gain(columns, 0);
  for (const auto& tree : trees)
    for (const auto& node : tree)
      if (node.left >= 0) gain[static_cast<std::size_t>(node.feature)] += node.gain;
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return gain[a] > gain[b]; });
  std::erase_if(order, [&](std::size_t f) { return !(gain[f] > 0); });
  order.resize(std::min(order.size(), kImportant));
  return order;
}

double target(const CorrectionRows& rows, std::size_t r) {
  return std::log(rows.measured[r] / rows.predicted[r]);
}

Expected<Learnt> learn(const CorrectionRows& rows, const std::vector<std::size_t>& training,
                       const BoostingOptions& options, const std::function<bool()>& cancelled) {
  Learnt out;
  const auto columns = rows.features.size();
  out.lowest.assign(columns, std::numeric_limits<double>::infinity());
  out.highest.assign(columns, -std::numeric_limits<double>::infinity());
  out.clip_low = std::numeric_limits<double>::infinity();
  out.clip_high = -out.clip_low;
  Matrix x;
  std::vector<float> y;
  for (const auto r : training) {
    x.append(rows.values[r]);
    y.push_back(static_cast<float>(target(rows, r)));
    out.clip_low = std::min(out.clip_low, target(rows, r) - kClipMargin);
    out.clip_high = std::max(out.clip_high, target(rows, r) + kClipMargin);
    for (std::size_t c = 0; c < columns; ++c) {
      if (std::isnan(rows.values[r][c])) continue;
      out.lowest[c] = std::min(out.lowest[c], rows.values[r][c]);
      out.highest[c] = std::max(out.highest[c], rows.values[r][c]);
    }
  }
  auto trees = boost(x, y, options, cancelled);
  if (!trees) return forward(trees.error());
  out.trees = std::move(*trees);
  return out;
}

Correction correction_of(const Learnt& learnt, std::size_t rounds, const CorrectionRows& rows) {
  Correction out;
  out.features = rows.features;
  out.machine = rows.machine;
  out.lowest = learnt.lowest, out.highest = learnt.highest;
  out.clip_low = learnt.clip_low, out.clip_high = learnt.clip_high;
  out.trees.assign(learnt.trees.begin(), learnt.trees.begin() + static_cast<std::ptrdiff_t>(rounds));
  out.important = important_of(out.trees, rows.features.size());
  return out;
}

constexpr std::size_t kBetween =
    256; // rows between two checks for cancellation: a millisecond with 300 trees

/// Adds the squared error of the rows of a fold after each round to `errors`.
Expected<void> add_errors(const Learnt& learnt, const CorrectionRows& rows,
                          const std::vector<std::size_t>& held_out, std::vector<double>& errors,
                          const std::function<bool()>& cancelled) {
  std::size_t done = 0;
  for (const auto r : held_out) {
    if (done++ % kBetween == 0 && cancelled()) return Job::cancelled_error();
    const std::vector<float> row(rows.values[r].begin(), rows.values[r].end());
    float sum = 0;
    for (std::size_t t = 0; t < learnt.trees.size(); ++t) {
      sum += value_of(learnt.trees[t], row);
      const double error = sum - target(rows, r);
      errors[t] += error * error;
    }
  }
  return {};
}

Expected<void> check(const CorrectionRows& rows) {
  const auto n = rows.values.size();
  const auto bad = [](const char* message) { return failure(ErrorKind::BadUse, message); };
  if (rows.measured.size() != n || rows.predicted.size() != n || rows.groups.size() != n ||
      (!rows.families.empty() && rows.families.size() != n))
    return bad("rows of a correction have different lengths");
  for (std::size_t r = 0; r < n; ++r) {
    if (rows.values[r].size() != rows.features.size()) return bad("a row of a correction lacks features");
    if (!(rows.measured[r] > 0) || !(rows.predicted[r] > 0) || !std::isfinite(rows.measured[r]) ||
        !std::isfinite(rows.predicted[r]))
      return bad("a time is not positive");
    for (const double value : rows.values[r])
      if (std::isinf(value)) return bad("a feature is infinite");
  }
  return {};
}

/// Cross-validation: the model trained without each fold, and errors by round.
struct CrossValidation {
  std::vector<Learnt> learnt;
  std::vector<std::vector<std::size_t>> held_out;
  std::vector<double> errors;

  std::size_t best_rounds() const {
    return static_cast<std::size_t>(std::min_element(errors.begin(), errors.end()) - errors.begin()) + 1;
  }
};

Expected<CrossValidation> cross_validate(const CorrectionRows& rows, const std::vector<int>& fold, int folds,
                                         const CorrectionOptions& options,
                                         const std::function<bool()>& cancelled) {
  CrossValidation out;
  out.errors.assign(static_cast<std::size_t>(options.boosting.rounds), 0);
  for (int f = 0; f < folds; ++f) {
    std::vector<std::size_t> training, held_out;
    for (std::size_t r = 0; r < fold.size(); ++r) (fold[r] == f ? held_out : training).push_back(r);
    auto learnt = learn(rows, training, options.boosting, cancelled);
    if (!learnt) return forward(learnt.error());
    if (auto added = add_errors(*learnt, rows, held_out, out.errors, cancelled); !added)
      return forward(added.error());
    out.learnt.push_back(std::move(*learnt));
    out.held_out.push_back(std::move(held_out));
  }
  return out;
}

const std::vector<std::string>& families_of(const CorrectionRows& rows) {
  return rows.families.empty() ? rows.groups : rows.families;
}

std::int64_t different(const std::vector<std::string>& of) {
  return static_cast<std::int64_t>(std::set<std::string>(of.begin(), of.end()).size());
}

/// Factors of all rows, each from the fold that excluded it.
Expected<std::vector<Factor>> held_out_factors(const CorrectionRows& rows, const CrossValidation& folds,
                                               std::size_t rounds, const std::function<bool()>& cancelled) {
  std::vector<Factor> out(rows.values.size());
  std::size_t done = 0;
  for (std::size_t f = 0; f < folds.learnt.size(); ++f) {
    const auto correction = correction_of(folds.learnt[f], rounds, rows);
    for (const auto r : folds.held_out[f]) {
      if (done++ % kBetween == 0 && cancelled()) return Job::cancelled_error();
      out[r] = factor_of(correction, rows.values[r]);
    }
  }
  return out;
}

Validation validation_of(const CorrectionRows& rows, const std::vector<Factor>& factors, int folds,
                         std::int64_t groups, std::size_t rounds) {
  std::vector<double> corrected;
  for (std::size_t r = 0; r < factors.size(); ++r) corrected.push_back(rows.predicted[r] * factors[r].value);
  Validation out;
  out.folds = folds;
  out.rows = static_cast<std::int64_t>(factors.size());
  out.groups = groups;
  out.rounds = static_cast<int>(rounds);
  out.analytical = error_summary(rows.measured, rows.predicted);
  out.corrected = error_summary(rows.measured, corrected);
  return out;
}

/// Families in which the held-out factors beat the analytical model, judged without the rows in `left_out`.
std::map<std::string, bool> trusted_families(const CorrectionRows& rows, const std::vector<Factor>& factors,
                                             const std::vector<std::size_t>& left_out) {
  if (rows.families.empty()) return {};
  const std::set<std::size_t> without(left_out.begin(), left_out.end());
  std::map<std::string, double> gain; // Σ (|analytical error| − |corrected error|)
  for (std::size_t r = 0; r < factors.size(); ++r) {
    if (without.contains(r)) continue;
    const double ratio = rows.predicted[r] / rows.measured[r];
    gain[families_of(rows)[r]] += std::abs(ratio - 1) - std::abs(ratio * factors[r].value - 1);
  }
  std::map<std::string, bool> out;
  for (const auto& [family, sum] : gain) out[family] = sum > 0;
  return out;
}

/// Fills in the validations of the correction, the corrections without each fold, and the held-out factors of
/// all rows. Whether a family is corrected in a fold is decided without the rows of that fold: a choice by
/// the rows whose error is stated would always look like an improvement.
Expected<void> validate(const CorrectionRows& rows, const CrossValidation& crossed,
                        const CorrectionOptions& options, const std::function<bool()>& cancelled, Fit& fit) {
  const auto rounds = crossed.best_rounds();
  auto& out = fit.correction;
  const auto factors = held_out_factors(rows, crossed, rounds, cancelled);
  if (!factors) return forward(factors.error());
  const auto folds = static_cast<int>(crossed.learnt.size());
  out.families = trusted_families(rows, *factors, {});
  const auto& families = families_of(rows);
  if (different(families) < different(rows.groups)) {
    const auto fold = folds_of(families, options.folds);
    const int count = *std::max_element(fold.begin(), fold.end()) + 1;
    if (count > 1) {
      auto by_family = cross_validate(rows, fold, count, options, cancelled);
      if (!by_family) return forward(by_family.error());
      const auto of_families = held_out_factors(rows, *by_family, rounds, cancelled);
      if (!of_families) return forward(of_families.error());
      out.family_validation = validation_of(rows, *of_families, count, different(families), rounds);
    }
  } else {
    out.family_validation = validation_of(rows, *factors, folds, different(rows.groups), rounds);
  }
  for (std::size_t f = 0; f < crossed.learnt.size(); ++f) {
    if (cancelled()) return Job::cancelled_error();
    auto& without = fit.folds.emplace_back(correction_of(crossed.learnt[f], rounds, rows));
    without.families = trusted_families(rows, *factors, crossed.held_out[f]);
    without.family_validation = out.family_validation;
    for (const auto r : crossed.held_out[f])
      fit.held_out[r] = factor_of(without, rows.values[r], families[r]);
  }
  out.validation = validation_of(rows, fit.held_out, folds, different(rows.groups), rounds);
  return {};
}

} // namespace

ErrorSummary error_summary(std::span<const double> measured, std::span<const double> predicted) {
  ErrorSummary out;
  if (measured.empty()) return out;
  std::vector<double> errors;
  for (std::size_t i = 0; i < measured.size(); ++i)
    errors.push_back(100 * std::abs(predicted[i] / measured[i] - 1));
  std::sort(errors.begin(), errors.end());
  const auto quantile = [&](double q) { // linear between order statistics, as numpy's default
    const double at = q * static_cast<double>(errors.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, errors.size() - 1);
    return errors[below] + (at - static_cast<double>(below)) * (errors[above] - errors[below]);
  };
  out.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  out.median = quantile(0.5);
  out.p95 = quantile(0.95);
  return out;
}

std::vector<std::size_t> sample_rows(std::span<const std::uint64_t> groups, std::size_t maximum) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= maximum) return order;
  // The rows of a group are adjacent in `order`, so an even step selects about the same fraction of each
  // group, for any order in which the rows ran.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return groups[a] < groups[b]; });
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < maximum; ++i) out.push_back(order[i * order.size() / maximum]);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<int> folds_of(const std::vector<std::string>& groups, int folds) {
  std::map<std::string, std::size_t> sizes;
  for (const auto& group : groups) ++sizes[group];
  std::vector<std::pair<std::string, std::size_t>> order(sizes.begin(), sizes.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::size_t> filled(
      std::max<std::size_t>(1, std::min(order.size(), static_cast<std::size_t>(std::max(folds, 1)))), 0);
  std::map<std::string, int> fold_of;
  for (const auto& [group, size] : order) {
    const auto minimum = std::min_element(filled.begin(), filled.end());
    fold_of[group] = static_cast<int>(minimum - filled.begin());
    *minimum += size;
  }
  std::vector<int> out;
  for (const auto& group : groups) out.push_back(fold_of[group]);
  return out;
}

Factor factor_of(const Correction& correction, std::span<const double> row, const std::string& family) {
  if (!correction.applied() || row.size() != correction.features.size()) return {};
  const auto outside = [&](std::size_t f) {
    const double slack = kRangeSlack * std::max(1.0, std::abs(row[f]));
    return std::isnan(row[f]) || row[f] < correction.lowest[f] - slack ||
           row[f] > correction.highest[f] + slack;
  };
  for (const auto* watched : {&correction.important, &correction.machine})
    if (std::any_of(watched->begin(), watched->end(), outside)) return {1, true};
  if (!correction.families.empty()) {
    const auto known = correction.families.find(family);
    if (known == correction.families.end()) {
      if (!correction.carries_over()) return {1, true};
    } else if (!known->second) {
      return {1, false, true};
    }
  }
  const std::vector<float> values(row.begin(), row.end());
  return {std::exp(std::clamp(sum_of(correction.trees, values), correction.clip_low, correction.clip_high)),
          false, false};
}

Factor Fit::held_out_factor(std::span<const double> row, const std::string& group,
                            const std::string& family) const {
  const auto fold = fold_of_group.find(group);
  if (fold == fold_of_group.end()) return factor_of(correction, row, family);
  return factor_of(folds[fold->second], row, family);
}

Expected<Fit> fit_correction(const CorrectionRows& rows, const std::string& kind,
                             const std::function<bool()>& cancelled, const CorrectionOptions& options) {
  if (auto good = check(rows); !good) return forward(good.error());
  Fit fit;
  auto& out = fit.correction;
  const auto fold = folds_of(rows.groups, options.folds);
  const int folds = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
  const bool enough = rows.values.size() >= options.min_rows && folds >= 2;
  fit.held_out.assign(rows.values.size(), {});
  if (enough) {
    const auto crossed = cross_validate(rows, fold, folds, options, cancelled);
    if (!crossed) return forward(crossed.error());
    std::vector<std::size_t> all(rows.values.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    auto boosting = options.boosting;
    boosting.rounds = static_cast<int>(crossed->best_rounds());
    const auto learnt = learn(rows, all, boosting, cancelled);
    if (!learnt) return forward(learnt.error());
    out = correction_of(*learnt, learnt->trees.size(), rows);
    if (auto done = validate(rows, *crossed, options, cancelled, fit); !done) return forward(done.error());
    if (!(out.validation.corrected.mean < out.validation.analytical.mean)) {
      out.refusal = fmt::format(
          "in cross-validation the corrected error ({:.2f} %) is not below the analytical error ({:.2f} %)",
          out.validation.corrected.mean, out.validation.analytical.mean);
      fit.held_out.assign(rows.values.size(), {});
      fit.folds.clear();
    } else {
      for (std::size_t r = 0; r < fold.size(); ++r)
        fit.fold_of_group[rows.groups[r]] = static_cast<std::size_t>(fold[r]);
    }
  } else {
    out.features = rows.features;
    out.validation.rows = static_cast<std::int64_t>(rows.values.size());
    out.validation.analytical = out.validation.corrected = error_summary(rows.measured, rows.predicted);
    out.refusal =
        fmt::format("{} rows of {} groups are too few for training: {} rows and 2 groups are needed",
                    rows.values.size(), different(rows.groups), options.min_rows);
  }
  out.kind = kind;
  out.provenance.library = boosting_library();
  return fit;
}

std::string boosting_library() {
  int major = 0, minor = 0, patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  return fmt::format("xgboost {}.{}.{}", major, minor, patch);
}

} // namespace jitterscope::model
