#include "core/causal/table/shuffled_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/causal/base/note_specs.h"
#include "core/causal/base/random.h"
#include "core/causal/base/wording.h"

namespace jitterscope::causal {
namespace {

constexpr std::int64_t kMinSorted = 30;               ///< fewer rows may be in order by chance
constexpr std::int64_t kMaxSortedValues = 20'000'000; ///< rows × columns that are kept in memory
constexpr std::size_t kMinDistinct = 10; ///< a target with fewer values may be sorted because a setting is

/// Rows `order` of a block.
RowBlock rows_in(const RowBlock& block, const std::vector<std::int64_t>& order) {
  RowBlock rows;
  rows.values = block.values(order, Eigen::all);
  for (const auto row : order) {
    if (!block.group.empty()) rows.group.push_back(block.group[static_cast<std::size_t>(row)]);
    if (!block.duration_ns.empty())
      rows.duration_ns.push_back(block.duration_ns[static_cast<std::size_t>(row)]);
  }
  return rows;
}

/// Whether the values that are known never fall, or never rise.
bool is_sorted(const std::vector<double>& values) {
  std::vector<double> known;
  std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return !std::isnan(v); });
  if (std::ssize(known) < kMinSorted) return false;
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < known.size(); ++i) distinct += known[i] != known[i - 1];
  return distinct >= kMinDistinct &&
         (std::ranges::is_sorted(known) || std::ranges::is_sorted(known, std::greater{}));
}

/// Whether the values number the rows: 1, 2, 3 …
bool numbers_rows(const Eigen::MatrixXd& values, Eigen::Index column) {
  const auto x = values.col(column);
  const double step = x(1) - x(0);
  return step != 0 && (x.tail(x.size() - 1) - x.head(x.size() - 1)).cwiseEqual(step).all();
}

} // namespace

Expected<ShuffledRows> ShuffledRows::make(const RowSource& source, const Options& options, const Job& job) {
  ShuffledRows result(source);
  const auto& features = source.features();
  const auto rows = source.rows();
  const bool plain = std::ranges::any_of(features, &FeatureInfo::of_plain_table);
  if (!plain || options.counterfactual_row >= 0 || rows < kMinSorted ||
      rows * std::ssize(features) > kMaxSortedValues)
    return result;
  const auto name = options.target.empty() ? source.default_target() : options.target;
  const auto target = std::ranges::find(features, name, &FeatureInfo::name) - features.begin();
  const bool of_column = target < std::ssize(features);
  if (!of_column && name != "duration") return result; // a variability is not a column that is sorted
  const auto values_of = [&](const RowBlock& block) {
    return of_column ? std::vector<double>(block.values.col(target).begin(), block.values.col(target).end())
                     : block.duration_ns;
  };
  RowBlock block;
  if (auto done = source.read(0, std::min(rows, 4 * kMinSorted), block); !done) return forward(done.error());
  if (!is_sorted(values_of(block))) return result; // usually decided by the first rows
  RowBlock all;
  all.values.resize(rows, std::ssize(features));
  auto read = read_tiles(source, 0, rows, job, [&](std::int64_t first, const RowBlock& tile) {
    all.values.middleRows(first, tile.values.rows()) = tile.values;
    all.group.insert(all.group.end(), tile.group.begin(), tile.group.end());
    all.duration_ns.insert(all.duration_ns.end(), tile.duration_ns.begin(), tile.duration_ns.end());
  });
  if (!read) return forward(read.error());
  if (!is_sorted(values_of(all))) return result;
  for (std::size_t f = 0; f < features.size(); ++f)
    if (static_cast<std::ptrdiff_t>(f) != target && numbers_rows(all.values, static_cast<Eigen::Index>(f)))
      result.features_[f].leaves = "numbers the rows, which are sorted by the target";
  result.order_.resize(static_cast<std::size_t>(rows));
  std::iota(result.order_.begin(), result.order_.end(), std::int64_t{0});
  Random random(options.seed, 97);
  random.shuffle(result.order_);
  result.all_ = rows_in(all, result.order_);
  return result;
}

Expected<void> ShuffledRows::read(std::int64_t first, std::int64_t count, RowBlock& block) const {
  if (order_.empty()) return source_->read(first, count, block);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), first);
  block = rows_in(all_, order);
  return {};
}

std::int64_t ShuffledRows::origin_of(std::int64_t row) const {
  return source_->origin_of(order_.empty() ? row : order_[static_cast<std::size_t>(row)]);
}

std::vector<Warning> ShuffledRows::remarks() const {
  auto remarks = source_->remarks();
  if (!order_.empty()) remarks.push_back(note<notes::kSortedByTarget>());
  return remarks;
}

} // namespace jitterscope::causal
