#include "core/analysis/bins/wide_bins.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "core/analysis/session/threads.h"
#include "core/analysis/statistics/quantile_search.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kRowsAtOnce = 32'768; // rows whose values fit a core's cache
constexpr std::int64_t kMaxCollected =
    std::int64_t{1} << 21; // maximum number of values that the search collects at its end, over all bins

} // namespace

WideBins::WideBins(const BinQuestion& question, std::int64_t bins, std::int64_t wide_rows)
    : question_(question), piece_rows_(std::max<std::int64_t>(wide_rows / 2, 1)) {
  const auto& traces = question.session.traces();
  const auto origin = question.frame.origin_ns, width = question.frame.width_ns;
  // A wide bin has many consecutive rows of some trace: at least two of the rows sampled at this step.
  const auto step = std::max<std::int64_t>(
      wide_rows / 2 / std::max<std::int64_t>(static_cast<std::int64_t>(traces.size()), 1), 1);
  std::set<std::int64_t> candidates;
  for (const auto& trace : traces) {
    const auto starts = trace.starts();
    std::int64_t before = -1;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(starts.size()); row += step) {
      const auto bin = (starts[static_cast<std::size_t>(row)] + trace.shift_ns - origin) / width;
      if (bin == before && bin < bins) candidates.insert(bin);
      before = bin;
    }
  }
  for (const auto bin : candidates) {
    const auto segments =
        question.session.launches_in({{question.start_of(bin)}, {question.start_of(bin + 1)}});
    std::int64_t rows = 0;
    for (const auto& segment : segments) rows += segment.rows();
    if (rows < wide_rows) continue;
    for (auto& piece : pieces_of(segments)) pieces_.push_back({bins_.size(), std::move(piece)});
    bins_.push_back(bin);
    rows_before_.push_back(rows_);
    rows_ += rows;
  }
  rows_before_.push_back(rows_);
}

std::vector<std::vector<Segment>> WideBins::pieces_of(const std::vector<Segment>& segments) const {
  std::vector<std::vector<Segment>> pieces;
  std::int64_t room = 0;
  for (Segment rest : segments)
    while (rest.first < rest.last) {
      if (room == 0) {
        pieces.emplace_back();
        room = piece_rows_;
      }
      const auto taken = std::min(room, rest.rows());
      pieces.back().push_back({rest.trace, rest.first, rest.first + taken});
      rest.first += taken;
      room -= taken;
    }
  return pieces;
}

bool WideBins::contains(std::int64_t bin) const {
  return std::binary_search(bins_.begin(), bins_.end(), bin);
}

std::span<const Bin> WideBins::of(std::int64_t bin) const {
  const auto at = static_cast<std::size_t>(std::lower_bound(bins_.begin(), bins_.end(), bin) - bins_.begin());
  return std::span(found_).subspan(first_[at], first_[at + 1] - first_[at]);
}

std::int64_t WideBins::rows_before(std::int64_t bin) const {
  return rows_before_[static_cast<std::size_t>(std::lower_bound(bins_.begin(), bins_.end(), bin) -
                                               bins_.begin())];
}

std::vector<std::pair<std::int64_t, std::int64_t>> WideBins::without(std::int64_t first,
                                                                     std::int64_t last) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> left;
  for (auto at = std::lower_bound(bins_.begin(), bins_.end(), first); at != bins_.end() && *at < last; ++at) {
    if (first < *at) left.emplace_back(first, *at);
    first = *at + 1;
  }
  if (first < last) left.emplace_back(first, last);
  return left;
}

template <class Use>
Expected<void> WideBins::for_each_part(Communicator& communicator, const Job& job, Use&& use) const {
  const auto mine =
      share_of(static_cast<std::int64_t>(pieces_.size()), communicator.rank(), communicator.size());
  std::vector<std::unique_ptr<BinValues>> readers;
  while (readers.size() < threads_of_rank()) readers.push_back(std::make_unique<BinValues>(question_));
  std::atomic<bool> stopped = false;
  const bool whole =
      on_threads(mine.last - mine.first, job, "wide bins", [&](std::size_t thread, std::int64_t task) {
        const auto piece = static_cast<std::size_t>(mine.first + task);
        for (Segment rest : pieces_[piece].rows)
          while (rest.first < rest.last) {
            if (thread == 0 && job.cancelled()) stopped = true;
            if (stopped) return;
            const Segment next{rest.trace, rest.first, std::min(rest.first + kRowsAtOnce, rest.last)};
            for (const auto& part : readers[thread]->read({&next, 1})) use(thread, piece, part);
            rest.first = next.last;
          }
      });
  if (!whole || stopped) return Job::cancelled_error();
  return {};
}

