#include "core/causal/table/screening.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/causal/base/lists.h"
#include "core/causal/base/wording.h"
#include "core/causal/discovery/grow_shrink_tree.h"
#include "core/causal/statistics/cross_products.h"
#include "core/causal/statistics/families.h"
#include "core/causal/statistics/normal_scores.h"
#include "core/causal/table/sample_columns.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kMaxValues = std::int64_t{1} << 25; ///< maximum values in the sample
constexpr float kCollinear = 0.95F;
constexpr std::size_t kMaxCandidates = 200; ///< maximum heads analysed in detail
constexpr std::size_t kMaxByStrength = 100; ///< maximum heads chosen by |r| with the target
constexpr std::size_t kMaxInGraph = 48;
constexpr std::size_t kMinInGraph = 8; ///< minimum number of columns kept, even if all correlate weakly
constexpr Eigen::Index kBlock = 400;   ///< maximum columns of one block of the correlation matrix
constexpr double kBlockWork = 4e8;     ///< rows · columns² of one block: some 10 ms

/// Columns and sides of the target in a sample of rows, on the discovery scale, centred, with mean 0 and sum
/// of squares 1: products of columns are correlations.
struct Sample {
  Eigen::Index rows = 0;
  PaddedColumns<float> columns{0, 0};
  Eigen::MatrixXf sides; ///< rows × sides of the target
};

class Sampler {
public:
  Sampler(const Frame& frame, const Options& options, Communicator& communicator, const Job& job)
      : frame_(frame), options_(options), communicator_(communicator), job_(job) {}

  Expected<Sample> run() {
    if (auto done = gather(); !done) return forward(done.error());
    Sample sample;
    sample.rows = rows_;
    sample.columns = PaddedColumns<float>(rows_, width());
    const auto target =
        frame_.target_kind == TargetKind::column ? static_cast<Eigen::Index>(frame_.target_column) : -1;
    std::vector<Eigen::VectorXd> sides;
    for (Eigen::Index c = 0; c < width(); ++c) {
      if (c % 8 == 0) {
        if (job_.cancelled()) return Job::cancelled_error();
        job_.progress(c, width(), "screening");
      }
      const Column& column = frame_.columns[c];
      Eigen::VectorXd z = on_discovery_scale(values_of(c), column.event);
      centre(z, c == target);
      standardise(z);
      if (c == target) {
        sides.push_back(z);
        z.setZero(); // the target is not a candidate
      }
      for (Eigen::Index r = 0; r < rows_; ++r) sample.columns.column(c)[r] = static_cast<float>(z(r));
    }
    if (target < 0) sides = derived_sides();
    sample.sides.resize(rows_, static_cast<Eigen::Index>(sides.size()));
    for (std::size_t s = 0; s < sides.size(); ++s)
      sample.sides.col(static_cast<Eigen::Index>(s)) = sides[s].cast<float>();
    return sample;
  }

private:
  Eigen::Index width() const { return static_cast<Eigen::Index>(frame_.columns.size()); }

  /// The rows of the sample from all ranks: values, then ln ratio (or the duration) and group.
  Expected<void> gather() {
    const std::int64_t per_row = width() + 2;
    const std::int64_t stride = std::max<std::int64_t>(1, frame_.plan.rows * per_row / kMaxValues + 1);
    std::vector<double> mine;
    mine.reserve(frame_.local.used.size() / static_cast<std::size_t>(stride) *
                 static_cast<std::size_t>(per_row)); // growing would delay cancellation
    auto walked = frame_.walk(job_, "sample", [&](std::int64_t, const Tile& tile) {
      for (std::size_t k = 0; k < tile.row.size(); ++k) {
        const std::size_t i = tile.row[k];
        if ((frame_.local.first_row + static_cast<std::int64_t>(i)) % stride != 0) continue;
        const auto r = static_cast<Eigen::Index>(k);
        if (frame_.target_kind == TargetKind::column &&
            std::isnan(tile.raw(r, static_cast<Eigen::Index>(frame_.target_column))))
          continue;
        for (Eigen::Index c = 0; c < width(); ++c) mine.push_back(tile.raw(r, c));
        mine.push_back(frame_.target_kind == TargetKind::variability ? log_ratio(frame_, i)
                       : frame_.target_kind == TargetKind::duration  ? frame_.local.duration[i]
                                                                     : 0.0);
        mine.push_back(static_cast<double>(frame_.local.group[i]));
      }
    });
    if (!walked) return walked;
    if (communicator_.size() == 1)
      values_ = std::move(mine);
    else if (auto done = assign(values_, communicator_.all_gather<double>(mine)); !done)
      return done;
    rows_ = static_cast<Eigen::Index>(values_.size()) / per_row;
    for (Eigen::Index r = 0; r < rows_; ++r) {
      const auto group = static_cast<std::uint32_t>(at(r, width() + 1));
      group_of_.push_back(group);
      kernel_of_.push_back(group < frame_.groups.count ? frame_.groups.kernel[group] : kNone);
    }
    return {};
  }

