#include "core/analysis/bins.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kDefaultBins = 2000;
constexpr std::int64_t kMostBins =
    500'000; // what a ranking that people read, and one answer of the engine, can hold

std::int64_t default_width(Interval span) {
  return std::max<std::int64_t>((span.length().count + kDefaultBins - 1) / kDefaultBins, 1);
}

// Tables are short and every row counts: about a hundred bins, each of ten rows at least, so that a bin has a
// spread.
std::int64_t default_rows(Interval span) {
  return std::max<std::int64_t>((span.length().count + 99) / 100, 10);
}

/// Computes bins of a contiguous range of bin numbers.
class BinWorker {
public:
  BinWorker(const Session& session, const LaunchColumns& columns, const Selection& selection,
            const Bins& frame)
      : session_(session), columns_(columns), selection_(selection), frame_(frame),
        kernel_sums_(session.kernels().size(), 0.0) {}

  /// Rows of one or more neighbouring bins are read together, then cut at the bins' borders.
  void run(std::int64_t first_bin, std::int64_t last_bin, std::vector<Bin>& out) {
    const Interval range{{frame_.origin_ns + first_bin * frame_.width_ns},
                         {frame_.origin_ns + last_bin * frame_.width_ns}};
    parts_.clear();
    for (const auto& segment : session_.launches_in(range))
      parts_.push_back({segment, columns_.read(frame_.metric, segment),
                        selection_.select(session_, columns_, segment), 0});
    for (std::int64_t bin = first_bin; bin < last_bin; ++bin) one(bin, out);
  }

private:
  struct Part {
    Segment segment;
    std::vector<double> values;
    std::vector<std::uint8_t> selected;
    std::size_t next = 0;
  };

  void one(std::int64_t index, std::vector<Bin>& out) {
    Bin bin;
    bin.index = index;
    bin.start_ns = frame_.origin_ns + index * frame_.width_ns;
    bin.last_end_ns = bin.start_ns;
    double largest = -1;
    values_.clear();
    for (auto& part : parts_) collect(part, bin, largest);
    if (bin.launches == 0) return;
    double most = -1;
    for (const auto kernel : seen_) {
      if (kernel_sums_[kernel] > most || (kernel_sums_[kernel] == most && kernel < bin.top_kernel)) {
        most = kernel_sums_[kernel];
        bin.top_kernel = kernel;
      }
      kernel_sums_[kernel] = 0;
    }
    seen_.clear();
    bin.statistics = statistics_of(values_);
    bin.top_kernel_share = bin.statistics.sum > 0 ? most / bin.statistics.sum : 0;
    out.push_back(bin);
  }

  void collect(Part& part, Bin& bin, double& largest) {
    const Trace& trace = session_.traces()[part.segment.trace];
    const auto starts = trace.starts();
    const auto durations = trace.durations();
    const auto configurations = trace.configurations();
    const std::int64_t end = bin.start_ns + frame_.width_ns - trace.shift_ns;
    for (; part.next < part.values.size(); ++part.next) {
      const auto row = static_cast<std::size_t>(part.segment.first) + part.next;
      if (starts[row] >= end) break;
      if (!part.selected[part.next]) continue;
      ++bin.launches;
      bin.last_end_ns =
          std::max(bin.last_end_ns, starts[row] + trace.extent(durations[row]) + trace.shift_ns);
      const double value = part.values[part.next];
      if (std::isnan(value)) continue;
      values_.push_back(value);
      const auto kernel = session_.configurations()[trace.configuration[configurations[row]]].kernel;
      if (kernel_sums_[kernel] == 0) seen_.push_back(kernel);
      kernel_sums_[kernel] += value;
      if (value > largest) {
        largest = value;
        bin.top_launch = trace.first_launch + static_cast<std::int64_t>(row);
      }
    }
  }

  const Session& session_;
  const LaunchColumns& columns_;
  const Selection& selection_;
  const Bins& frame_;
  std::vector<Part> parts_;
  std::vector<double> values_;
  std::vector<double> kernel_sums_;
  std::vector<std::uint32_t> seen_;
};

