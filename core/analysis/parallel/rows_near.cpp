#include "core/analysis/parallel/rows_near.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/parallel/row_masks.h"
#include "core/analysis/session/row_sample.h"
#include "core/analysis/statistics/bin_finder.h"

namespace jitterscope::analysis {
namespace {

/// Maps values to positions along an axis.
class Places {
public:
  explicit Places(const DrawnAxis& axis) : axis_(axis) {
    for (std::size_t i = 0; i < axis.codes.size(); ++i) of_code_.emplace_back(axis.codes[i], i);
    std::sort(of_code_.begin(), of_code_.end());
    if (axis.codes.empty() && axis.edges.size() > 1) finder_ = std::make_unique<BinFinder>(axis.edges);
  }
  double operator()(double value) const {
    if (std::isnan(value)) return axis_.missing;
    const double place = of_value(value);
    return axis_.inverted ? 1 - place : place;
  }

private:
  double of_value(double value) const {
    if (!of_code_.empty()) {
      const auto found = std::lower_bound(of_code_.begin(), of_code_.end(), std::pair(value, std::size_t{0}));
      if (found == of_code_.end() || found->first != value) return std::numeric_limits<double>::quiet_NaN();
      return (static_cast<double>(found->second) + 0.5) / static_cast<double>(of_code_.size());
    }
    if (!finder_) return 0.5; // a single value is in the middle
    const auto bin = (*finder_)(value);
    const double low = axis_.edges[bin], high = axis_.edges[bin + 1];
    const double inside = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0;
    return (static_cast<double>(bin) + inside) / static_cast<double>(axis_.edges.size() - 1);
  }

  const DrawnAxis& axis_;
  std::vector<std::pair<double, std::size_t>> of_code_;
  std::unique_ptr<BinFinder> finder_;
};

/// Reads the positions of rows along one axis.
class PlaceReader {
public:
  PlaceReader(const Session& session, const LaunchColumns& columns, const DrawnAxis& axis)
      : reader_(session, columns, axis.column), places_(axis) {
    for (std::size_t t = 0; t < session.traces().size(); ++t) {
      auto& of_id = of_id_.emplace_back();
      if (const auto* values = reader_.table(t))
        for (const double value : *values) of_id.push_back(places_(value));
    }
  }
  void read(const Segment& segment, double* out, std::vector<std::uint32_t>& ids) const {
    const auto rows = static_cast<std::size_t>(segment.rows());
    if (reader_.table(segment.trace)) {
      const auto first = static_cast<std::size_t>(segment.first);
      ids.resize(rows);
      reader_.ids(segment.trace).read(first, first + rows, ids.data());
      const auto& of_id = of_id_[segment.trace];
      for (std::size_t i = 0; i < rows; ++i) out[i] = of_id[ids[i]];
      return;
    }
    reader_.read(segment, out);
    for (std::size_t i = 0; i < rows; ++i) out[i] = places_(out[i]);
  }

private:
  LaunchReader reader_;
  Places places_;
  std::vector<std::vector<double>>
      of_id_; ///< per trace, if the reader has a table: position by configuration or stream
};

struct Near {
  double distance = 0;
  std::int64_t row = 0;
  bool operator<(const Near& other) const {
    return distance != other.distance ? distance < other.distance : row < other.row;
  }
};

/// The nearest rows found by one thread: a heap with the farthest of them on top.
struct Nearest {
  std::int64_t count = 0;
  std::vector<Near> heap;
  std::vector<double> left, right;
  std::vector<std::uint32_t> ids;

  void add(Near near, std::size_t maximum) {
    ++count;
    if (heap.size() == maximum && (maximum == 0 || !(near < heap.front()))) return;
    if (heap.size() == maximum) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(near);
    std::push_heap(heap.begin(), heap.end());
  }
};

/// One pass over the rows of this rank.
class Walk {
public:
  Walk(const Session& session, const LaunchColumns& columns, const DrawnPoint& point, const RowBits* bits)
      : session_(session), point_(point), bits_(bits), left_(session, columns, point.left) {
    if (point.right) right_ = std::make_unique<PlaceReader>(session, columns, *point.right);
  }

