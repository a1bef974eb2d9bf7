#include "core/causal/table/directed_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/base/ids.h"
#include "core/causal/base/lists.h"
#include "core/causal/base/note_specs.h"
#include "core/causal/base/tiers.h"
#include "core/causal/base/wording.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/set_values.h"
#include "core/causal/table/stretch_sample.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kDrawnStretches = 32;
constexpr std::int64_t kMinDrawn = 24, kMaxDrawn = 512;
constexpr std::size_t kEarlierRows = 8;
constexpr std::size_t kValueClasses = 16; ///< maximum classes of a number
constexpr std::size_t kMaxKernels = 8;    ///< of more kernels, all have the same means
constexpr double kMinCorrelation = 0.2;
constexpr double kClear = 5; ///< minimum distance from what a consequence would show, in standard errors
/// Maximum distance from what a cause would show: in standard errors, and in addition.
constexpr double kCompatible = 3, kSlack = 0.05;
constexpr double kMaxRestCorrelation = 0.4; ///< maximum autocorrelation of the rest of the target
/// Minimum correlation that a consequence would have with the other column, and maximum part of it that an
/// independent column may have.
constexpr double kMinExpected = 0.08, kIndependent = 0.2;

/// Rows of the stretches, one after the other, with the target.
struct DrawnRows {
  std::int64_t of_stretch = 0;
  Eigen::MatrixXd values;
  Eigen::VectorXd target;           ///< rank within the configuration, minus the mean of the stretch
  Eigen::VectorXd measured;         ///< the target itself; NaN: unknown
  std::vector<std::uint32_t> group; ///< configuration
  std::vector<std::uint32_t> kernel;

  std::int64_t rows() const { return target.size(); }
  std::size_t half(std::int64_t row) const { return static_cast<std::size_t>(row / of_stretch) % 2; }
  void centre(Eigen::VectorXd& x) const {
    for (std::int64_t at = 0; at < x.size(); at += of_stretch)
      x.segment(at, of_stretch).array() -= x.segment(at, of_stretch).mean();
  }
  /// Σ x_i y_{i−lag} within the stretches.
  double cross(const Eigen::VectorXd& x, const Eigen::VectorXd& y, std::int64_t lag) const {
    double sum = 0;
    for (std::int64_t at = 0; at < x.size(); at += of_stretch)
      sum += x.segment(at + lag, of_stretch - lag).dot(y.segment(at, of_stretch - lag));
    return sum;
  }
};

Expected<std::optional<DrawnRows>> drawn_rows(const RowSource& source, std::optional<Eigen::Index> target,
                                              const Job& job) {
  DrawnRows sample;
  sample.of_stretch = std::min(source.rows() / static_cast<std::int64_t>(kDrawnStretches), kMaxDrawn);
  if (sample.of_stretch < kMinDrawn) return std::optional<DrawnRows>();
  const auto rows = sample.of_stretch * static_cast<std::int64_t>(kDrawnStretches);
  sample.values.resize(rows, std::ssize(source.features()));
  sample.target = Eigen::VectorXd::Zero(rows);
  sample.measured = Eigen::VectorXd::Constant(rows, kMissing);
  sample.group.assign(static_cast<std::size_t>(rows), 0);
  sample.kernel.assign(static_cast<std::size_t>(rows), 0);
  std::vector<std::int64_t> known;
  std::vector<double> targets;
  std::vector<std::uint32_t> groups;
  RowBlock block;
  for (std::size_t s = 0; s < kDrawnStretches; ++s) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto first =
        static_cast<std::int64_t>(s) * source.rows() / static_cast<std::int64_t>(kDrawnStretches);
    if (auto done = source.read(first, sample.of_stretch, block); !done) return forward(done.error());
    const auto at = static_cast<std::int64_t>(s) * sample.of_stretch;
    sample.values.middleRows(at, sample.of_stretch) = block.values;
    for (std::int64_t i = 0; i < sample.of_stretch; ++i) {
      const auto group = block.group.empty() ? 0 : block.group[static_cast<std::size_t>(i)];
      const double y = target                      ? block.values(i, *target)
                       : block.duration_ns.empty() ? kMissing
                                                   : block.duration_ns[static_cast<std::size_t>(i)];
      if (group == kNone || std::isnan(y)) continue;
      if (!block.group.empty()) sample.kernel[static_cast<std::size_t>(at + i)] = source.kernel_of(group);
      sample.measured(at + i) = y, sample.group[static_cast<std::size_t>(at + i)] = group;
      known.push_back(at + i), targets.push_back(y), groups.push_back(group);
    }
  }
  const auto ranks = ranks_within(targets, groups);
  for (std::size_t k = 0; k < known.size(); ++k) sample.target(known[k]) = ranks[k];
  sample.centre(sample.target);
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (auto& kernel : sample.kernel)
    kernel = numbers.try_emplace(kernel, static_cast<std::uint32_t>(numbers.size())).first->second;
  if (numbers.size() > kMaxKernels) sample.kernel.assign(sample.kernel.size(), 0);
  return std::optional(std::move(sample));
}

