#include "core/causal/table/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/stratified_sample.h"
#include "core/causal/base/lists.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/centrer.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kDeterminismRows = 16'384; ///< rows in which deterministic relations are searched for

constexpr double kLargestScore = 8.0; ///< limit of a normal score: Φ(8) = 1 − 6e-16

/// One value of every row of the sample (Frame::in_sample), on every rank; `value_of`: of a local row.
template <class Value>
Expected<std::vector<Value>> gather_sample(const Frame& frame, Communicator& communicator,
                                           const auto& value_of) {
  std::vector<Value> mine;
  for (std::size_t i = 0; i < frame.local.used.size(); ++i)
    if (frame.local.used[i] && frame.in_sample(i)) mine.push_back(value_of(i));
  return communicator.all_gather<Value>(mine);
}

/// Maps raw columns of a tile to the discovery scale and appends the responses.
class Transform {
public:
  Transform(const Frame& frame, Scale scale, std::vector<Side> sides)
      : frame_(frame), scale_(scale), sides_(std::move(sides)) {}

  Expected<void> learn(const std::vector<std::vector<double>>& sample, Communicator& communicator,
                       const Job& job) {
    const bool exact = frame_.plan.rows <= kExactRanks;
    const std::size_t knots = exact ? std::numeric_limits<std::size_t>::max() : kRankKnots;
    columns_.resize(frame_.columns.size());
    for (std::size_t c = 0; c < frame_.columns.size(); ++c) {
      if (job.cancelled()) return Job::cancelled_error();
      const bool ranks =
          scale_ == Scale::rank_normal || (scale_ == Scale::automatic && has_heavy_tails(sample[c]));
      ranked_.push_back(ranks && !frame_.columns[c].event);
      if (ranked_[c]) columns_[c] = NormalScores(sample[c], knots);
    }
    for (const Side side : sides_) {
      if (job.cancelled()) return Job::cancelled_error();
      auto all =
          gather_sample<double>(frame_, communicator, [&](std::size_t i) { return response(side, i); });
      if (!all) return forward(all.error());
      const bool value = side == Side::value || side == Side::value_between;
      const bool as_is = side == Side::shift_log || (value && !ranks_target());
      responses_.emplace_back(as_is ? NormalScores() : NormalScores(std::move(*all), knots));
      as_is_.push_back(as_is);
    }
    return {};
  }

  std::vector<double> bounds() const {
    std::vector<double> all;
    for (std::size_t c = 0; c < frame_.columns.size(); ++c) {
      const Column& column = frame_.columns[c];
      all.push_back(ranked_[c]     ? kLargestScore
                    : column.event ? 1.0
                                   : std::fabs(on_scale(scale_, column.magnitude())));
    }
    for (std::size_t s = 0; s < sides_.size(); ++s)
      all.push_back(!as_is_[s]                     ? kLargestScore
                    : sides_[s] == Side::shift_log ? 64.0
                                                   : std::fabs(on_scale(scale_, frame_.groups.longest)));
    return all;
  }

  Eigen::MatrixXd operator()(const Tile& tile) const {
    const auto q = static_cast<Eigen::Index>(frame_.columns.size());
    Eigen::MatrixXd z(tile.raw.rows(), q + static_cast<Eigen::Index>(sides_.size()));
    for (Eigen::Index c = 0; c < q; ++c) {
      const auto column = static_cast<std::size_t>(c);
      if (frame_.columns[column].event)
        z.col(c) = tile.raw.col(c);
      else if (ranked_[column])
        z.col(c) = tile.raw.col(c).unaryExpr([&](double v) { return columns_[column](v); });
      else
        z.col(c) = tile.raw.col(c).unaryExpr([&](double v) { return on_scale(scale_, v); });
    }
    for (std::size_t s = 0; s < sides_.size(); ++s)
      for (std::size_t k = 0; k < tile.row.size(); ++k) {
        const double y = response(sides_[s], tile.row[k]);
        z(static_cast<Eigen::Index>(k), q + static_cast<Eigen::Index>(s)) = as_is_[s] ? y : responses_[s](y);
      }
    return z;
  }

