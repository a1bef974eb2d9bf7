#include "core/causal/effects/joint_effects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/causal/base/lists.h"
#include "core/causal/statistics/normal_scores.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kPairClasses = 4, kSpreadClasses = 16, kBendClasses = 16;
constexpr double kMinPart = 0.1; ///< minimum fraction of the variance
constexpr double kClearlyMore = 1.1;
constexpr int kBackfits = 20;

/// Sums over the rows of a cell.
struct Cell {
  double n = 0, sum = 0;
  void add(double y) { n += 1, sum += y; }
  void add(const Cell& other) { n += other.n, sum += other.sum; }
  double mean(double otherwise) const { return n > 0 ? sum / n : otherwise; }
};

/// Cells of rows, by fold.
using Folds = std::array<std::vector<Cell>, kFolds>;

Folds cells_of(const std::vector<std::size_t>& cell_of, std::size_t cells, const Eigen::VectorXd& y,
               const RankedSample& ranked) {
  Folds folds;
  for (std::size_t f = 0; f < kFolds; ++f) {
    folds[f].resize(cells);
    for (const auto r : ranked.rows_of_fold[f]) folds[f][cell_of[r]].add(y(r));
  }
  return folds;
}

std::vector<Cell> without(const Folds& folds, std::size_t left_out) {
  std::vector<Cell> known(folds.front().size());
  for (std::size_t f = 0; f < kFolds; ++f)
    for (std::size_t c = 0; f != left_out && c < known.size(); ++c) known[c].add(folds[f][c]);
  return known;
}

double level_of(const std::vector<Cell>& cells) {
  Cell all;
  for (const Cell& cell : cells) all.add(cell);
  return all.mean(0);
}

std::vector<double> means_of(const std::vector<Cell>& cells) {
  return mapped(cells, [level = level_of(cells)](const Cell& cell) { return cell.mean(level); });
}

/// Additive effects of rows and columns of a table of cells, by least squares.
std::vector<double> added_effects(const std::vector<Cell>& cells, std::size_t rows, std::size_t columns) {
  const double level = level_of(cells);
  std::vector<double> row(rows), column(columns), predicted;
  const auto fit = [&](std::vector<double>& effect, const std::vector<double>& other, bool of_rows) {
    for (std::size_t i = 0; i < effect.size(); ++i) {
      double n = 0, left = 0;
      for (std::size_t j = 0; j < other.size(); ++j) {
        const Cell& cell = cells[of_rows ? i * columns + j : j * columns + i];
        n += cell.n, left += cell.sum - cell.n * (level + other[j]);
      }
      effect[i] = n > 0 ? left / n : 0;
    }
  };
  for (int pass = 0; pass < kBackfits; ++pass) fit(row, column, true), fit(column, row, false);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) predicted.push_back(level + row[i] + column[j]);
  return predicted;
}

/// Squared errors of two predictions of rows not used in the fit.
class Comparison {
public:
  explicit Comparison(const RankedSample& ranked) : ranked_(ranked) {}
  /// Errors of the simple prediction, of the one with more parameters, and of the mean.
  void add(Eigen::Index row, double simple, double joint, double level) {
    saved_[ranked_.sample.stretch[row]] += simple * simple - joint * joint;
    total_ += level * level;
  }
  /// The errors that the second prediction saves, as a fraction of the variance; 0 if they may be chance.
  double part(double tests) const {
    const double sum = std::accumulate(saved_.begin(), saved_.end(), 0.0);
    return total_ > 0 && sum >= kMinPart * total_ && is_above_chance(saved_, tests) ? sum / total_ : 0;
  }

private:
  const RankedSample& ranked_;
  ErrorsByStretch saved_{};
  double total_ = 0;
};

