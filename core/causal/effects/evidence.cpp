#include "core/causal/effects/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/base/ordered_double.h"
#include "core/causal/base/bootstrap.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/wording.h"
#include "core/causal/groups/grouped_rows.h"
#include "core/causal/statistics/effects.h"
#include "core/causal/statistics/group_medians.h"
#include "core/causal/statistics/moments.h"
#include "core/causal/table/centrer.h"
#include "core/causal/table/frame.h"
#include "core/causal/table/statistics.h"
#include "core/causal/table/survey_frame.h"

namespace jitterscope::causal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kFineCells = 4'096;   ///< cells of the histograms from which quantiles are computed
constexpr double kFineKnee = 1e-4;  ///< fraction of the largest magnitude: quantiles within 0.3 %
constexpr int kHistogramCells = 60; ///< cells of the histograms of `to`, with and without the cause
constexpr int kBandPoints = 21;
constexpr int kReplicates = 200;
constexpr int kDensityColumns = 160, kDensityRows = 100; ///< cells of the density plots
constexpr std::int64_t kMaxPoints = 2'000; ///< up to that many rows are returned as points with row numbers
constexpr double kMinShare =
    0.05; ///< minimum fraction of the rows that a threshold separates from the others

struct Extent {
  double low = kInfinity, high = -kInfinity;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

Expected<void> combine(std::vector<Extent*> extents, Communicator& communicator) {
  std::vector<std::int64_t> keys;
  for (const Extent* e : extents)
    keys.push_back(ordered_integer(e->low)), keys.push_back(ordered_integer(-e->high));
  if (auto done = communicator.minimum(keys); !done) return done;
  for (std::size_t i = 0; i < extents.size(); ++i)
    *extents[i] = {from_ordered_integer(keys[2 * i]), -from_ordered_integer(keys[2 * i + 1])};
  return {};
}

/// Index of the cell, of equal length in the axis' scale, that contains a value.
class Cells {
public:
  Cells(const EvidenceAxis& axis, int cells) : axis_(&axis), cells_(cells) {
    low_ = axis.scaled(axis.minimum);
    const double length = axis.scaled(axis.maximum) - low_;
    per_unit_ = length > 0 ? cells / length : 0;
  }
  std::size_t operator()(double value) const {
    const double at = (axis_->scaled(value) - low_) * per_unit_;
    return static_cast<std::size_t>(std::clamp(at, 0.0, cells_ - 1.0));
  }
  double edge(int cell) const {
    const double at = per_unit_ > 0 ? low_ + cell / per_unit_ : low_;
    return axis_->knee > 0 ? axis_->knee * std::sinh(at) : at;
  }

private:
  const EvidenceAxis* axis_;
  int cells_;
  double low_ = 0, per_unit_ = 0;
};

/// Quantiles of one quantity from a fine histogram.
class Fine {
public:
  explicit Fine(const Extent& extent) {
    axis_.minimum = extent.low, axis_.maximum = extent.high;
    axis_.knee = kFineKnee * std::max(std::fabs(extent.low), std::fabs(extent.high));
    counts_.assign(kFineCells, 0);
  }
  void add(double value) { ++counts_[Cells(axis_, kFineCells)(value)]; }
  Expected<void> combine(Communicator& communicator) { return communicator.sum(counts_); }
  /// Upper edge of the cell in which the share is reached.
  double quantile(double share) const {
    const auto all = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    std::int64_t below = 0;
    for (int cell = 0; cell < kFineCells; ++cell) {
      below += counts_[cell];
      if (static_cast<double>(below) >= share * static_cast<double>(all))
        return Cells(axis_, kFineCells).edge(cell + 1);
    }
    return axis_.maximum;
  }
  /// The border between two groups if the values are in two groups. Else the median; if most rows are in its
  /// cell, fewer than kMinShare above it and more below it: the upper edge of the nearest cell below that has
  /// rows.
  double separation() const {
    if (const auto border = border_of_groups()) return *border;
    const auto all = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
    std::int64_t below = 0;
    std::size_t cell = 0;
    for (; 2 * (below + counts_[cell]) < all; ++cell) below += counts_[cell];
    const auto above = all - below - counts_[cell];
    if (below > above && static_cast<double>(above) < kMinShare * static_cast<double>(all))
      while (counts_[--cell] == 0) {
      }
    return border_above(cell);
  }
  /// 0 if a linear axis shows the values well, else the distance from 0 up to which it may be linear.
  double knee() const {
    const double spread = (quantile(0.9) - quantile(0.1)) / 2;
    const double largest = std::max(std::fabs(axis_.minimum), std::fabs(axis_.maximum));
    const double minimum = largest / 2'000;
    return largest > 30 * spread ? std::max(spread, minimum) : 0;
  }

private:
  /// The border with the largest variance between its sides (N. Otsu, 1979), if that is kOfTwoGroups of the
  /// variance: 64 % for a normal, 75 % for a uniform distribution.
  std::optional<double> border_of_groups() const {
    constexpr double kOfTwoGroups = 0.9;
    const Cells cells(axis_, kFineCells);
    const auto value = [&](std::size_t cell) {
      return 0.5 * (cells.edge(static_cast<int>(cell)) + cells.edge(static_cast<int>(cell) + 1));
    };
    double all = 0, sum = 0;
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
      all += static_cast<double>(counts_[cell]);
      sum += static_cast<double>(counts_[cell]) * value(cell);
    }
    double variance = 0, below = 0, sum_below = 0, largest = 0;
    std::size_t border = 0;
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
      const auto n = static_cast<double>(counts_[cell]);
      variance += n * (value(cell) - sum / all) * (value(cell) - sum / all);
      below += n;
      sum_below += n * value(cell);
      const double above = all - below;
      if (below < kMinShare * all || above < kMinShare * all) continue;
      const double apart = sum_below / below - (sum - sum_below) / above;
      if (const double between = below * above / all * apart * apart; between > largest)
        largest = between, border = cell;
    }
    if (!(largest > kOfTwoGroups * variance)) return {};
    return border_above(border);
  }

  /// A number above all values of a cell and below those of the next cell with rows: one of few digits, if
  /// cells between them are empty.
  double border_above(std::size_t cell) const {
    const Cells cells(axis_, kFineCells);
    const double low = cells.edge(static_cast<int>(cell) + 1);
    std::size_t next = cell + 1;
    while (next < counts_.size() && counts_[next] == 0) ++next;
    if (next == cell + 1 || next == counts_.size()) return low;
    const double high = cells.edge(static_cast<int>(next));
    if (low <= 0 && 0 < high) return 0;
    const double middle = low + (high - low) / 2;
    for (double step = std::pow(10, std::floor(std::log10(std::max(-low, high)))); step > 0; step /= 10)
      if (const double round = std::round(middle / step) * step; low <= round && round < high) return round;
    return low;
  }

  EvidenceAxis axis_;
  std::vector<std::int64_t> counts_;
};

