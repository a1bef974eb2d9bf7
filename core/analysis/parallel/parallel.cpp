#include "core/analysis/parallel/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "core/analysis/parallel/pair_differences.h"
#include "core/analysis/parallel/parallel_axes.h"
#include "core/analysis/parallel/parallel_cache.h"
#include "core/analysis/parallel/row_masks.h"
#include "core/base/agreement.h"

namespace jitterscope::analysis {
namespace {

using Counts = std::vector<std::int64_t>;

/// Reads the values of an axis as bin numbers.
class AxisReader {
public:
  AxisReader(const LaunchReader& reader, const ParallelAxis& axis, std::size_t traces)
      : reader_(&reader), binning_(axis) {
    for (std::size_t t = 0; t < traces; ++t) {
      auto& bins = bin_of_id_.emplace_back();
      if (const auto* values = reader.table(t))
        for (const double value : *values) bins.push_back(binning_(value));
    }
  }
  void read(const Segment& segment, std::vector<double>& values, std::uint8_t* codes) const {
    const auto rows = static_cast<std::size_t>(segment.rows());
    if (reader_->table(segment.trace)) return read_ids(segment, codes);
    values.resize(rows);
    reader_->read(segment, values.data());
    for (std::size_t i = 0; i < rows; ++i) codes[i] = binning_(values[i]);
  }

private:
  void read_ids(const Segment& segment, std::uint8_t* codes) const {
    constexpr std::size_t kPiece = 1'024;
    std::uint32_t ids[kPiece];
    const auto& all = reader_->ids(segment.trace);
    const auto& bin_of = bin_of_id_[segment.trace];
    const auto rows = static_cast<std::size_t>(segment.rows());
    for (std::size_t at = 0; at < rows; at += kPiece) {
      const auto count = std::min(kPiece, rows - at), first = static_cast<std::size_t>(segment.first) + at;
      all.read(first, first + count, ids);
      for (std::size_t i = 0; i < count; ++i) codes[at + i] = bin_of[ids[i]];
    }
  }

  const LaunchReader* reader_;
  Binning binning_;
  std::vector<std::vector<std::uint8_t>> bin_of_id_; ///< per trace: bin of each configuration or stream
};

/// Counts of one set of rows of all ranks, by pair and by axis.
struct Counted {
  std::int64_t rows = 0;
  std::vector<const Counts*> pairs;
  std::vector<Counts> axes;
};

/// Answers one query: axes, then counts of all rows unless known, of the selected rows and of
/// classes.
class Question {
public:
  Question(const Session& session, const LaunchColumns& columns, const Selection& selection,
           const ParallelOptions& options, Communicator& communicator, const Job& job, ParallelCache* cache)
      : session_(session), columns_(columns), selection_(selection), options_(options),
        communicator_(communicator), job_(job),
        cache_(options.within && options.within_name.empty() ? nullptr : cache),
        sample_(session, communicator, options.sample_rows), masks_(session, columns, sample_, cache_) {}

  Expected<ParallelCounts> run() {
    // Ranges of kept rows require the filter's bits; otherwise conditions benefit from known ranges.
    if (options_.within)
      if (auto done = make_masks(); !done) return forward(done.error());
    if (auto done = make_axes(); !done) return forward(done.error());
    if (!options_.within)
      if (auto done = make_masks(); !done) return forward(done.error());
    if (auto done = make_codes(); !done) return forward(done.error());
    if (auto done = count(); !done) return forward(done.error());
    return finish();
  }

private:
  Expected<void> make_axes() {
    std::vector<const LaunchColumn*> requested;
    for (const auto& name : options_.axes) {
      requested.push_back(columns_.find(name));
      if (!requested.back())
        return failure(ErrorKind::BadUse, "there is no column \"" + name + "\"", {}, "axes",
                       "\"jitterscope info FILES --columns\" lists the columns.");
    }
    std::optional<KeptRows> kept;
    if (within()) kept = KeptRows{within().get(), options_.within_name};
    auto ranges = find_ranges(session_, columns_, requested, sample_, communicator_, job_, cache_, kept,
                              options_.ranges);
    if (!ranges) return forward(ranges.error());
    for (std::size_t a = 0; a < requested.size(); ++a) {
      if (job_.cancelled()) return Job::cancelled_error();
      make_axis_of(*requested[a], *ranges, a);
    }
    readers_ = readers_of(session_, columns_, requested);
    coders_.resize(requested.size());
    for (std::size_t a = 0; a + 1 < requested.size(); ++a) add_pair(a, static_cast<int>(a) + 1);
    if (requested.size() == 1) add_pair(0, -1);
    return {};
  }