Expected<std::vector<WideBins::PartMoments>> WideBins::find_moments(Communicator& communicator,
                                                                    const Job& job) const {
  const auto by_group = [](const PartMoments& a, const PartMoments& b) {
    return a.wide != b.wide ? a.wide < b.wide : a.group < b.group;
  };
  const auto join = [&](std::vector<PartMoments>& parts) {
    std::stable_sort(parts.begin(), parts.end(), by_group);
    std::size_t used = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (used > 0 && !by_group(parts[used - 1], parts[i])) {
        parts[used - 1].launches += parts[i].launches;
        parts[used - 1].moments.add(parts[i].moments);
      } else {
        parts[used++] = parts[i];
      }
    }
    parts.resize(used);
  };
  std::vector<std::vector<PartMoments>> of_piece(pieces_.size());
  auto read = for_each_part(communicator, job, [&](std::size_t, std::size_t piece, const BinPart& part) {
    auto& parts = of_piece[piece];
    parts.push_back({static_cast<std::uint32_t>(pieces_[piece].wide), part.group, part.launches,
                     moments_of(part.values)});
    if (parts.size() > 65'536 && parts.capacity() == parts.size()) join(parts);
  });
  if (!read) return forward(read.error());
  std::vector<PartMoments> mine;
  for (auto& parts : of_piece) {
    join(parts);
    mine.insert(mine.end(), parts.begin(), parts.end());
    parts = {};
  }
  auto all = communicator.all_gather<PartMoments>(mine);
  if (all) join(*all);
  return all;
}

Expected<std::vector<Quartiles>> WideBins::find_quartiles(const std::vector<PartMoments>& parts,
                                                          Communicator& communicator, const Job& job) const {
  std::vector<QuantileSearch::Group> groups;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> keys;
  for (const auto& part : parts) {
    groups.push_back({part.moments.n, part.moments.low, part.moments.high});
    keys.emplace_back(part.wide, part.group);
  }
  QuantileSearch search(std::move(groups), {0.25, 0.5, 0.75}, threads_of_rank(), QuantileSearch::Values::Any,
                        kMaxCollected);
  while (search.open()) {
    auto read =
        for_each_part(communicator, job, [&](std::size_t thread, std::size_t piece, const BinPart& part) {
          const std::pair key{static_cast<std::uint32_t>(pieces_[piece].wide), part.group};
          const auto place = std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
          search.add(thread, static_cast<std::uint32_t>(place), part.values);
        });
    if (!read) return forward(read.error());
    if (auto closed = search.close_pass(communicator, job); !closed) return forward(closed.error());
  }
  std::vector<Quartiles> mine; // only known on rank 0
  if (communicator.rank() == 0)
    for (std::uint32_t part = 0; part < parts.size(); ++part)
      mine.push_back({search.quantile(part, 0), search.quantile(part, 1), search.quantile(part, 2)});
  return communicator.all_gather<Quartiles>(mine);
}

Expected<void> WideBins::compute(Communicator& communicator, const Job& job) {
  first_.assign(bins_.size() + 1, 0);
  if (bins_.empty()) return {};
  auto parts = find_moments(communicator, job);
  if (!parts) return forward(parts.error());
  auto quartiles = find_quartiles(*parts, communicator, job);
  if (!quartiles) return forward(quartiles.error());
  for (std::size_t p = 0; p < parts->size(); ++p) {
    const auto& part = (*parts)[p];
    auto& bin = found_.emplace_back();
    bin.index = bins_[part.wide];
    bin.start_ns = question_.start_of(bin.index);
    if (question_.groups) bin.group = question_.groups->value(part.group);
    bin.launches = part.launches;
    bin.statistics = statistics_of(part.moments, (*quartiles)[p]);
    first_[part.wide + 1] = found_.size();
  }
  for (std::size_t b = 1; b < first_.size(); ++b) first_[b] = std::max(first_[b], first_[b - 1]);
  return {};
}

} // namespace jitterscope::analysis