/// A column as the mean target of its values.
class ExpectedTarget {
public:
  ExpectedTarget(const DrawnRows& sample, std::size_t feature, bool category) : sample_(sample) {
    Eigen::VectorXd values = sample.values.col(static_cast<Eigen::Index>(feature));
    std::vector<double> known;
    std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return !std::isnan(v); });
    const auto ends = class_ends(Eigen::Map<Eigen::VectorXd>(known.data(), std::ssize(known)),
                                 category ? known.size() : kValueClasses);
    for (double& v : values)
      if (std::isnan(v)) v = std::numeric_limits<double>::infinity(); // a class after all others
    classes_ = classes_of(values, ends), width_ = ends.size() + 1;
    const auto kernels = 1 + static_cast<std::size_t>(*std::ranges::max_element(sample.kernel));
    std::vector<double> counts(2 * kernels * width_, 0.0);
    means_.assign(counts.size(), 0.0);
    for (std::int64_t i = 0; i < sample.rows(); ++i) {
      const auto cell = cell_of(i, i, 1 - sample.half(i));
      counts[cell] += 1, means_[cell] += sample.target(i);
    }
    for (std::size_t c = 0; c < means_.size(); ++c) means_[c] /= std::max(counts[c], 1.0);
    x_ = of_row(0);
    const double squares = x_.squaredNorm() * sample.target.squaredNorm();
    correlation_ = squares > 0 ? x_.dot(sample.target) / std::sqrt(squares) : 0;
    if (correlation_ < kMinCorrelation) return;
    for (std::size_t lag = 1; lag <= kEarlierRows; ++lag)
      alike_[lag - 1] = sample.cross(x_, x_, static_cast<std::int64_t>(lag)) / x_.squaredNorm();
  }

  double correlation() const { return correlation_; }
  const Eigen::VectorXd& x() const { return x_; }
  /// Autocorrelation at lags 1, 2 …; only of columns with at least kMinCorrelation.
  const std::array<double, kEarlierRows>& alike() const { return alike_; }
  /// For each row the mean of its kernel for the value `lag` rows before, within the stretch.
  Eigen::VectorXd of_row(std::int64_t lag) const {
    Eigen::VectorXd x(sample_.rows());
    for (std::int64_t i = 0; i < x.size(); ++i)
      x(i) = means_[cell_of(i, std::max(i - lag, i - i % sample_.of_stretch), sample_.half(i))];
    sample_.centre(x);
    return x;
  }

private:
  std::size_t cell_of(std::int64_t row, std::int64_t value_of, std::size_t half) const {
    const auto kernels = means_.size() / 2 / width_;
    return (half * kernels + sample_.kernel[static_cast<std::size_t>(row)]) * width_ +
           classes_[static_cast<std::size_t>(value_of)];
  }

  const DrawnRows& sample_;
  std::vector<std::size_t> classes_;
  std::size_t width_ = 0;     ///< number of classes
  std::vector<double> means_; ///< by half of the rows, kernel and class
  Eigen::VectorXd x_;
  double correlation_ = 0;
  std::array<double, kEarlierRows> alike_{};
};

/// Whether earlier values are associated with the target as those of a cause are, and clearly not as those of
/// a consequence.
bool acts_through_present_value(const DrawnRows& sample, const ExpectedTarget& column) {
  const Eigen::VectorXd &x = column.x(), &y = sample.target;
  const double xx = x.squaredNorm(), yy = y.squaredNorm(), xy = x.dot(y), rho = column.correlation();
  double products = 0, squares = 0;
  for (std::size_t lag = 1; lag <= kEarlierRows; ++lag) {
    const Eigen::VectorXd earlier = column.of_row(static_cast<std::int64_t>(lag));
    double with_target = 0, with_own = 0;
    for (std::int64_t at = 0; at < x.size(); at += sample.of_stretch) {
      const auto first = at + static_cast<std::int64_t>(lag),
                 count = sample.of_stretch - static_cast<std::int64_t>(lag);
      with_target += y.segment(first, count).dot(earlier.segment(first, count));
      with_own += x.segment(first, count).dot(earlier.segment(first, count));
    }
    const double a = with_target / std::sqrt(xx * yy), b = with_own / xx;
    products += a * b, squares += b * b;
  }
  if (!(squares > 0)) return false;
  const double slope = products / squares,
               error = 1 / std::sqrt(static_cast<double>(sample.rows()) * squares);
  const Eigen::VectorXd rest = y - xy / xx * x;
  const double again = sample.cross(rest, rest, 1) / rest.squaredNorm();
  return 1 - slope >= kClear * error && std::fabs(slope - rho) <= kCompatible * error + kSlack &&
         std::fabs(again) <= kMaxRestCorrelation;
}