  // An axis is unchanged while the range of its column is: its quantiles and category texts are
  // cached.
  void make_axis_of(const LaunchColumn& column, const Ranges& ranges, std::size_t a) {
    const int bins = std::clamp(options_.bins, 2, kMaxParallelBins);
    const auto scale = options_.scales.find(column.name);
    const auto requested = scale == options_.scales.end() ? AxisScale::automatic : scale->second;
    std::string key = fmt::format("{} {} {} {:a} {:a}", column.name, to_string(requested), bins,
                                  ranges.lows[a], ranges.highs[a]);
    for (const auto value : ranges.distinct[a]) key += fmt::format(" {}", value);
    if (within()) key += fmt::format(" within {} of {}", options_.within_name, sample_.every());
    const auto known = cache_ ? cache_->axes.find(key) : nullptr;
    axes_.push_back(
        known ? *known
              : make_axis(session_, columns_, column, ranges, a, requested, bins, within() != nullptr));
    if (!known) new_axes_.emplace_back(key, a);
    keys_.push_back(fmt::format("{} of {}", key, sample_.every()));
  }

  void add_pair(std::size_t left, int right) {
    AxisPair pair{left, right, cells(left), right < 0 ? 1 : cells(static_cast<std::size_t>(right))};
    pairs_.push_back(pair);
    pair_keys_.push_back(keys_[left] + " | " +
                         (right < 0 ? std::string() : keys_[static_cast<std::size_t>(right)]));
  }
  std::size_t cells(std::size_t a) const { return static_cast<std::size_t>(Binning::count_of(axes_[a])) + 1; }

  // Mask 0: all rows within the filter; 1: the selection; then the classes.
  Expected<void> make_masks() {
    const auto add = [&](std::vector<const Selection*> all_of) {
      if (options_.within) all_of.push_back(options_.within.get());
      masks_.add(all_of);
    };
    add({});
    add({&selection_});
    for (const auto& own : options_.classes)
      add(options_.classes_over_all ? std::vector<const Selection*>{&own}
                                    : std::vector<const Selection*>{&own, &selection_});
    return masks_.make(communicator_, job_);
  }
  /// Null: all rows.
  std::shared_ptr<const RowBits> within() const { return options_.within ? masks_.bits(0) : nullptr; }

  /// Finds the codes of the axes in the cache; computes and caches the others as long as there is room. Axes
  /// that are determined by a table are fast to read, so they come last.
  Expected<void> make_codes() {
    codes_.resize(axes_.size());
    std::vector<std::size_t> unknown, requested(axes_.size());
    std::iota(requested.begin(), requested.end(), std::size_t{0});
    std::stable_partition(requested.begin(), requested.end(),
                          [&](std::size_t a) { return session_.traces().empty() || !readers_[a].table(0); });
    const std::int64_t room = ParallelCache::kRoom / communicator_.size(),
                       maximum = std::max<std::int64_t>(sample_.max_rows_per_rank(), 1);
    if (cache_) cache_->codes.set_room(room);
    for (std::size_t i = 0; i < requested.size(); ++i) {
      const std::size_t a = requested[i];
      const bool fits = cache_ && static_cast<std::int64_t>(i + 1) <= room / maximum;
      if (fits) codes_[a] = cache_->codes.find(keys_[a]);
      if (codes_[a]) continue;
      if (job_.cancelled()) return Job::cancelled_error();
      make_coder(a);
      if (!fits) continue;
      unknown.push_back(a);
      codes_[a] = std::make_shared<std::vector<std::uint8_t>>(sample_.room());
    }
    if (!unknown.empty())
      if (auto walked = walk_codes(unknown); !walked) return walked;
    if (auto agreed = all_ranks_succeeded(communicator_); !agreed || !cache_) return agreed;
    for (const auto& [key, a] : new_axes_)
      cache_->axes.keep(key, std::make_shared<ParallelAxis>(axes_[a]), bytes_of(axes_[a]));
    for (const auto a : unknown) cache_->codes.keep(keys_[a], codes_[a], sample_.max_rows_per_rank());
    return {};
  }