  /// The response of a row on its own scale.
  double response(std::size_t side, std::size_t row) const { return response(sides_[side], row); }
  std::size_t responses() const { return sides_.size(); }

private:
  bool ranks_target() const { return scale_ == Scale::rank_normal || scale_ == Scale::automatic; }

  double response(Side side, std::size_t row) const {
    if (side == Side::shift_log || side == Side::shift_rank) return log_ratio(frame_, row);
    if (side == Side::spread_rank || side == Side::spread_between) return std::fabs(log_ratio(frame_, row));
    const double d = frame_.local.duration[row];
    if (frame_.target_kind == TargetKind::duration) return ranks_target() ? d : on_scale(scale_, d);
    return std::fabs(d - frame_.groups.mean[frame_.local.group[row]]);
  }

  const Frame& frame_;
  Scale scale_;
  std::vector<Side> sides_;
  std::vector<bool> ranked_;
  std::vector<NormalScores> columns_, responses_;
  std::vector<bool> as_is_;
};

Eigen::MatrixXd in_units(const Frame& frame, const Tile& tile) {
  const Eigen::Index q = tile.raw.cols();
  const bool derived = frame.target_kind != TargetKind::column;
  Eigen::MatrixXd x(tile.raw.rows(), q + (derived ? 1 : 0));
  x.leftCols(q) = tile.raw;
  if (derived)
    for (Eigen::Index r = 0; r < x.rows(); ++r) x(r, q) = frame.target_value(tile, r);
  return x;
}

std::vector<double> raw_bounds(const Frame& frame) {
  auto bounds = mapped(frame.columns, &Column::magnitude);
  if (frame.target_kind != TargetKind::column) bounds.push_back(frame.groups.longest);
  return bounds;
}

constexpr double kSameOrder = 0.9998; ///< minimum correlation of ranks, the same as for duplicates
constexpr std::int64_t kMaxRowsForCopies = 16'384;
constexpr std::size_t kMinRowsForCopies = 30; ///< fewer may be in the same order by chance
constexpr std::ptrdiff_t kMinValuesOfCopy = 10;

/// Whether a column differs between rows of one configuration, in the sample.
std::vector<bool> varying_within(const Frame& frame, const std::vector<std::vector<double>>& sample,
                                 const std::vector<std::uint32_t>& groups) {
  return mapped(sample,
                [&](const auto& column) { return varies_within(column, groups, frame.groups.count); });
}

auto thinned(const auto& values) {
  return mapped(stratified_sample(static_cast<std::int64_t>(values.size()), kMaxRowsForCopies),
                [&](auto i) { return values[i]; });
}

Expected<std::vector<bool>> columns_like_duration(const std::vector<double>& duration,
                                                  const std::vector<std::vector<double>>& sample,
                                                  const std::vector<std::uint32_t>& of_rows, const Job& job) {
  std::vector<bool> like_duration;
  if (duration.size() < kMinRowsForCopies) return std::vector<bool>(sample.size(), false);
  const auto groups = thinned(of_rows);
  // Columns with few distinct values, or with a quarter or more zeros, are not copies: an event may determine
  // durations, which a coarse timer records as few values.
  const auto may_copy = [&](const std::vector<double>& column) {
    const auto zeros = std::ranges::count(column, 0.0);
    std::vector<double> different = column;
    std::ranges::sort(different);
    const auto values = std::unique(different.begin(), different.end()) - different.begin();
    return values >= kMinValuesOfCopy && 4 * zeros < static_cast<std::ptrdiff_t>(column.size());
  };
  const auto by_duration = ranks_within(thinned(duration), groups);
  const double dd = std::inner_product(by_duration.begin(), by_duration.end(), by_duration.begin(), 0.0);
  for (const auto& column : sample) {
    if (job.cancelled()) return Job::cancelled_error();
    const auto few = thinned(column);
    const auto ranks = ranks_within(few, groups);
    const double xx = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
    const double dx = std::inner_product(ranks.begin(), ranks.end(), by_duration.begin(), 0.0);
    like_duration.push_back(xx > 0 && dd > 0 && may_copy(few) &&
                            std::fabs(dx) >= kSameOrder * std::sqrt(xx * dd));
  }
  return like_duration;
}