/// How much better cell means predict rows not used in the fit than `simple` does, as a fraction of the
/// variance of these rows; 0 if it may be chance.
double gain_of(const std::vector<std::size_t>& cell_of, std::size_t cells, const Eigen::VectorXd& y,
               const RankedSample& ranked, double tests, const auto& simple) {
  const Folds folds = cells_of(cell_of, cells, y, ranked);
  Comparison comparison(ranked);
  for (std::size_t f = 0; f < kFolds; ++f) {
    const auto known = without(folds, f);
    const auto plain = simple(known), joint = means_of(known);
    const double level = level_of(known);
    for (const auto r : ranked.rows_of_fold[f])
      comparison.add(r, y(r) - plain[cell_of[r]], y(r) - joint[cell_of[r]], y(r) - level);
  }
  return comparison.part(tests);
}

/// False if the target follows the levels clearly less than half as much within stretches of rows as over all
/// rows: two quantities that only drift seem to depend on each other.
bool acts_within_stretches(const Eigen::VectorXd& level, const Eigen::VectorXd& y,
                           const std::vector<int>& stretch) {
  double xx = 0, xy = 0, yy = 0, freedom = -1;
  for (std::size_t first = 0, last = 0; first < stretch.size(); first = last) {
    while (last < stretch.size() && stretch[last] == stretch[first]) ++last;
    const auto n = static_cast<Eigen::Index>(last - first);
    const Eigen::ArrayXd x = level.segment(static_cast<Eigen::Index>(first), n),
                         of_y = y.segment(static_cast<Eigen::Index>(first), n);
    const Eigen::ArrayXd dx = x - x.mean(), dy = of_y - of_y.mean();
    xx += dx.square().sum(), xy += (dx * dy).sum(), yy += dy.square().sum(),
        freedom += static_cast<double>(n - 1);
  }
  if (!(xx > 0) || freedom < 1) return true;
  const double slope = xy / xx, error = std::sqrt(std::max(0.0, yy - slope * xy) / freedom / xx);
  return slope + 2 * error >= 0.5; // 1 over all rows
}

/// How much better classes of the column predict the target than a straight line, as a fraction of the
/// target's variance; 0 if it may be chance.
double bend_of(const Eigen::VectorXd& x, const Eigen::VectorXd& y, const RankedSample& ranked, double tests) {
  const auto ends = class_ends(x, classes_for(x.size(), kBendClasses));
  if (ends.size() < 3) return 0;
  const auto class_of = classes_of(x, ends);
  const Folds folds = cells_of(class_of, ends.size(), y, ranked);
  const auto pairs = mapped(ranked.rows_of_fold, [&](const auto& rows) {
    Eigen::MatrixXd pair(static_cast<Eigen::Index>(rows.size()), 2);
    pair << x(rows), y(rows);
    return Moments::of(pair);
  });
  Comparison comparison(ranked);
  for (std::size_t f = 0; f < kFolds; ++f) {
    Moments others(2);
    for (std::size_t g = 0; g < kFolds; ++g)
      if (g != f) others.merge(pairs[g]);
    const Lines line = Lines::of(others);
    const auto known = without(folds, f);
    for (const auto r : ranked.rows_of_fold[f])
      comparison.add(r, y(r) - (line.level + line.slope(0) * (x(r) - line.mean(0))),
                     y(r) - known[class_of[r]].mean(line.level), y(r) - line.level);
  }
  const double part = comparison.part(tests);
  if (part == 0) return 0;
  const auto all = without(folds, kFolds);
  Eigen::VectorXd level(y.size());
  for (Eigen::Index r = 0; r < y.size(); ++r) level(r) = all[class_of[r]].mean(0);
  return acts_within_stretches(level, y, ranked.sample.stretch) ? part : 0;
}

void largest_first(auto& list) {
  std::ranges::stable_sort(list, std::greater(), [](const auto& of) { return of.part; });
}

} // namespace