struct Grid {
  Cells x, y;
  int rows;
  std::vector<std::int64_t> counts;
  Grid(const EvidenceScatter& scatter)
      : x(scatter.x, scatter.columns), y(scatter.y, scatter.rows), rows(scatter.rows),
        counts(static_cast<std::size_t>(scatter.columns) * static_cast<std::size_t>(scatter.rows)) {}
  void add(double vx, double vy) { ++counts[x(vx) * static_cast<std::size_t>(rows) + y(vy)]; }
  Expected<void> finish(EvidenceScatter& scatter, Communicator& communicator) {
    if (auto done = communicator.sum(counts); !done) return done;
    for (const auto count : counts)
      scatter.counts.push_back(static_cast<std::uint32_t>(std::min<std::int64_t>(count, 0xffffffff)));
    return {};
  }
};

/// The column of the table from which a column of the graph was derived.
std::string source_of(const RowSource& source, const std::string& column) {
  std::string best;
  for (const FeatureInfo& f : source.features()) {
    const bool made = column == f.name || column.starts_with(f.name + " ");
    if (made && f.name.size() > best.size()) best = f.name;
  }
  return best;
}

Centring centring_of(const Frame& frame, const std::string& reading) {
  return frame.groups.count == 0 ? Centring::none
                                 : value_in(kCentringNames, reading).value_or(Centring::none);
}

class Gatherer {
public:
  Gatherer(const RowSource& source, const Options& options, const EvidenceQuestion& question,
           Communicator& communicator, const Job& job)
      : source_(source), options_(options), question_(question), communicator_(communicator), job_(job),
        frame_(source) {}