  Expected<void> walk_codes(const std::vector<std::size_t>& unknown) {
    std::vector<std::vector<double>> buffers(threads_of_rank());
    return sample_.for_each(job_, "bins of the axes",
                            [&](std::size_t thread, std::size_t block, std::size_t, const auto& segments) {
                              for (const auto a : unknown)
                                read_codes(a, segments, buffers[thread],
                                           codes_[a]->data() +
                                               block * static_cast<std::size_t>(RowSample::kBlock));
                            });
  }

  static std::int64_t bytes_of(const ParallelAxis& axis) {
    std::size_t bytes = sizeof(axis) + (axis.edges.size() + axis.codes.size()) * sizeof(double);
    for (const auto& category : axis.categories) bytes += sizeof(std::string) + category.size();
    return static_cast<std::int64_t>(bytes);
  }

  void make_coder(std::size_t a) {
    coders_[a] = std::make_unique<AxisReader>(readers_[a], axes_[a], session_.traces().size());
  }
  void read_codes(std::size_t a, const std::vector<Segment>& segments, std::vector<double>& buffer,
                  std::uint8_t* out) const {
    for (const auto& segment : segments) {
      coders_[a]->read(segment, buffer, out);
      out += segment.rows();
    }
  }

  Expected<void> count() {
    differences_ = std::make_unique<PairDifferences>(pairs_, pair_keys_, sample_, cache_);
    PairDifferences& differences = *differences_;
    sets_ = {differences.add(nullptr)};
    for (std::size_t mask = 0; mask < 2 + options_.classes.size(); ++mask)
      sets_.push_back(differences.add(masks_.bits(mask)));
    const auto codes_of = [&](std::size_t a, std::size_t block, const std::vector<Segment>& segments,
                              std::vector<double>& values,
                              std::vector<std::uint8_t>& buffer) -> const std::uint8_t* {
      if (codes_[a]) return codes_[a]->data() + block * static_cast<std::size_t>(RowSample::kBlock);
      buffer.resize(static_cast<std::size_t>(RowSample::kBlock));
      read_codes(a, segments, values, buffer.data());
      return buffer.data();
    };
    if (auto done = differences.count(communicator_, job_, axes_.size(), codes_of); !done) return done;
    if (auto done = differences.combine(communicator_); !done) return done;
    for (const auto set : sets_) counted_.push_back(counted_of(differences, set));
    return {};
  }

  // Every row is in one cell of each pair, so that the counts of an axis are sums over the other axis.
  Counted counted_of(const PairDifferences& differences, std::size_t set) const {
    Counted out;
    out.rows = differences.rows(set);
    for (std::size_t a = 0; a < axes_.size(); ++a) out.axes.emplace_back(cells(a), 0);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      out.pairs.push_back(&differences.counts(set, p));
      const AxisPair& pair = pairs_[p];
      for (std::size_t l = 0; l < pair.left_cells; ++l)
        for (std::size_t r = 0; r < pair.right_cells; ++r) {
          const std::int64_t count = (*out.pairs[p])[l * pair.right_cells + r];
          if (p == 0) out.axes[pair.left][l] += count;
          if (pair.right >= 0) out.axes[static_cast<std::size_t>(pair.right)][r] += count;
        }
    }
    return out;
  }

  Expected<ParallelCounts> finish() {
    ParallelCounts out;
    out.all_rows = session_.launches();
    out.examined = counted_[0].rows;
    const Counted &all = counted_[1], &selected = counted_[2];
    out.rows = all.rows;
    out.selected_rows = selected.rows;
    Stop stop(job_);
    for (std::size_t a = 0; a < axes_.size(); ++a) order_.push_back(order_of(a, all.axes[a], stop));
    if (stop.requested()) return Job::cancelled_error();
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      ParallelAxis axis = axes_[a];
      axis.missing = all.axes[a].back();
      axis.all = of_axis(a, all.axes[a]);
      axis.selected = of_axis(a, selected.axes[a]);
      for (std::size_t c = 0; c < axis.categories.size(); ++c) {
        axis.categories[c] = axes_[a].categories[order_[a][c]];
        axis.codes[c] = axes_[a].codes[order_[a][c]];
      }
      out.axes.push_back(std::move(axis));
    }
    for (std::size_t p = 0; p + 1 < axes_.size(); ++p)
      out.pairs.push_back({axes_[p].column, axes_[p + 1].column, static_cast<int>(order_[p].size()),
                           static_cast<int>(order_[p + 1].size()), of_pair(p, *all.pairs[p]),
                           of_pair(p, *selected.pairs[p])});
    for (std::size_t c = 0; c < options_.classes.size(); ++c) {
      const Counted& own = counted_[3 + c];
      ParallelClass made{own.rows, {}, {}};
      for (std::size_t a = 0; a < axes_.size(); ++a) made.axes.push_back(of_axis(a, own.axes[a]));
      for (std::size_t p = 0; p + 1 < axes_.size(); ++p) made.pairs.push_back(of_pair(p, *own.pairs[p]));
      out.classes.push_back(std::move(made));
    }
    return out;
  }

