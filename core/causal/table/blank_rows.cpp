#include "core/causal/table/blank_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/causal/base/tiers.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kPartsOfTable =
    64;                            ///< parts of the table, so that sums do not depend on the number of ranks
constexpr double kMinBlank = 0.05; ///< minimum fraction of rows with, and of rows without a blank field
constexpr double kClearDifference = 5; ///< minimum difference of the target's means, in standard errors

/// BlankSums over rows: for rows with a value and for blank ones their number, and the sum and the squares of
/// the target; then the first values of the column.
constexpr std::size_t kRowsBy = 0, kTargetBy = 2, kSquaresBy = 4, kFirstValues = 6, kKept = 16,
                      kBlankSums = kFirstValues + kKept;
using BlankSums = std::array<double, kBlankSums>;

/// Welch's t of the target's means.
double difference(const BlankSums& s) {
  double between = 0, variance = 0;
  for (std::size_t blank = 0; blank < 2; ++blank) {
    const double n = s[kRowsBy + blank], mean = s[kTargetBy + blank] / n;
    between = mean - between, variance += (s[kSquaresBy + blank] / n - mean * mean) / n;
  }
  return variance > 0 ? std::fabs(between) / std::sqrt(variance) : 0;
}

} // namespace

Expected<BlankRows> BlankRows::make(const RowSource& source, const Options& options,
                                    Communicator& communicator, const Job& job) {
  BlankRows result(source);
  const auto& features = source.features();
  const auto name = options.target.empty() ? source.default_target() : options.target;
  const auto target = std::ranges::find(features, name, &FeatureInfo::name) - features.begin();
  const bool of_column = target < std::ssize(features);
  std::vector<std::size_t> columns;
  for (std::size_t f = 0; f < features.size(); ++f)
    if (features[f].of_plain_table && static_cast<std::ptrdiff_t>(f) != target) columns.push_back(f);
  if (columns.empty()) return result;
  std::vector<double> mine;
  const Share parts = share_of(kPartsOfTable, communicator.rank(), communicator.size());
  for (auto part = parts.first; part < parts.last; ++part) {
    std::vector<BlankSums> sums(columns.size(), BlankSums{});
    const Share rows = share_of(source.rows(), static_cast<int>(part), static_cast<int>(kPartsOfTable));
    auto read = read_tiles(source, rows.first, rows.last, job, [&](std::int64_t, const RowBlock& block) {
      for (Eigen::Index r = 0; r < block.values.rows(); ++r) {
        const double y = of_column                   ? block.values(r, target)
                         : block.duration_ns.empty() ? 0
                                                     : block.duration_ns[r];
        if (!std::isfinite(y)) continue;
        for (std::size_t k = 0; k < columns.size(); ++k) {
          const double v = block.values(r, static_cast<Eigen::Index>(columns[k]));
          const bool blank = std::isnan(v);
          BlankSums& s = sums[k];
          if (!blank && s[kRowsBy] < kKept) s[kFirstValues + static_cast<std::size_t>(s[kRowsBy])] = v;
          s[kRowsBy + blank] += 1, s[kTargetBy + blank] += y, s[kSquaresBy + blank] += y * y;
        }
      }
    });
    if (!read) return forward(read.error());
    for (const BlankSums& s : sums) mine.insert(mine.end(), s.begin(), s.end());
  }
  const auto all = communicator.all_gather<double>(mine);
  if (!all) return forward(all.error());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    BlankSums total{};
    std::vector<double> values;
    for (std::size_t part = 0; part < static_cast<std::size_t>(kPartsOfTable); ++part) {
      const double* of_part = all->data() + (part * columns.size() + k) * kBlankSums;
      for (std::size_t i = 0; i < kFirstValues; ++i) total[i] += of_part[i];
      const auto kept = std::min(kKept, static_cast<std::size_t>(of_part[kRowsBy]));
      values.insert(values.end(), of_part + kFirstValues, of_part + kFirstValues + kept);
    }
    const double known = total[kRowsBy], blank = total[kRowsBy + 1], fewest = std::min(known, blank);
    FeatureInfo& info = result.features_[columns[k]];
    const bool category = info.role == FeatureRole::category; // the other values may be rare
    if ((category ? blank : fewest) < kMinBlank * (known + blank) || fewest < 2) continue;
    if (category) {
      result.blanks_.push_back({columns[k], {static_cast<double>(info.labels.size())}});
      info.labels.emplace_back("(blank)");
    } else if (difference(total) >= kClearDifference) {
      result.blanks_.push_back({columns[k], std::move(values)});
      result.marked_.push_back(columns[k]);
    }
  }
  for (const auto f : result.marked_) {
    FeatureInfo mark = result.features_[f];
    mark.name += " (blank)", mark.unit.clear(), mark.role = FeatureRole::event;
    mark.tier = static_cast<int>(Tier::unknown); // a value may be missing because the launch took long
    result.features_.push_back(std::move(mark));
  }
  return result;
}

Expected<void> BlankRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (auto done = source_->read(first, count, block); !done) return done;
  const auto width = block.values.cols();
  block.values.conservativeResize(Eigen::NoChange, width + static_cast<Eigen::Index>(marked_.size()));
  for (std::size_t k = 0; k < marked_.size(); ++k)
    block.values.col(width + static_cast<Eigen::Index>(k)) =
        block.values.col(static_cast<Eigen::Index>(marked_[k])).array().isNaN().cast<double>();
  for (const Blank& blank : blanks_) {
    auto column = block.values.col(static_cast<Eigen::Index>(blank.feature));
    for (std::int64_t r = 0; r < count; ++r) {
      const auto row = static_cast<std::uint64_t>(first + r) * 0x9E3779B97F4A7C15ull; // spreads the rows
      if (std::isnan(column(r))) column(r) = blank.values[(row >> 32) % blank.values.size()];
    }
  }
  return {};
}

} // namespace jitterscope::causal