  double at(Eigen::Index row, Eigen::Index column) const {
    return values_[static_cast<std::size_t>(row * (width() + 2) + column)];
  }
  std::vector<double> values_of(Eigen::Index column) const {
    return mapped(numbers_below(rows_), [&](Eigen::Index r) { return at(r, column); });
  }

  Eigen::VectorXd on_discovery_scale(const std::vector<double>& values, bool event) const {
    const bool ranks = !event && (options_.scale == Scale::rank_normal ||
                                  (options_.scale == Scale::automatic && has_heavy_tails(values)));
    std::vector<double> present;
    if (ranks)
      std::ranges::remove_copy_if(values, std::back_inserter(present),
                                  [](double v) { return std::isnan(v); });
    const NormalScores scores(std::move(present), std::numeric_limits<std::size_t>::max());
    Eigen::VectorXd z(rows_);
    for (Eigen::Index r = 0; r < rows_; ++r) {
      const double v = values[r];
      z(r) = event || std::isnan(v) ? v : ranks ? scores(v) : on_scale(options_.scale, v);
    }
    return z;
  }

  /// Centres columns as statistics.cpp does for the chosen reading.
  void centre(Eigen::VectorXd& z, bool is_target) const {
    if (frame_.groups.count == 0 || options_.reading == Reading::pooled) return;
    const bool by_kernel = options_.reading == Reading::automatic &&
                           (is_target || !varies_within({z.data(), static_cast<std::size_t>(rows_)},
                                                        group_of_, frame_.groups.count));
    if (by_kernel)
      centre_by(z, kernel_of_, frame_.groups.kernels, false);
    else
      centre_by(z, group_of_, frame_.groups.count, options_.reading == Reading::between);
  }

  /// Mean 0, sum of squares 1; missing values are set to the mean.
  static void standardise(Eigen::VectorXd& z) {
    double n = 0, sum = 0;
    for (const double v : z)
      if (!std::isnan(v)) ++n, sum += v;
    const double mean = n > 0 ? sum / n : 0.0;
    z = z.unaryExpr([&](double v) { return std::isnan(v) ? 0.0 : v - mean; });
    const double size = z.norm();
    if (size > 1e-12 * std::fabs(mean)) z /= size;
  }

  std::vector<Eigen::VectorXd> derived_sides() const {
    std::vector<double> plain = values_of(width()), spread = plain;
    for (double& v : spread) v = std::fabs(v);
    const auto exact = std::numeric_limits<std::size_t>::max();
    const NormalScores plain_scores(plain, exact), spread_scores(spread, exact);
    std::vector<Eigen::VectorXd> sides(3, Eigen::VectorXd(rows_));
    for (Eigen::Index r = 0; r < rows_; ++r) {
      const auto i = static_cast<std::size_t>(r);
      sides[0](r) = plain[i], sides[1](r) = plain_scores(plain[i]), sides[2](r) = spread_scores(spread[i]);
    }
    if (frame_.target_kind == TargetKind::duration) sides.pop_back();
    for (auto& side : sides) centre(side, true), standardise(side);
    return sides;
  }

  const Frame& frame_;
  const Options& options_;
  Communicator& communicator_;
  const Job& job_;
  std::vector<double> values_; ///< values of the sample, row-major
  Eigen::Index rows_ = 0;
  std::vector<std::uint32_t> group_of_, kernel_of_;
};