  Expected<Evidence> run() {
    for (auto step : {&Gatherer::survey, &Gatherer::moments, &Gatherer::quantiles, &Gatherer::count})
      if (auto done = (this->*step)(); !done) return forward(done.error());
    return std::move(result_);
  }

private:
  Expected<void> survey() {
    const std::string& target = options_.target;
    options_.features.clear();
    std::vector<std::string> columns = {question_.from, question_.to};
    columns.insert(columns.end(), question_.given.begin(), question_.given.end());
    for (const auto& column : columns) {
      if (column == target && source_of(source_, column) != column) continue;
      const std::string name = source_of(source_, column);
      if (name.empty()) return failure(ErrorKind::BadUse, fmt::format("there is no column \"{}\"", column));
      options_.features.push_back(name);
    }
    auto done = assign(frame_, survey_frame(source_, options_, communicator_, job_));
    if (!done) return done;
    if (frame_.rows_used < 10)
      return failure(ErrorKind::BadInput,
                     fmt::format("only {} rows have a value of both columns, but at least 10 are needed",
                                 frame_.rows_used));
    for (const auto& column : columns) {
      auto place = place_of(column);
      if (!place) {
        if (&column - columns.data() >= 2) continue; // a held cause that is constant in these rows
        return forward(place.error());
      }
      // x first, then the held causes, y last
      if (&column - columns.data() == 1)
        y_ = *place;
      else
        places_.push_back(*place);
    }
    places_.push_back(y_);
    result_.n = frame_.rows_used;
    result_.reading = question_.reading;
    result_.measured.x = axis_of(question_.from, places_.front());
    result_.measured.y = axis_of(question_.to, y_);
    return {};
  }

  /// Index of the frame's column; −1: the target that is computed from durations.
  Expected<int> place_of(const std::string& name) const {
    if (name == frame_.target && frame_.target_kind != TargetKind::column) return -1;
    const auto found = std::ranges::find(frame_.columns, name, &Column::name);
    if (found != frame_.columns.end()) return static_cast<int>(found - frame_.columns.begin());
    return failure(ErrorKind::BadUse, fmt::format("\"{}\" does not differ between these rows", name));
  }

  EvidenceAxis axis_of(const std::string& name, int place) const {
    EvidenceAxis axis;
    axis.name = name, axis.label = words_for(name);
    axis.unit = place < 0 ? "ns" : frame_.columns[place].unit;
    return axis;
  }

  /// Cause, held causes, effect, in units.
  Eigen::MatrixXd values(const Tile& tile) const {
    Eigen::MatrixXd v(tile.raw.rows(), static_cast<Eigen::Index>(places_.size()));
    for (std::size_t p = 0; p < places_.size(); ++p)
      for (Eigen::Index r = 0; r < v.rows(); ++r)
        v(r, static_cast<Eigen::Index>(p)) =
            places_[p] < 0 ? frame_.target_value(tile, r) : tile.raw(r, places_[p]);
    return v;
  }
  Eigen::MatrixXd centred(const Tile& tile) const {
    Eigen::MatrixXd v = values(tile);
    centrer_.front().apply(tile, v);
    return v;
  }

  Expected<void> moments() {
    std::vector<double> bounds;
    for (const int p : places_) {
      bounds.push_back(p >= 0                     ? frame_.columns[p].magnitude()
                       : frame_.groups.count == 0 ? 1e18
                                                  : frame_.groups.longest);
    }
    centrer_.emplace_back(
        frame_, std::vector<Centring>(places_.size(), centring_of(frame_, question_.reading)), true);
    const auto raw = [this](const Tile& tile) { return values(tile); };
    if (auto done = centrer_.front().learn(raw, bounds, communicator_, job_); !done) return done;
    const auto columns = static_cast<Eigen::Index>(places_.size());
    const auto as_in_the_search = [&](const Tile& tile) {
      const Eigen::MatrixXd as_is = values(tile);
      for (Eigen::Index r = 0; r < as_is.rows(); ++r)
        x_.add(as_is(r, 0)), y_extent_.add(as_is(r, columns - 1));
      return centrer_.front().needed() ? centred(tile) : as_is;
    };
    auto done =
        assign(moments_, block_moments(frame_, columns, as_in_the_search, communicator_, job_, "evidence"));
    if (done) done = combine({&x_, &y_extent_}, communicator_);
    if (!done) return done;
    for (auto* fit : {&of_x_, &of_y_}) *fit = held(moments_.total(), fit == &of_x_ ? 0 : columns - 1);
    return {};
  }

  /// Coefficients of a column's regression on the held causes.
  Eigen::VectorXd held(const Moments& moments, Eigen::Index column) const {
    auto predictors = numbers_below<int>(places_.size() - 1);
    predictors.erase(predictors.begin()); // the cause
    if (predictors.empty()) return {};
    return regress(moments.covariance(), static_cast<int>(column), predictors).coefficients;
  }