  /// Order of the cells along the axis; the cell of missing values is included only if it is not empty.
  std::vector<std::size_t> order_of(std::size_t a, const Counts& all, Stop& stop) const {
    std::vector<std::size_t> order(all.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto requested = options_.orders.find(axes_[a].column);
    if (!axes_[a].categories.empty() && requested != options_.orders.end()) {
      const auto score = requested->second == CategoryOrder::target
                             ? target_means(a, stop)
                             : std::vector<double>(all.begin(), all.end());
      if (requested->second != CategoryOrder::value)
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t x, std::size_t y) { return score[x] > score[y]; });
    }
    if (all.back() > 0) order.push_back(all.size() - 1);
    return order;
  }

  /// Mean of the target in each category, over a sample of rows that is the same on every rank.
  std::vector<double> target_means(std::size_t a, Stop& stop) const {
    // kRowsOfKept is larger, since a filter may keep few of the rows.
    constexpr std::int64_t kRows = 65'536, kRowsOfKept = 1'048'576;
    std::vector<double> sums(axes_[a].categories.size() + 1, 0), rows(sums.size(), 0);
    if (!columns_.find(options_.target)) return sums;
    const Selection* within = options_.within.get();
    const auto target =
        sampled_values(session_, columns_, options_.target, within ? kRowsOfKept : kRows, within, &stop);
    const auto category =
        sampled_values(session_, columns_, axes_[a].column, within ? kRowsOfKept : kRows, within, &stop);
    if (stop.requested()) return sums;
    const Binning binning(axes_[a]);
    for (std::size_t i = 0; i < target.size(); ++i) {
      if (std::isnan(target[i])) continue;
      sums[binning(category[i])] += target[i];
      ++rows[binning(category[i])];
    }
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = rows[c] > 0 ? sums[c] / rows[c] : -1e300;
    return sums;
  }

  Counts of_axis(std::size_t a, const Counts& counts) const {
    Counts out;
    for (const std::size_t cell : order_[a]) out.push_back(counts[cell]);
    return out;
  }
  Counts of_pair(std::size_t p, const Counts& counts) const {
    const auto right = cells(p + 1);
    Counts out;
    out.reserve(order_[p].size() * order_[p + 1].size());
    for (const std::size_t l : order_[p])
      for (const std::size_t r : order_[p + 1]) out.push_back(counts[l * right + r]);
    return out;
  }

  const Session& session_;
  const LaunchColumns& columns_;
  const Selection& selection_;
  const ParallelOptions& options_;
  Communicator& communicator_;
  const Job& job_;
  ParallelCache* cache_;
  RowSample sample_;
  RowMasks masks_;
  std::vector<ParallelAxis> axes_;
  std::vector<std::pair<std::string, std::size_t>>
      new_axes_;                              ///< cache keys and indices of the axes that are not cached yet
  std::vector<std::string> keys_, pair_keys_; ///< cache keys of the axes and pairs
  std::vector<AxisPair> pairs_;
  std::vector<LaunchReader> readers_;
  std::vector<std::unique_ptr<AxisReader>> coders_; ///< readers of axes without cached codes
  std::vector<std::shared_ptr<std::vector<std::uint8_t>>>
      codes_; ///< by axis: bin of every row of this rank; null if the cache has no room
  std::vector<std::size_t>
      sets_; ///< indices in differences_: all rows, rows within the filter, selected rows, classes
  std::unique_ptr<PairDifferences> differences_;
  std::vector<Counted> counted_;
  std::vector<std::vector<std::size_t>> order_;
};

} // namespace

Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job, ParallelCache* cache) {
  return Question(session, columns, selection, options, communicator, job, cache).run();
}

} // namespace jitterscope::analysis