/// Families, strength and neighbourhood on a sample.
class Screen {
public:
  Screen(Frame& frame, const Options& options, const Sample& sample, const Job& job)
      : frame_(frame), options_(options), sample_(sample), job_(job), n_(static_cast<double>(sample.rows)) {}

  Expected<void> run() {
    if (auto done = measure_strength(); !done) return done;
    if (auto done = find_families(); !done) return done;
    frame_.candidates = static_cast<std::int64_t>(heads_.size());
    if (auto done = choose_candidates(); !done) return done;
    if (auto done = choose_neighbourhood(); !done) return done;
    leave();
    return {};
  }

private:
  using Index = Eigen::Index;
  Index width() const { return static_cast<Index>(frame_.columns.size()); }
  Column& column(int c) { return frame_.columns[c]; }
  bool is_target(int c) const {
    return frame_.target_kind == TargetKind::column && c == static_cast<int>(frame_.target_column);
  }
  Eigen::Map<const Eigen::VectorXf> values(int c) const { return {sample_.columns.column(c), sample_.rows}; }

  /// Largest |r| with a side of the target.
  Expected<void> measure_strength() {
    strength_.resize(static_cast<std::size_t>(width()));
    for (int c = 0; c < width(); ++c) {
      if (c % 16 == 0 && job_.cancelled()) return Job::cancelled_error();
      strength_[c] = (sample_.sides.transpose() * values(c)).cwiseAbs().maxCoeff();
    }
    return {};
  }

  /// Correlations of columns [first, last), block by block of the upper triangle: visit(row, column, block).
  Expected<void> correlate(const PaddedColumns<float>& columns, Index first, Index last, const auto& visit) {
    const auto step = std::clamp<Index>(static_cast<Index>(std::sqrt(kBlockWork / n_)), 8, kBlock);
    for (Index j = first; j < last; j += step) {
      job_.progress(j, width(), "correlations");
      const Index j_last = std::min(j + step, last);
      for (Index i = first; i < j_last; i += step) {
        if (job_.cancelled()) return Job::cancelled_error();
        const Index i_last = std::min(i + step, j_last);
        Eigen::MatrixXf r = Eigen::MatrixXf::Zero(i_last - i, j_last - j);
        add_cross_products<float>(columns, i, i_last, columns, j, j_last, r);
        visit(i, j, r);
      }
    }
    return {};
  }

  /// Pairs above the threshold, block by block: only these can be merged.
  Expected<void> find_families() {
    Components components(frame_.columns.size());
    for (Index first = 0; first < width();) {
      Index last = first; // columns are sorted by tier
      while (last < width() && column(static_cast<int>(last)).tier == column(static_cast<int>(first)).tier)
        ++last;
      auto done = correlate(sample_.columns, first, last, [&](Index i, Index j, const Eigen::MatrixXf& r) {
        for (Index b = 0; b < r.cols(); ++b)
          for (Index a = 0; a < r.rows(); ++a)
            if (i + a < j + b && std::fabs(r(a, b)) > kCollinear)
              components.join(static_cast<std::size_t>(i + a), static_cast<std::size_t>(j + b));
      });
      if (!done) return done;
      first = last;
    }
    for (const auto& component : components.groups())
      if (auto done = add_families(component); !done) return done;
    return {};
  }

  /// Copies of some columns, and room for more.
  PaddedColumns<float> columns_of(const std::vector<int>& columns, Index more = 0) const {
    PaddedColumns<float> part(sample_.rows, static_cast<Index>(columns.size()) + more);
    for (std::size_t k = 0; k < columns.size(); ++k)
      std::copy_n(sample_.columns.column(columns[k]), sample_.rows, part.column(static_cast<Index>(k)));
    return part;
  }

  Expected<Eigen::MatrixXf> correlations_of(const PaddedColumns<float>& columns) {
    Eigen::MatrixXf all(columns.columns(), columns.columns());
    auto done = correlate(columns, 0, columns.columns(), [&](Index i, Index j, const Eigen::MatrixXf& r) {
      all.block(i, j, r.rows(), r.cols()) = r;
      all.block(j, i, r.cols(), r.rows()) = r.transpose();
    });
    if (!done) return forward(done.error());
    return all;
  }

