#include "core/analysis/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/core.h>

#include "core/analysis/parallel_axes.h"
#include "core/analysis/parallel_cache.h"

namespace jitterscope::analysis {
namespace {

using Counts = std::vector<std::int64_t>;

/// Reads an axis as bin numbers.
class AxisReader {
public:
  AxisReader(const LaunchReader& reader, const ParallelAxis& axis, std::size_t traces) : reader_(&reader), binning_(axis) {
    for (std::size_t t = 0; t < traces; ++t) {
      auto& bins = bin_of_id_.emplace_back();
      if (const auto* values = reader.table(t))
        for (const double value : *values) bins.push_back(binning_(value));
    }
  }
  int cells() const { return binning_.count() + 1; }

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
  std::vector<std::vector<std::uint8_t>> bin_of_id_; ///< per trace
};

/// Counts of one set of rows: by axis and by pair of neighbours.
struct Tally {
  std::vector<Counts> axes, pairs;
  std::int64_t rows = 0;

  explicit Tally(const std::vector<int>& cells) {
    for (std::size_t a = 0; a < cells.size(); ++a) {
      axes.emplace_back(static_cast<std::size_t>(cells[a]), 0);
      if (a > 0) pairs.emplace_back(static_cast<std::size_t>(cells[a - 1]) * static_cast<std::size_t>(cells[a]), 0);
    }
  }
  void add(const Tally& other) {
    const auto sum = [](std::vector<Counts>& to, const std::vector<Counts>& from) {
      for (std::size_t i = 0; i < to.size(); ++i)
        std::transform(to[i].begin(), to[i].end(), from[i].begin(), to[i].begin(), std::plus<>());
    };
    sum(axes, other.axes);
    sum(pairs, other.pairs);
    rows += other.rows;
  }
  Expected<void> combine(Communicator& communicator) {
    std::int64_t count[1] = {rows};
    if (auto done = communicator.sum(count); !done) return done;
    rows = count[0];
    for (auto* list : {&axes, &pairs})
      for (auto& counts : *list)
        if (auto done = communicator.sum(counts); !done) return done;
    return {};
  }
};

/// Rows whose codes are counted into a tally: all of a block, or those listed.
class Counter {
public:
  /// `wanted` by axis and by pair: what has been counted before is left out.
  Counter(Tally& tally, const std::vector<int>& cells) : tally_(tally), cells_(cells) {}

  void add(const std::vector<const std::uint8_t*>& codes, std::size_t rows) {
    tally_.rows += static_cast<std::int64_t>(rows);
    run(codes, rows, [](std::size_t i) { return i; });
  }
  void add(const std::vector<const std::uint8_t*>& codes, const std::vector<std::uint32_t>& listed) {
    tally_.rows += static_cast<std::int64_t>(listed.size());
    run(codes, listed.size(), [&](std::size_t i) { return static_cast<std::size_t>(listed[i]); });
  }

private:
  template <class At>
  void run(const std::vector<const std::uint8_t*>& codes, std::size_t rows, At&& at) {
    for (std::size_t a = 0; a + 1 < codes.size(); ++a) {
      const auto width = static_cast<std::size_t>(cells_[a + 1]);
      const std::uint8_t *left = codes[a], *right = codes[a + 1];
      std::int64_t* counts = tally_.pairs[a].data();
      for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t row = at(i);
        ++counts[left[row] * width + right[row]];
      }
    }
    if (codes.size() != 1) return; // sums of the pairs' rows and columns tell the axes
    for (std::size_t i = 0; i < rows; ++i) ++tally_.axes[0][codes[0][at(i)]];
  }

  Tally& tally_;
  const std::vector<int>& cells_;
};

// Every row is in one cell of each pair: the axes' own counts are sums over the other side.
void axes_from_pairs(Tally& tally, const std::vector<int>& cells) {
  for (std::size_t p = 0; p < tally.pairs.size(); ++p) {
    const auto left = static_cast<std::size_t>(cells[p]), right = static_cast<std::size_t>(cells[p + 1]);
    for (std::size_t l = 0; l < left; ++l)
      for (std::size_t r = 0; r < right; ++r) {
        const std::int64_t count = tally.pairs[p][l * right + r];
        tally.axes[p + 1][r] += count;
        if (p == 0) tally.axes[0][l] += count;
      }
  }
}

std::vector<std::uint32_t> listed(const std::vector<std::uint8_t>& mask) {
  std::vector<std::uint32_t> rows;
  rows.reserve(mask.size());
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i]) rows.push_back(static_cast<std::uint32_t>(i));
  return rows;
}

/// The whole question: axes, then counts of all rows where they are not known, of the selected ones and of classes.
class Question {
public:
  Question(const Session& session, const LaunchColumns& columns, const Selection& selection, const ParallelOptions& options,
           Communicator& communicator, const Job& job, ParallelCache* cache)
      : session_(session), columns_(columns), selection_(selection), options_(options), communicator_(communicator), job_(job),
        cache_(cache), blocks_(session, communicator) {}