Centring of_responses(const Frame& frame, Reading reading) {
  if (frame.groups.count == 0 || reading == Reading::pooled) return Centring::none;
  return reading == Reading::between ? Centring::group_mean : Centring::group;
}

std::vector<Centring> choose_centring(const Frame& frame, Reading reading,
                                      const std::vector<std::vector<double>>& sample,
                                      const std::vector<std::uint32_t>& groups) {
  if (frame.groups.count == 0 || reading != Reading::automatic)
    return std::vector(frame.columns.size(), of_responses(frame, reading));
  std::vector<Centring> centring;
  for (const bool varies : varying_within(frame, sample, groups)) {
    const bool is_target = frame.target_kind == TargetKind::column && centring.size() == frame.target_column;
    centring.push_back(varies && !is_target ? Centring::group : Centring::kernel);
  }
  return centring;
}

/// Whether columns that are constant within configurations are compared in addition to others.
bool compares_configurations(const Frame& frame, Reading reading, const std::vector<Centring>& centring) {
  return frame.target_kind != TargetKind::column && frame.groups.count > 0 && reading == Reading::automatic &&
         contains(centring, Centring::kernel);
}

std::vector<Side> choose_sides(const Frame& frame, Reading reading, bool between) {
  if (frame.target_kind == TargetKind::column) return {};
  if (frame.target_kind == TargetKind::duration)
    return between ? std::vector{Side::value, Side::value_between} : std::vector{Side::value};
  if (reading == Reading::pooled || reading == Reading::between) return {Side::value};
  std::vector<Side> sides{Side::shift_log, Side::shift_rank, Side::spread_rank};
  if (between) sides.push_back(Side::spread_between);
  return sides;
}

/// Centring of all columns in units. Durations differ far more between kernels than between launches of one
/// kernel.
Centring of_units(const Frame& frame, Reading reading, const std::vector<Centring>& centring) {
  if (frame.groups.count == 0 || reading == Reading::within || reading == Reading::between)
    return of_responses(frame, reading);
  if (reading == Reading::pooled || frame.target_kind == TargetKind::variability) return Centring::none;
  const bool between = contains(centring, Centring::kernel);
  return between ? Centring::kernel : Centring::group;
}

Eigen::MatrixXd log_correlations(const Frame& frame, const std::vector<std::vector<double>>& sample) {
  const auto rows = stratified_sample(sample.empty() ? 0 : static_cast<std::int64_t>(sample.front().size()),
                                      kDeterminismRows);
  Eigen::MatrixXd x(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(sample.size()));
  for (std::size_t c = 0; c < sample.size(); ++c) {
    // Products become sums in logs; a zero would become an arbitrary outlier, so such columns stay
    // unchanged.
    const bool positive = frame.columns[c].minimum > 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double value = sample[c][rows[r]];
      x(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = positive ? std::log(value) : value;
    }
  }
  return correlation_of(Moments::of(x).cross);
}

constexpr std::size_t kLinearRows = 100'000;