  Expected<void> add_families(const std::vector<int>& component) {
    if (component.size() == 1) {
      if (!is_target(component.front())) heads_.push_back(component.front());
      return {};
    }
    auto r = correlations_of(columns_of(component));
    if (!r) return forward(r.error());
    const Eigen::MatrixXf similarity = r->cwiseAbs();
    for (const auto& family : average_linkage(similarity, kCollinear)) {
      int head = family.front();
      float maximum = -1;
      for (const int a : family) {
        float sum = 0;
        for (const int b : family) sum += similarity(a, b);
        const int c = component[a];
        const int h = component[head];
        if (sum > maximum + 1e-4F || (sum > maximum - 1e-4F && named_before(c, h))) maximum = sum, head = a;
      }
      const int h = component[head];
      heads_.push_back(h);
      for (const int a : family)
        if (a != head) merged_into(component[a], h);
    }
    return {};
  }

  bool named_before(int a, int b) { return causal::named_before(column(a).name, column(b).name); }

  void merged_into(int member, int head) {
    column(head).also.push_back(column(member).name);
    FeatureReport& r = report(member, FeatureStatus::merged,
                              fmt::format("collinear (|r| > 0.95) with {}", column(head).name));
    r.representative = column(head).name, r.why = FeatureReason::collinear;
  }

  FeatureReport& report(int c, FeatureStatus status, std::string reason) {
    return frame_.report(column(c).name, column(c).unit, column(c).tier, status, std::move(reason));
  }

  Expected<void> choose_candidates() {
    std::ranges::sort(heads_, [&](int a, int b) {
      const float sa = strength_[a], sb = strength_[b];
      return sa != sb ? sa > sb : a < b;
    });
    candidates_.assign(heads_.begin(),
                       heads_.begin() + static_cast<std::ptrdiff_t>(std::min(heads_.size(), kMaxByStrength)));
    for (const int h : heads_)
      if (is_asked_for(h)) add_candidate(h);
    for (Index s = 0; s < sample_.sides.cols(); ++s)
      if (auto done = select_forward(s); !done) return done;
    return {};
  }

  bool is_asked_for(int c) { return options_.knowledge.has_edge(column(c).name); }

  void add_candidate(int c) {
    if (candidates_.size() < kMaxCandidates && !contains(candidates_, c)) candidates_.push_back(c);
  }

  /// Orthogonal matching: each step adds the head with the largest partial correlation, while the extended
  /// BIC improves.
  Expected<void> select_forward(Index side) {
    const double price = 0.5 * std::log(n_) + 0.5 * std::log(static_cast<double>(heads_.size()) + 1);
    Eigen::VectorXf rest = sample_.sides.col(side);
    std::vector<float> own(heads_.size(), 1.0F); // remaining variance of every head
    std::vector<Eigen::VectorXf> taken;
    for (std::size_t step = 0; step < kMaxByStrength / 2; ++step) {
      double best = 0;
      std::size_t pick = heads_.size();
      const double left = rest.squaredNorm();
      for (std::size_t k = 0; k < heads_.size(); ++k) {
        if (k % 64 == 0 && job_.cancelled()) return Job::cancelled_error();
        if (own[k] < 1e-4F || left <= 0) continue;
        const double r = values(heads_[k]).dot(rest);
        const double explained = r * r / (own[k] * left);
        if (explained > best) best = explained, pick = k;
      }
      if (pick == heads_.size() || -0.5 * n_ * std::log1p(-std::min(best, 1 - 1e-9)) <= price) return {};
      add_candidate(heads_[pick]);
      Eigen::VectorXf direction = values(heads_[pick]);
      for (const auto& t : taken) direction -= t.dot(direction) * t;
      direction.normalize();
      rest -= direction.dot(rest) * direction;
      for (std::size_t k = 0; k < heads_.size(); ++k) {
        if (k % 64 == 0 && job_.cancelled()) return Job::cancelled_error();
        const float r = values(heads_[k]).dot(direction);
        own[k] -= r * r;
      }
      taken.push_back(std::move(direction));
    }
    return {};
  }