  void block(Nearest& found, std::size_t block, const std::vector<Segment>& segments) const {
    constexpr std::int64_t kPiece = 4'096; // rows; pieces without selected rows are skipped
    std::size_t place = block * static_cast<std::size_t>(RowSample::kBlock);
    for (const auto& segment : segments)
      for (std::int64_t first = segment.first; first < segment.last; first += kPiece) {
        const Segment piece{segment.trace, first, std::min(first + kPiece, segment.last)};
        if (any(place, static_cast<std::size_t>(piece.rows()))) rows(found, piece, place);
        place += static_cast<std::size_t>(piece.rows());
      }
  }

private:
  bool selected(std::size_t place) const { return !bits_ || ((*bits_)[place / 64] >> (place % 64) & 1) != 0; }
  bool any(std::size_t place, std::size_t rows) const {
    if (!bits_) return true;
    for (std::size_t word = place / 64; word <= (place + rows - 1) / 64; ++word)
      if ((*bits_)[word] != 0) return true;
    return false;
  }
  void rows(Nearest& found, const Segment& piece, std::size_t place) const {
    const auto rows = static_cast<std::size_t>(piece.rows());
    found.left.resize(rows);
    left_.read(piece, found.left.data(), found.ids);
    if (right_) {
      found.right.resize(rows);
      right_->read(piece, found.right.data(), found.ids);
    }
    const std::int64_t row = session_.traces()[piece.trace].first_launch + piece.first;
    for (std::size_t i = 0; i < rows; ++i) {
      const double at =
          right_ ? (1 - point_.across) * found.left[i] + point_.across * found.right[i] : found.left[i];
      const double distance = std::abs(at - point_.at);
      if (distance <= point_.within && selected(place + i)) // false for NaN distances
        found.add({distance, row + static_cast<std::int64_t>(i)}, point_.maximum);
    }
  }

  const Session& session_;
  const DrawnPoint& point_;
  const RowBits* bits_;
  PlaceReader left_;
  std::unique_ptr<PlaceReader> right_;
};

Expected<void> known(const LaunchColumns& columns, const DrawnAxis& axis) {
  if (columns.find(axis.column)) return {};
  return failure(ErrorKind::BadUse, "there is no column \"" + axis.column + "\"", {}, "axes",
                 "\"jitterscope info FILES --columns\" lists the columns.");
}

} // namespace

Expected<RowsNear> rows_near(const Session& session, const LaunchColumns& columns, const Selection& selection,
                             const DrawnPoint& point, Communicator& communicator, const Job& job,
                             ParallelCache* cache) {
  if (auto ok = known(columns, point.left); !ok) return forward(ok.error());
  if (point.right)
    if (auto ok = known(columns, *point.right); !ok) return forward(ok.error());
  const RowSample sample(session, communicator);
  RowMasks masks(session, columns, sample, cache);
  const auto mask = masks.add({&selection});
  if (auto made = masks.make(communicator, job); !made) return forward(made.error());
  const Walk walk(session, columns, point, masks.bits(mask).get());
  std::vector<Nearest> threads(threads_of_rank());
  auto walked = sample.for_each(job, "rows near the pointer",
                                [&](std::size_t thread, std::size_t block, std::size_t,
                                    const auto& segments) { walk.block(threads[thread], block, segments); });
  if (!walked) return forward(walked.error());
  std::int64_t count = 0;
  std::vector<Near> mine;
  for (const auto& each : threads) {
    count += each.count;
    mine.insert(mine.end(), each.heap.begin(), each.heap.end());
  }
  if (auto done = communicator.sum({&count, 1}); !done) return forward(done.error());
  auto all = communicator.all_gather<Near>(mine);
  if (!all) return forward(all.error());
  std::sort(all->begin(), all->end());
  RowsNear out;
  out.count = count;
  for (std::size_t i = 0; i < std::min(point.maximum, all->size()); ++i) out.rows.push_back((*all)[i].row);
  return out;
}

} // namespace jitterscope::analysis