/// Rows of the sample in units, centred like the discovery matrix, by the means of the sample.
Expected<Eigen::MatrixXd> linear_sample(const Frame& frame, const Transform& transform,
                                        const std::vector<std::vector<double>>& sample,
                                        const std::vector<std::uint32_t>& groups,
                                        const std::vector<Centring>& centring, Communicator& communicator) {
  const std::size_t rows = sample.empty() ? groups.size() : sample.front().size();
  const std::size_t stride = std::max<std::size_t>(1, (rows + kLinearRows - 1) / kLinearRows);
  const auto kept = static_cast<Eigen::Index>((rows + stride - 1) / stride);
  Eigen::MatrixXd x(kept, static_cast<Eigen::Index>(centring.size()));
  const auto fill = [&](Eigen::Index column, const std::vector<double>& values) {
    for (Eigen::Index r = 0; r < kept; ++r) x(r, column) = values[static_cast<std::size_t>(r) * stride];
  };
  for (std::size_t c = 0; c < sample.size(); ++c) fill(static_cast<Eigen::Index>(c), sample[c]);
  for (std::size_t s = 0; s < transform.responses(); ++s) {
    const auto all =
        gather_sample<double>(frame, communicator, [&](std::size_t i) { return transform.response(s, i); });
    if (!all) return forward(all.error());
    fill(static_cast<Eigen::Index>(sample.size() + s), *all);
  }
  std::vector<std::uint32_t> group_of, kernel_of;
  for (Eigen::Index r = 0; r < kept && frame.groups.count > 0; ++r) {
    group_of.push_back(groups[static_cast<std::size_t>(r) * stride]);
    kernel_of.push_back(group_of.back() < frame.groups.count ? frame.groups.kernel[group_of.back()] : 0);
  }
  for (std::size_t c = 0; c < centring.size(); ++c) {
    auto column = x.col(static_cast<Eigen::Index>(c));
    if (centring[c] == Centring::kernel && c >= sample.size()) // a side between configurations
      centre_by(column, group_of, frame.groups.count, true);
    if (centring[c] == Centring::kernel)
      centre_by(column, kernel_of, frame.groups.kernels, false);
    else if (centring[c] != Centring::none)
      centre_by(column, group_of, frame.groups.count, centring[c] == Centring::group_mean);
  }
  return x;
}

/// One row of means per configuration. With `centring`: only columns that are compared between
/// configurations, each configuration with its weight. Without: all columns, weighted by launches, as one
/// kernel.
ConfigurationMeans means_of_configurations(const Frame& frame, const std::vector<std::vector<double>>& means,
                                           const std::vector<Centring>& centring) {
  ConfigurationMeans result;
  const auto count = static_cast<std::size_t>(frame.groups.count);
  result.values =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(means.size()));
  for (std::size_t c = 0; c < means.size(); ++c)
    for (std::size_t g = 0; g < count && (centring.empty() || centring[c] == Centring::kernel); ++g)
      result.values(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(c)) = means[c][g];
  result.kernel = frame.groups.kernel;
  if (centring.empty()) std::ranges::fill(result.kernel, 0);
  for (std::size_t g = 0; g < count; ++g)
    result.weight.push_back(centring.empty() ? static_cast<double>(frame.groups.rows[g])
                                             : configuration_weight(frame.groups.rows[g]));
  return result;
}

double freedom(const Frame& frame, Reading reading) {
  const auto filled =
      static_cast<double>(std::ranges::count_if(frame.groups.rows, [](auto n) { return n > 0; }));
  const auto n = static_cast<double>(frame.rows_used);
  if (frame.groups.count == 0 || reading == Reading::pooled) return n;
  return reading == Reading::between ? filled : std::max(2.0, n - filled);
}

} // namespace

Moments Statistics::discovery_resampled(const std::vector<int>& blocks, const std::vector<int>& draws) const {
  if (of_configurations) return discovery_means.moments(draws);
  Moments result = discovery.resampled(blocks);
  if (has_between()) BlockMoments::add_between(discovery_means.moments(draws), result);
  return result;
}

Moments Statistics::raw_of_configurations(const std::vector<int>& draws) const {
  Moments result = raw.total();
  result.cross -= raw_means.moments().cross; // within configurations
  BlockMoments::add_between(raw_means.moments(draws), result);
  return result;
}

Moments Statistics::raw_resampled(const std::vector<int>& blocks, const std::vector<int>& draws) const {
  return of_configurations ? raw_means.moments(draws) : raw.resampled(blocks);
}