Expected<Bins> frame_of(const Session& session, const LaunchColumns& columns, const BinOptions& options) {
  if (options.metric == "kernel_variability" && !columns.find(options.metric))
    return failure(ErrorKind::BadUse, "the table has no durations, so its kernels have no variability", {},
                   "metric", "Name a column to rank by, for example one that 'info' lists: --metric COLUMN.");
  const auto* metric = columns.find(options.metric);
  if (!metric || metric->kind == ColumnKind::Text)
    return failure(ErrorKind::BadUse, "there is no numeric column '" + options.metric + "' to make bins of",
                   {}, "metric",
                   "Use duration, kernel-variability, memory-stall or a column that 'info' lists.");
  Bins frame;
  const auto span = session.launch_span();
  frame.metric = metric->name;
  frame.unit = metric->unit;
  frame.origin_ns = span.begin.count;
  frame.width_ns = options.width_ns > 0     ? options.width_ns
                   : session.launch_order() ? default_rows(span)
                                            : default_width(span);
  if (span.length().count / frame.width_ns >= kMostBins)
    return failure(ErrorKind::BadUse,
                   fmt::format("bins of {} {} would be {} bins, more than {}", frame.width_ns,
                               session.launch_order() ? "launches" : "ns",
                               span.length().count / frame.width_ns + 1, kMostBins),
                   {}, "width", "Choose a larger width.");
  return frame;
}

// Borders of bins at which the rows are shared out evenly: rank r takes bins [border[r], border[r + 1]).
std::int64_t border(const Session& session, const Bins& frame, std::int64_t bins, int rank, int size) {
  if (rank == 0) return 0;
  if (rank == size) return bins;
  const std::int64_t wanted = share_of(session.launches(), rank, size).first;
  std::int64_t low = 0, high = bins;
  while (low < high) {
    const auto middle = low + (high - low) / 2;
    std::int64_t rows = 0;
    const Interval before{session.launch_span().begin, {frame.origin_ns + middle * frame.width_ns}};
    for (const auto& segment : session.launches_in(before)) rows += segment.rows();
    if (rows < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void rank_bins(Bins& result, const BinOptions& options) {
  std::vector<std::int64_t> order(result.bins.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](std::int64_t i) {
    const double value = value_of(result.bins[static_cast<std::size_t>(i)].statistics, options.rank_by);
    const bool none = result.bins[static_cast<std::size_t>(i)].statistics.n == 0 || std::isnan(value);
    return none ? -INFINITY : value;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return key(a) > key(b); });
  const auto all = static_cast<std::int64_t>(order.size());
  std::int64_t keep = options.top_count;
  if (keep <= 0)
    keep = std::max(options.top_least,
                    static_cast<std::int64_t>(std::ceil(options.top_share * static_cast<double>(all))));
  const auto valued = std::count_if(result.bins.begin(), result.bins.end(),
                                    [](const Bin& bin) { return bin.statistics.n > 0; });
  keep = std::min<std::int64_t>(keep, valued);
  for (std::int64_t r = 0; r < all; ++r) {
    auto& bin = result.bins[static_cast<std::size_t>(order[static_cast<std::size_t>(r)])];
    bin.rank = r + 1;
    bin.kept = r < keep;
  }
  order.resize(static_cast<std::size_t>(keep));
  result.kept = std::move(order);
  for (const auto& bin : result.bins) {
    result.total += bin.statistics.n > 0 ? bin.statistics.sum : 0;
    result.missing += bin.launches - bin.statistics.n;
  }
}

} // namespace

Expected<Bins> compute_bins(const Session& session, const LaunchColumns& columns, const Selection& selection,
                            const BinOptions& options, Communicator& communicator, const Job& job) {
  auto frame = frame_of(session, columns, options);
  if (!frame) return frame;
  const auto span = session.launch_span();
  const std::int64_t bins = session.launches() == 0 ? 0 : span.length().count / frame->width_ns + 1;
  const auto first = border(session, *frame, bins, communicator.rank(), communicator.size());
  const auto last = border(session, *frame, bins, communicator.rank() + 1, communicator.size());
  std::vector<Bin> mine;
  BinWorker worker(session, columns, selection, *frame);
  // About 50,000 rows at a time: a few milliseconds between looks at cancellation.
  const auto rows_per_bin = std::max<std::int64_t>(session.launches() / std::max<std::int64_t>(bins, 1), 1);
  const auto step = std::max<std::int64_t>(50'000 / rows_per_bin, 1);
  for (std::int64_t bin = first; bin < last; bin += step) {
    if (job.cancelled()) return Job::cancelled_error();
    worker.run(bin, std::min(bin + step, last), mine);
    job.progress(bin - first, last - first, "bins");
  }
  auto all = communicator.gather<Bin>(mine);
  if (!all) return forward(all.error());
  frame->bins = std::move(*all);
  if (communicator.rank() == 0) rank_bins(*frame, options);
  return frame;
}

} // namespace jitterscope::analysis