  Expected<ParallelCounts> run() {
    if (auto done = make_axes(); !done) return forward(done.error());
    // Alike on every rank, so that all take the same way.
    const auto ranks = static_cast<std::int64_t>(communicator_.size());
    rows_of_rank_ = (blocks_.all() + ranks - 1) / ranks * RowBlocks::kRows;
    coded_ = cache_ && ParallelCache::has_room(rows_of_rank_, axes_.size());
    for (std::size_t a = 0; a < axes_.size() && coded_ && first_picture(); ++a) coded_ = cache_->find(key_of(a)) != nullptr;
    if (auto done = coded_ ? code() : Expected<void>{}; !done) return forward(done.error());
    if (auto done = count(); !done) return forward(done.error());
    return finish();
  }

private:
  bool first_picture() const { return options_.look_at > 0; }
  std::string key_of(std::size_t a) const {
    return fmt::format("{} {} {}", axes_[a].column, to_string(axes_[a].scale), options_.bins);
  }

  Expected<void> make_axes() {
    std::vector<const LaunchColumn*> wanted;
    for (const auto& name : options_.axes) {
      wanted.push_back(columns_.find(name));
      if (!wanted.back())
        return failure(ErrorKind::BadUse, "there is no column '" + name + "'", {}, "axes", "'info' lists the columns.");
    }
    const int bins = std::clamp(options_.bins, 2, kMostParallelBins);
    auto ranges = find_ranges(session_, columns_, wanted, communicator_, job_);
    if (!ranges) return forward(ranges.error());
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      const auto scale = options_.scales.find(wanted[a]->name);
      axes_.push_back(make_axis(session_, columns_, *wanted[a], *ranges, a,
                                scale == options_.scales.end() ? AxisScale::automatic : scale->second, bins));
    }
    readers_ = readers_of(session_, columns_, wanted);
    for (std::size_t a = 0; a < wanted.size(); ++a) {
      coders_.emplace_back(readers_[a], axes_[a], session_.traces().size());
      cells_.push_back(coders_[a].cells());
    }
    return {};
  }

  /// Bytes of the axes that are not kept yet.
  Expected<void> code() {
    std::vector<std::size_t> unknown;
    std::vector<std::shared_ptr<CodedAxis>> made(axes_.size());
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      kept_.push_back(cache_->find(key_of(a)));
      if (kept_[a]) continue;
      unknown.push_back(a);
      made[a] = std::make_shared<CodedAxis>();
      made[a]->axis = axes_[a];
      made[a]->cells = cells_[a];
      made[a]->codes.resize(static_cast<std::size_t>(rows_of_rank_));
    }
    if (unknown.empty()) return {};
    std::vector<std::vector<double>> buffers(threads_of_rank());
    auto walked = blocks_.for_each(job_, "bins of the axes", [&](std::size_t thread, std::size_t block, const auto& segments) {
      std::size_t at = block * static_cast<std::size_t>(RowBlocks::kRows);
      for (const auto& segment : segments) {
        for (const auto a : unknown) coders_[a].read(segment, buffers[thread], made[a]->codes.data() + at);
        at += static_cast<std::size_t>(segment.rows());
      }
    });
    if (!walked) return walked;
    for (const auto a : unknown) kept_[a] = made[a];
    return {};
  }

  // Pairs that were never counted are counted over all rows together with the selected ones.
  Expected<void> count() {
    know_all_ = coded_ && !first_picture();
    for (std::size_t a = 0; a < axes_.size() && know_all_; ++a) {
      know_all_ = !kept_[a]->all.empty();
      if (a > 0 && know_all_) know_all_ = cache_->find_pair(key_of(a - 1), key_of(a)) != nullptr;
    }
    everything_ = selection_.everything();
    const std::size_t sets = 2 + options_.classes.size(); // all, selected, classes
    std::vector<std::vector<Tally>> threads(threads_of_rank(), std::vector<Tally>(sets, Tally(cells_)));
    // A first picture: blocks in equal distances, each rank among its own.
    const std::int64_t every =
        options_.look_at > 0 ? std::max<std::int64_t>(1, session_.launches() / std::max<std::int64_t>(options_.look_at, RowBlocks::kRows)) : 1;
    std::vector<std::vector<double>> values(threads.size());
    std::vector<std::vector<std::vector<std::uint8_t>>> codes(threads.size(), std::vector<std::vector<std::uint8_t>>(axes_.size()));
    auto walked = blocks_.for_each(job_, "parallel coordinates", [&](std::size_t thread, std::size_t block, const auto& segments) {
      if ((blocks_.first() + static_cast<std::int64_t>(block)) % every != 0) return;
      std::size_t at = block * static_cast<std::size_t>(RowBlocks::kRows);
      for (const auto& segment : segments) {
        std::vector<const std::uint8_t*> bytes;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
          if (coded_) {
            bytes.push_back(kept_[a]->codes.data() + at);
            continue;
          }
          codes[thread][a].resize(static_cast<std::size_t>(segment.rows()));
          coders_[a].read(segment, values[thread], codes[thread][a].data());
          bytes.push_back(codes[thread][a].data());
        }
        tally(threads[thread], segment, bytes);
        at += static_cast<std::size_t>(segment.rows());
      }
    });
    if (!walked) return walked;
    for (std::size_t s = 0; s < sets; ++s) {
      tallies_.emplace_back(cells_);
      for (const auto& thread : threads) tallies_[s].add(thread[s]);
      if (cells_.size() > 1) axes_from_pairs(tallies_[s], cells_);
      const bool skipped = (s == 0 && know_all_) || (s == 1 && everything_);
      if (skipped) continue;
      if (auto done = tallies_[s].combine(communicator_); !done) return done;
    }
    return {};
  }

  void tally(std::vector<Tally>& sets, const Segment& segment, const std::vector<const std::uint8_t*>& bytes) {
    const auto rows = static_cast<std::size_t>(segment.rows());
    if (!know_all_) Counter(sets[0], cells_).add(bytes, rows);
    if (everything_ && options_.classes.empty()) return;
    std::vector<std::uint8_t> mask;
    if (!everything_) {
      mask = selection_.select(session_, columns_, segment);
      Counter(sets[1], cells_).add(bytes, listed(mask));
    }
    for (std::size_t c = 0; c < options_.classes.size(); ++c) {
      auto own = options_.classes[c].select(session_, columns_, segment);
      if (!options_.classes_over_all)
        for (std::size_t i = 0; i < mask.size(); ++i) own[i] &= mask[i];
      Counter(sets[2 + c], cells_).add(bytes, listed(own));
    }
  }

  ParallelCounts finish() {
    ParallelCounts out;
    out.all_rows = session_.launches();
    Tally& all = tallies_[0];
    if (know_all_) {
      all.rows = out.all_rows;
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        all.axes[a] = kept_[a]->all;
        if (a > 0) all.pairs[a - 1] = *cache_->find_pair(key_of(a - 1), key_of(a));
      }
    } else if (coded_ && !first_picture()) {
      keep(all);
    }
    const Tally& selected = everything_ ? all : tallies_[1];
    out.rows = all.rows;
    out.selected_rows = selected.rows;
    for (std::size_t a = 0; a < axes_.size(); ++a) order_.push_back(order_of(a, all.axes[a]));
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
                           static_cast<int>(order_[p + 1].size()), of_pair(p, all.pairs[p]), of_pair(p, selected.pairs[p])});
    for (std::size_t c = 0; c < options_.classes.size(); ++c) {
      const Tally& own = tallies_[2 + c];
      ParallelClass made{own.rows, {}, {}};
      for (std::size_t a = 0; a < axes_.size(); ++a) made.axes.push_back(of_axis(a, own.axes[a]));
      for (std::size_t p = 0; p + 1 < axes_.size(); ++p) made.pairs.push_back(of_pair(p, own.pairs[p]));
      out.classes.push_back(std::move(made));
    }
    return out;
  }

  void keep(const Tally& all) {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (kept_[a]->all.empty()) {
        kept_[a]->all = all.axes[a];
        cache_->keep(key_of(a), kept_[a]);
      }
      if (a > 0) cache_->keep_pair(key_of(a - 1), key_of(a), all.pairs[a - 1]);
    }
  }

  /// Which cell of the count stands where on the axis: cells of missing values only where there are any.
  std::vector<std::size_t> order_of(std::size_t a, const Counts& all) const {
    std::vector<std::size_t> order(all.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto wanted = options_.orders.find(axes_[a].column);
    if (!axes_[a].categories.empty() && wanted != options_.orders.end()) {
      const auto score = wanted->second == CategoryOrder::target ? target_means(a) : std::vector<double>(all.begin(), all.end());
      if (wanted->second != CategoryOrder::value)
        std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return score[x] > score[y]; });
    }
    if (all.back() > 0) order.push_back(all.size() - 1);
    return order;
  }

  /// Mean of the target in each category, over a sample of rows that is the same on every rank.
  std::vector<double> target_means(std::size_t a) const {
    constexpr std::int64_t kRows = 65'536;
    std::vector<double> sums(axes_[a].categories.size() + 1, 0), rows(sums.size(), 0);
    if (!columns_.find(options_.target)) return sums;
    const auto target = sampled_values(session_, columns_, options_.target, kRows);
    const auto category = sampled_values(session_, columns_, axes_[a].column, kRows);
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
    const auto right = static_cast<std::size_t>(cells_[p + 1]);
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
  RowBlocks blocks_;
  std::int64_t rows_of_rank_ = 0;
  bool coded_ = false, know_all_ = false, everything_ = false;
  std::vector<ParallelAxis> axes_;
  std::vector<LaunchReader> readers_;
  std::vector<AxisReader> coders_;
  std::vector<int> cells_;
  std::vector<std::shared_ptr<CodedAxis>> kept_;
  std::vector<Tally> tallies_; ///< all, selected, classes
  std::vector<std::vector<std::size_t>> order_;
};

} // namespace

Expected<ParallelCounts> parallel_counts(const Session& session, const LaunchColumns& columns,
                                         const Selection& selection, const ParallelOptions& options,
                                         Communicator& communicator, const Job& job, ParallelCache* cache) {
  return Question(session, columns, selection, options, communicator, job, cache).run();
}

} // namespace jitterscope::analysis