  /// Grow-shrink on the candidates: the blanket of the target's sides, then the blankets of its members.
  Expected<void> choose_neighbourhood() {
    std::ranges::sort(candidates_);
    const auto k = static_cast<Index>(candidates_.size()), sides = sample_.sides.cols();
    PaddedColumns<float> part = columns_of(candidates_, sides);
    for (Index s = 0; s < sides; ++s)
      std::copy_n(sample_.sides.col(s).data(), sample_.rows, part.column(k + s));
    auto r = correlations_of(part);
    if (!r) return forward(r.error());
    Eigen::MatrixXd correlation = r->cast<double>().cwiseMin(1.0).cwiseMax(-1.0);
    correlation.diagonal().setOnes();

    std::vector<int> kept;
    const auto keep = [&](const std::vector<int>& blanket) {
      std::vector<int> sorted = blanket;
      std::ranges::sort(sorted, [&](int a, int b) { return stronger(a, b); });
      for (const int c : sorted)
        if (kept.size() < kMaxInGraph && !contains(kept, c)) kept.push_back(c);
    };
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (is_asked_for(candidates_[c])) keep({static_cast<int>(c)});
    for (Index s = 0; s < sides; ++s)
      keep(blanket(correlation, static_cast<int>(k + s), static_cast<int>(k), false));
    for (std::size_t at = 0; at < kept.size(); ++at) {
      if (job_.cancelled()) return Job::cancelled_error();
      keep(blanket(correlation, kept[at], static_cast<int>(k), true));
    }
    auto all = numbers_below<int>(candidates_.size());
    std::ranges::sort(all, [&](int a, int b) { return stronger(a, b); });
    for (std::size_t c = 0; c < all.size() && kept.size() < kMinInGraph; ++c) keep({all[c]});
    for (const int c : kept) in_graph_.insert(candidates_[c]);
    return {};
  }

  bool stronger(int a, int b) const {
    const auto strength = [&](int c) { return strength_[candidates_[c]]; };
    return strength(a) != strength(b) ? strength(a) > strength(b) : a < b;
  }

  std::vector<int> blanket(const Eigen::MatrixXd& correlation, int vertex, int candidates,
                           bool not_later) const {
    std::vector<int> others;
    const auto tier = [&](int c) { return frame_.columns[candidates_[c]].tier; };
    for (int c = 0; c < candidates; ++c)
      if (c != vertex && !(not_later && tier(c) > tier(vertex))) others.push_back(c);
    const GaussianScore score{
        n_, edge_price(n_, options_.discovery.smallest_correlation, static_cast<double>(heads_.size()))};
    GrowShrinkTree tree(correlation, vertex, score, others, {});
    const std::vector<std::uint8_t> all(static_cast<std::size_t>(correlation.rows()), 1);
    return *tree.best(all).parents;
  }

  void leave() {
    const std::set<int> heads(heads_.begin(), heads_.end());
    std::vector<Column> kept;
    for (int c = 0; c < width(); ++c) {
      if (in_graph_.contains(c) || is_target(c))
        kept.push_back(column(c));
      else if (heads.contains(c))
        report(c, FeatureStatus::dropped,
               "less closely associated with the target than the columns that were analysed");
    }
    frame_.columns = std::move(kept);
    for (std::size_t c = 0; c < frame_.columns.size(); ++c)
      if (frame_.columns[c].name == frame_.target) frame_.target_column = c;
  }

  Frame& frame_;
  const Options& options_;
  const Sample& sample_;
  const Job& job_;
  double n_;
  std::vector<float> strength_;
  std::vector<int> heads_, candidates_;
  std::set<int> in_graph_;
};

} // namespace

Expected<void> screen_columns(Frame& frame, const Options& options, Communicator& communicator,
                              const Job& job) {
  auto sample = Sampler(frame, options, communicator, job).run();
  if (!sample) return forward(sample.error());
  if (sample->rows < 3) return failure(ErrorKind::BadInput, "too few rows have a value of the target");
  return Screen(frame, options, *sample, job).run();
}

} // namespace jitterscope::causal