  /// x or y of a row minus its prediction from the differences of the held causes from their means.
  double adjusted(const Eigen::MatrixXd& v, Eigen::Index row, Eigen::Index column,
                  const Eigen::VectorXd& on_held) const {
    const auto& mean = moments_.total().mean;
    double value = v(row, column);
    for (Eigen::Index k = 0; k < on_held.size(); ++k) value -= on_held(k) * (v(row, 1 + k) - mean(1 + k));
    return value;
  }

  Expected<void> quantiles() {
    Fine x(x_), y(y_extent_);
    const Eigen::Index last = static_cast<Eigen::Index>(places_.size()) - 1;
    auto walked = frame_.walk(job_, "evidence", [&](std::int64_t, const Tile& tile) {
      const Eigen::MatrixXd as_is = values(tile), v = centred(tile);
      for (Eigen::Index r = 0; r < v.rows(); ++r) {
        x.add(as_is(r, 0)), y.add(as_is(r, last));
        partial_x_.add(adjusted(v, r, 0, of_x_)), partial_y_.add(adjusted(v, r, last, of_y_));
      }
    });
    if (!walked) return walked;
    for (Fine* fine : {&x, &y})
      if (auto done = fine->combine(communicator_); !done) return done;
    if (auto done = combine({&partial_x_, &partial_y_}, communicator_); !done) return done;
    const Column& column = frame_.columns[static_cast<std::size_t>(places_.front())];
    result_.event = column.may_happen();
    if (!result_.event) result_.threshold = x.separation();
    auto& measured = result_.measured;
    measured.x.minimum = x_.low, measured.x.maximum = x_.high, measured.x.knee = result_.event ? 0 : x.knee();
    measured.y.minimum = y_extent_.low, measured.y.maximum = y_extent_.high, measured.y.knee = y.knee();
    measured.columns = kDensityColumns, measured.rows = kDensityRows;
    result_.partial = measured;
    if (column.event) // one wide cell each for no and yes
      measured.columns = 2, measured.x.minimum = -0.5, measured.x.maximum = 1.5;
    auto& partial = result_.partial;
    partial.x.minimum = partial_x_.low, partial.x.maximum = partial_x_.high;
    partial.y.minimum = partial_y_.low, partial.y.maximum = partial_y_.high;
    partial.x.knee = partial.y.knee = 0; // a straight line needs linear axes
    return {};
  }

  Expected<void> count() {
    Grid measured(result_.measured), partial(result_.partial);
    result_.histogram_axis = result_.measured.y;
    const Cells cells(result_.histogram_axis, kHistogramCells);
    result_.with.assign(kHistogramCells, 0);
    result_.without.assign(kHistogramCells, 0);
    std::vector<double> sums; // sums of y with and without the cause, by block
    std::vector<double> effects;
    std::vector<std::uint32_t> sides; // 1: with the cause
    std::vector<double> points;
    std::vector<std::int64_t> numbers;
    const bool few = frame_.rows_used <= kMaxPoints;
    const Eigen::Index last = static_cast<Eigen::Index>(places_.size()) - 1;
    std::int64_t block_before = -1;
    auto walked = frame_.walk(job_, "evidence", [&](std::int64_t block, const Tile& tile) {
      if (block != block_before) sums.insert(sums.end(), {0, 0}), block_before = block;
      const Eigen::MatrixXd as_is = values(tile), v = centred(tile);
      for (Eigen::Index r = 0; r < v.rows(); ++r) {
        const double x = as_is(r, 0), y = as_is(r, last);
        const double px = adjusted(v, r, 0, of_x_), py = adjusted(v, r, last, of_y_);
        measured.add(x, y), partial.add(px, py);
        const bool with = x > result_.threshold;
        ++(with ? result_.with : result_.without)[cells(y)];
        sums[sums.size() - (with ? 2 : 1)] += y;
        effects.push_back(y), sides.push_back(with ? 1 : 0);
        if (!few) continue;
        points.insert(points.end(), {x, y, px, py});
        numbers.push_back(source_.origin_of(frame_.local.first_row + static_cast<std::int64_t>(tile.row[r])));
      }
    });
    if (!walked) return walked;
    if (auto done = measured.finish(result_.measured, communicator_); !done) return done;
    if (auto done = partial.finish(result_.partial, communicator_); !done) return done;
    if (auto done = report_points(points, numbers); !done) return done;
    if (auto done = report_sides(cells, sums); !done) return done;
    const auto medians = group_medians(effects, sides, 2, communicator_, job_);
    if (!medians) return forward(medians.error());
    if (result_.n_with > 0) result_.median_with = (*medians)[1];
    if (result_.n_with < result_.n) result_.median_without = (*medians)[0];
    return draw_line();
  }