Expected<Statistics> gather_statistics(const Frame& frame, const Options& options, Communicator& communicator,
                                       const Job& job) {
  Statistics result;
  auto sample = frame.sample(communicator, job);
  if (!sample) return forward(sample.error());
  auto groups =
      gather_sample<std::uint32_t>(frame, communicator, [&](std::size_t i) { return frame.local.group[i]; });
  if (!groups) return forward(groups.error());
  if (frame.target_kind != TargetKind::column) {
    auto durations =
        gather_sample<double>(frame, communicator, [&](std::size_t i) { return frame.local.duration[i]; });
    if (!durations) return forward(durations.error());
    auto done = assign(result.like_duration, columns_like_duration(*durations, *sample, *groups, job));
    if (!done) return forward(done.error());
  }
  if (job.cancelled()) return Job::cancelled_error();
  result.centring = choose_centring(frame, options.reading, *sample, *groups);
  const bool between = compares_configurations(frame, options.reading, result.centring);
  result.of_configurations = frame.groups.count > 0 && options.reading == Reading::between;
  if (frame.groups.count > 0 && options.reading == Reading::pooled) {
    result.constant_in_configuration = varying_within(frame, *sample, *groups);
    result.constant_in_configuration.flip();
  }
  result.sides = choose_sides(frame, options.reading, between);
  result.degrees_of_freedom = freedom(frame, options.reading);
  if (job.cancelled()) return Job::cancelled_error();
  result.log_correlation = log_correlations(frame, *sample);
  if (job.cancelled()) return Job::cancelled_error();

  Transform transform(frame, options.scale, result.sides);
  if (auto done = transform.learn(*sample, communicator, job); !done) return forward(done.error());
  auto all = result.centring;
  for (const Side side : result.sides)
    all.push_back(between_configurations(side) ? Centring::kernel : of_responses(frame, options.reading));
  if (options.method == Method::lingam || options.second_opinions) {
    if (job.cancelled()) return Job::cancelled_error();
    auto done =
        assign(result.linear_rows, linear_sample(frame, transform, *sample, *groups, all, communicator));
    if (!done) return forward(done.error());
  }
  if (job.cancelled()) return Job::cancelled_error();
  *sample = {};
  Centrer centrer(frame, all);
  result.magnitude = transform.bounds();
  if (auto done = centrer.learn(transform, result.magnitude, communicator, job); !done)
    return forward(done.error());
  const auto discovery = [&](const Tile& tile) {
    Eigen::MatrixXd z = transform(tile);
    centrer.apply(tile, z);
    for (std::size_t c = 0; c < all.size() && between; ++c)
      if (all[c] == Centring::kernel) z.col(static_cast<Eigen::Index>(c)).setZero();
    return z;
  };
  auto done = assign(result.discovery, block_moments(frame, static_cast<Eigen::Index>(all.size()), discovery,
                                                     communicator, job));
  if (!done) return forward(done.error());
  if (between) {
    result.configurations = count_configurations(frame.groups.kernel, frame.groups.rows);
    result.discovery_means = means_of_configurations(frame, centrer.means_of_configurations(), all);
    result.discovery.set_between(result.discovery_means.moments());
  } else if (frame.groups.count > 0) { // compared with all others, independent of their kernel
    result.configurations =
        count_configurations(std::vector<std::uint32_t>(frame.groups.rows.size(), 0), frame.groups.rows);
  }
  if (result.of_configurations)
    result.discovery_means = means_of_configurations(frame, centrer.means_of_configurations(), {});

  // Effects in units follow the reading. Effects on the variability of launches cover all launches unless a
  // reading was requested.
  const auto q = frame.columns.size() + (result.derived() ? 1 : 0);
  const auto units = [&](const Tile& tile) { return in_units(frame, tile); };
  Centrer raw_centrer(frame, std::vector<Centring>(q, of_units(frame, options.reading, result.centring)),
                      true);
  done = raw_centrer.learn(units, raw_bounds(frame), communicator, job);
  if (!done) return forward(done.error());
  const auto raw = [&](const Tile& tile) {
    Eigen::MatrixXd x = units(tile);
    raw_centrer.apply(tile, x);
    return x;
  };
  done = assign(result.raw, block_moments(frame, static_cast<Eigen::Index>(q), raw, communicator, job));
  if (!done) return forward(done.error());
  if (result.of_configurations)
    result.raw_means = means_of_configurations(frame, raw_centrer.means_of_configurations(), {});
  if (!between) return result;
  Centrer means(frame, std::vector<Centring>(q, Centring::group_mean));
  done = means.learn(raw, raw_bounds(frame), communicator, job);
  if (!done) return forward(done.error());
  result.raw_means = means_of_configurations(frame, means.means_of_configurations(), {});
  return result;
}

} // namespace jitterscope::causal