Expected<std::vector<ColumnPair>> find_pairs(const RankedSample& ranked, const Job& job) {
  const auto columns = static_cast<std::size_t>(ranked.sample.predictors());
  std::vector<std::size_t> classes;
  std::vector<std::vector<std::size_t>> class_of;
  for (std::size_t c = 0; c < columns; ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto scores = ranked.column(static_cast<Eigen::Index>(c));
    const auto ends = class_ends(scores, kPairClasses);
    classes.push_back(ends.size());
    class_of.push_back(classes_of(scores, ends));
  }
  const bool by_configuration = ranked.configurations > 1;
  if (by_configuration) classes.push_back(ranked.configurations), class_of.push_back(ranked.configuration);
  const auto tests =
      0.5 * static_cast<double>(classes.size() * (classes.size() - 1) * ranked.responses.size());
  std::vector<std::size_t> cell_of(static_cast<std::size_t>(ranked.sample.z.rows()));
  const auto part_of = [&](std::size_t a, std::size_t b) -> Expected<double> {
    for (std::size_t r = 0; r < cell_of.size(); ++r)
      cell_of[r] = class_of[a][r] * classes[b] + class_of[b][r];
    const auto gain = [&](const Eigen::VectorXd& of) {
      return gain_of(
          cell_of, classes[a] * classes[b], of, ranked, tests,
          [&](const std::vector<Cell>& known) { return added_effects(known, classes[a], classes[b]); });
    };
    double largest = 0;
    for (const auto& response : ranked.responses) {
      if (job.cancelled()) return Job::cancelled_error();
      double part = gain(response.y);
      if (part > 0 && ranked.parents > 0) part = std::min(part, response.left_share * gain(response.left));
      largest = std::max(largest, part);
    }
    return largest;
  };
  std::vector<ColumnPair> pairs;
  std::vector<double> least(columns, kMinPart); ///< by column: minimum part of a pair
  const auto add = [&](std::size_t a, std::size_t b, int name_of_b, double minimum) -> Expected<double> {
    auto part = part_of(a, b);
    if (part && *part >= minimum) pairs.push_back({static_cast<int>(a), name_of_b, *part});
    return part;
  };
  // Scores of a column with few values also depend on the configuration: a pair of columns must explain
  // clearly more than either of them with the configuration.
  for (std::size_t a = 0; by_configuration && a < columns; ++a) {
    const auto part = add(a, columns, ColumnPair::kConfiguration, kMinPart);
    if (!part) return forward(part.error());
    least[a] = std::max(kMinPart, kClearlyMore * *part);
  }
  for (std::size_t a = 0; a < columns; ++a)
    for (std::size_t b = a + 1; b < columns; ++b)
      if (const auto part = add(a, b, static_cast<int>(b), std::max(least[a], least[b])); !part)
        return forward(part.error());
  largest_first(pairs);
  return pairs;
}

Expected<std::vector<ColumnSpread>> find_spreads(const RankedSample& ranked, const Job& job) {
  const auto columns = ranked.sample.predictors();
  Eigen::VectorXd spread = ranked.responses.front().left.cwiseAbs();
  const std::vector<double> values(spread.begin(), spread.end());
  const NormalScores scores(values, values.size());
  spread = spread.unaryExpr([&](double v) { return scores(v); });
  std::vector<ColumnSpread> spreads;
  for (Eigen::Index c = 0; c < columns; ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto ends = class_ends(ranked.column(c), classes_for(ranked.sample.z.rows(), kSpreadClasses));
    const double part = gain_of(
        classes_of(ranked.column(c), ends), ends.size(), spread, ranked, static_cast<double>(columns),
        [](const std::vector<Cell>& known) { return std::vector<double>(known.size(), level_of(known)); });
    if (part > 0) spreads.push_back({static_cast<int>(c), part});
  }
  largest_first(spreads);
  return spreads;
}

Expected<std::vector<ColumnBend>> find_bends(const RankedSample& ranked, const std::vector<int>& candidates,
                                             const Job& job) {
  const auto tests = static_cast<double>(candidates.size() * ranked.responses.size());
  std::vector<ColumnBend> bends;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto x = ranked.column(ranked.parents + static_cast<Eigen::Index>(c));
    double largest = 0;
    for (const auto& response : ranked.responses) {
      double part = bend_of(x, response.y, ranked, tests);
      if (part >= kMinPart && ranked.parents > 0)
        part = std::min(part, response.left_share * bend_of(x, response.left, ranked, tests));
      largest = std::max(largest, part);
    }
    if (largest >= kMinPart) bends.push_back({candidates[c], largest});
  }
  largest_first(bends);
  return bends;
}

} // namespace jitterscope::causal