/// Whether two columns that are associated with the target are independent of each other.
bool are_independent(const DrawnRows& sample, const ExpectedTarget& a, const ExpectedTarget& b) {
  const double expected = a.correlation() * b.correlation();
  double alike = 1; // autocorrelated columns have fewer independent rows
  for (std::size_t lag = 0; lag < kEarlierRows; ++lag) alike += 2 * a.alike()[lag] * b.alike()[lag];
  const double error = std::sqrt(std::max(alike, 1.0) / static_cast<double>(sample.rows())),
               found = std::fabs(a.x().dot(b.x())) / std::sqrt(a.x().squaredNorm() * b.x().squaredNorm());
  return expected >= kMinExpected && found <= kIndependent * expected + 2 * error &&
         expected - found >= kClear * error;
}

/// Whether an event happened exactly in the launches beyond some duration of their configuration, and
/// durations are as dense there as on both sides. If the event lengthens launches, their durations overlap
/// those of others, or there is a gap between them.
bool happens_beyond_a_limit(const DrawnRows& sample, std::size_t feature) {
  constexpr std::size_t kMinRows = 30, kNear = 15;
  // Distances of neighbouring durations: maximum ratio of the two sides, and maximum between the sides in
  // means.
  constexpr double kAlike = 3, kMaxGap = 6;
  std::map<std::uint32_t, std::pair<std::vector<double>, std::vector<double>>> durations; // without and with
  for (std::int64_t i = 0; i < sample.rows(); ++i) {
    const double x = sample.values(i, static_cast<Eigen::Index>(feature));
    if (std::isnan(x) || std::isnan(sample.measured(i))) continue;
    auto& [without, with] = durations[sample.group[static_cast<std::size_t>(i)]];
    (x > 0 ? with : without).push_back(sample.measured(i));
  }
  std::size_t limited = 0;
  for (auto& [group, sides] : durations) {
    auto& [without, with] = sides;
    if (with.empty() || without.empty()) continue;
    std::ranges::sort(without), std::ranges::sort(with);
    if (with.front() < without.back()) return false;
    if (with.size() < kMinRows || without.size() < kMinRows) continue;
    const double before = without.back() - without[without.size() - 1 - kNear],
                 gap = with.front() - without.back(), after = with[kNear] - with.front();
    if (std::max(before, after) > kAlike * std::min(before, after) ||
        gap * 2 * kNear > kMaxGap * (before + after))
      return false;
    ++limited;
  }
  return limited > 0;
}

/// Whether the name makes a column one of what happens to a launch.
bool may_be_event(const FeatureInfo& info, const Options& options) {
  const auto tier = info.tier >= 0 ? std::optional(info.tier) : tier_by_name(info.name, info.unit);
  return info.of_plain_table && info.role != FeatureRole::category && info.leaves.empty() &&
         !options.knowledge.has_tier(info.name) && !options.knowledge.has_edge(info.name) &&
         (tier == static_cast<int>(Tier::context) || tier == static_cast<int>(Tier::counters)) &&
         !is_device_state(info.name) && !is_of_others(info.name);
}

/// Whether only its values can tell whether the column comes before the target.
bool is_open(const FeatureInfo& info, const Options& options) {
  return info.of_plain_table && info.tier < 0 && info.leaves.empty() &&
         !options.knowledge.has_tier(info.name) && !options.knowledge.has_edge(info.name) &&
         !tier_by_name(info.name, info.unit) && !has_form_of_consequence(info.name, info.unit);
}