  Expected<void> report_points(const std::vector<double>& points, const std::vector<std::int64_t>& numbers) {
    const auto all = communicator_.all_gather<double>(points);
    if (!all) return forward(all.error());
    EvidenceScatter &measured = result_.measured, &partial = result_.partial;
    for (const double* point = all->data(); point != all->data() + all->size(); point += 4) {
      measured.point_x.push_back(point[0]), measured.point_y.push_back(point[1]);
      partial.point_x.push_back(point[2]), partial.point_y.push_back(point[3]);
    }
    auto done = assign(measured.point_row, communicator_.all_gather<std::int64_t>(numbers));
    partial.point_row = measured.point_row;
    return done;
  }

  Expected<void> report_sides(const Cells& cells, const std::vector<double>& sums) {
    for (auto* side : {&result_.with, &result_.without})
      if (auto done = communicator_.sum(*side); !done) return done;
    auto all = communicator_.all_gather<double>(sums);
    if (!all) return forward(all.error());
    double with = 0, without = 0;
    for (std::size_t i = 0; i + 1 < all->size(); i += 2) with += (*all)[i], without += (*all)[i + 1];
    for (const auto count : result_.with) result_.n_with += count;
    const std::int64_t n_without = result_.n - result_.n_with;
    if (result_.n_with > 0) result_.mean_with = with / static_cast<double>(result_.n_with);
    if (n_without > 0) result_.mean_without = without / static_cast<double>(n_without);
    for (int cell = 0; cell <= kHistogramCells; ++cell) result_.edges.push_back(cells.edge(cell));
    return {};
  }

  /// Slope of the line in a resample, and its height at the mean of all rows, from the regression on the
  /// cause and the held causes.
  std::pair<double, double> line(const Moments& resample) const {
    const int last = static_cast<int>(places_.size()) - 1;
    const auto b = regress(resample.covariance(), last, numbers_below(last)).coefficients;
    const auto& mean = moments_.total().mean;
    double height = resample.mean(last);
    for (int p = 0; p < last; ++p) height -= b(p) * (resample.mean(p) - mean(p));
    return {b(0), height};
  }

  Expected<void> draw_line() {
    const auto [slope, height] = line(moments_.total());
    result_.slope = slope;
    const auto resamples = draw_resamples(moments_.blocks(), frame_.plan.rows_per_block(), 1.0, kReplicates,
                                          options_.seed, job_);
    if (!resamples) return forward(resamples.error());
    std::vector<std::pair<double, double>> lines;
    std::vector<double> slopes;
    for (const auto& weights : *resamples) {
      if (job_.cancelled()) return Job::cancelled_error();
      lines.push_back(line(moments_.resampled(weights)));
      slopes.push_back(lines.back().first);
    }
    const double wider =
        interval_expansion(static_cast<double>(frame_.rows_used), static_cast<double>(places_.size()));
    result_.slope_ci = expanded(percentile_interval(slopes), slope, wider);
    const double centre = moments_.total().mean(0);
    const Cells steps(result_.partial.x, kBandPoints - 1);
    for (int i = 0; i < kBandPoints; ++i) {
      const double x = steps.edge(i);
      std::vector<double> heights;
      for (const auto& [b, at] : lines) heights.push_back(at + b * (x - centre));
      const double y = height + slope * (x - centre);
      const Range band = expanded(percentile_interval(std::move(heights)), y, wider);
      result_.line_x.push_back(x), result_.line_y.push_back(y);
      result_.line_low.push_back(band.low), result_.line_high.push_back(band.high);
    }
    return {};
  }

  const RowSource& source_;
  Options options_;
  const EvidenceQuestion& question_;
  Communicator& communicator_;
  const Job& job_;
  Frame frame_;
  std::vector<int> places_; ///< columns: cause, held causes, effect
  int y_ = -1;
  std::vector<Centrer> centrer_; ///< the centrer; empty until it is made
  BlockMoments moments_;
  Eigen::VectorXd of_x_, of_y_;
  Extent x_, y_extent_, partial_x_, partial_y_;
  Evidence result_;
};

} // namespace

Expected<Evidence> evidence(const RowSource& source, const Options& options, const EvidenceQuestion& question,
                            Communicator& communicator, const Job& job) {
  auto rows = GroupedRows::make(source, options, communicator, job);
  if (!rows) return forward(rows.error());
  return Gatherer(*rows, options, question, communicator, job).run();
}

} // namespace jitterscope::causal