/// Columns of a table of runs whose values tell that they were set (set_values.h). Names that state this, or
/// where a run took place, are left to decide. Without `target` the target is the duration.
Expected<std::vector<std::size_t>> set_columns(const RowSource& source, std::optional<Eigen::Index> target,
                                               const Options& options, const Job& job) {
  constexpr std::int64_t kMaxRuns = 65'536;
  std::vector<std::size_t> found;
  if (source.rows() > kMaxRuns) return found;
  for (std::size_t f = 0; f < source.features().size(); ++f) {
    const auto& info = source.features()[f];
    const auto named = tier_by_name(info.name, info.unit);
    if (info.of_plain_table && info.role != FeatureRole::category && info.tier < 0 && info.leaves.empty() &&
        target != static_cast<Eigen::Index>(f) && !options.knowledge.has_tier(info.name) &&
        !options.knowledge.has_edge(info.name) && (!named || *named > static_cast<int>(Tier::configuration)))
      found.push_back(f);
  }
  if (found.empty()) return found;
  std::vector<double> targets;
  std::vector<std::vector<double>> values(found.size());
  RowBlock block;
  constexpr std::int64_t kBlock = 8'192;
  for (std::int64_t first = 0; first < source.rows(); first += kBlock) {
    if (job.cancelled()) return Job::cancelled_error();
    if (auto done = source.read(first, std::min(kBlock, source.rows() - first), block); !done)
      return forward(done.error());
    const auto add = [&](std::vector<double>& to, Eigen::Index column) {
      to.insert(to.end(), block.values.col(column).begin(), block.values.col(column).end());
    };
    if (target)
      add(targets, *target);
    else
      targets.insert(targets.end(), block.duration_ns.begin(), block.duration_ns.end());
    for (std::size_t c = 0; c < found.size(); ++c) add(values[c], static_cast<Eigen::Index>(found[c]));
  }
  std::size_t c = 0;
  std::erase_if(found, [&](std::size_t) { return !has_set_values(values[c++], targets); });
  return found;
}

/// Whether a column may be compared with an open one: it is no consequence by its name.
bool may_be_compared(const FeatureInfo& info, const Options& options) {
  if (!info.leaves.empty() || contains(options.left_out, info.name) ||
      contains(options.knowledge.ignored, info.name))
    return false;
  const auto tier = info.tier >= 0 ? std::optional(info.tier) : tier_by_name(info.name, info.unit);
  return !tier || *tier <= static_cast<int>(Tier::context);
}

} // namespace

Expected<DirectedRows> DirectedRows::make(const RowSource& source, const Options& options, const Job& job) {
  DirectedRows result(source);
  auto& features = result.features_;
  const auto name = options.target.empty() ? source.default_target() : options.target;
  const auto named = std::ranges::find(features, name, &FeatureInfo::name);
  const auto target =
      named == features.end() ? std::nullopt : std::optional<Eigen::Index>(named - features.begin());
  if (target || (name == "duration" && source.has_durations())) {
    const auto set = set_columns(source, target, options, job);
    if (!set) return forward(set.error());
    for (const auto f : *set) {
      features[f].tier = static_cast<int>(Tier::configuration);
      const auto words = words_for(features[f].name);
      result.notes_.push_back(note<notes::kSetValues>(words));
      result.notes_.back().feature = words;
    }
  }
  const bool any_open = std::ranges::any_of(
      features, [&](const auto& info) { return is_open(info, options) || may_be_event(info, options); });
  if (!any_open || (!target && !source.has_durations())) return result;
  const auto drawn = drawn_rows(source, target, job);
  if (!drawn) return forward(drawn.error());
  if (!*drawn) return result;
  const DrawnRows& sample = **drawn;
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (!may_be_event(features[f], options) || target == static_cast<Eigen::Index>(f) ||
        !happens_beyond_a_limit(sample, f))
      continue;
    const auto words = words_for(features[f].name);
    result.notes_.push_back(note<notes::kBeyondLimit>(words));
    result.notes_.back().feature = words;
    features[f].tier = static_cast<int>(Tier::unknown);
  }
  std::map<std::size_t, ExpectedTarget> columns; // those that are associated with the target, by feature
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (job.cancelled()) return Job::cancelled_error();
    if (target == static_cast<Eigen::Index>(f) || !may_be_compared(features[f], options)) continue;
    ExpectedTarget column(sample, f, features[f].role == FeatureRole::category);
    if (column.correlation() >= kMinCorrelation) columns.emplace(f, std::move(column));
  }
  for (const auto& one : columns) {
    const auto f = one.first;
    const auto& column = one.second;
    if (!is_open(features[f], options)) continue;
    if (job.cancelled()) return Job::cancelled_error();
    const auto other = std::ranges::find_if(columns, [&](const auto& each) {
      return each.first != f && are_independent(sample, column, each.second);
    });
    const auto words = words_for(features[f].name);
    if (other != columns.end())
      result.notes_.push_back(note<notes::kIndependentCause>(words, words_for(features[other->first].name)));
    else if (acts_through_present_value(sample, column))
      result.notes_.push_back(note<notes::kActsAtOnce>(words));
    else
      continue;
    result.notes_.back().feature = words;
    features[f].tier = static_cast<int>(Tier::context);
  }
  return result;
}

std::vector<Warning> DirectedRows::remarks() const {
  auto remarks = source_->remarks();
  remarks.insert(remarks.end(), notes_.begin(), notes_.end());
  return remarks;
}

} // namespace jitterscope::causal
