#include "core/analysis/bins/bin_shard.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/core.h>

#include "core/analysis/bins/bin_contents.h"
#include "core/analysis/bins/wide_bins.h"
#include "core/analysis/session/shared_tasks.h"
#include "core/analysis/session/threads.h"
#include "core/base/ordered_double.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kMaxTasks = std::int64_t{1} << 20; // of one rank: any number of bins may be empty
constexpr std::int64_t kPiecesPerRound = 32; // a piece is a sequential read of neighbouring tasks

template <class List, class BinOf>
void number(List& list, Statistic by, BinOf&& bin_of) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) order.emplace_back(~rank_key(bin_of(list[i]), by), i);
  std::sort(order.begin(), order.end());
  for (std::size_t place = 0; place < order.size(); ++place)
    bin_of(list[order[place].second]).rank = static_cast<std::int64_t>(place) + 1;
}

// Ties: the earlier bin is better.
bool better(const Bin& a, const Bin& b, Statistic by) {
  const auto x = rank_key(a, by), y = rank_key(b, by);
  return x != y ? x > y : a.index < b.index;
}

bool same_bin(const Bin& a, const Bin& b) {
  return a.index == b.index && (a.group == b.group || (std::isnan(a.group) && std::isnan(b.group)));
}

} // namespace

std::uint64_t rank_key(const Bin& bin, Statistic by) {
  const double value = value_of(bin.statistics, by);
  if (bin.statistics.n == 0 || std::isnan(value)) return 0;
  // Equal values in another order give another rounding error of these statistics: some 10⁻¹⁶ of them.
  const bool rounded = by == Statistic::Variance || by == Statistic::Cv;
  constexpr std::uint64_t kBelow = (1u << 12) - 1; // 10⁻¹² of the value
  return rounded ? ordered_key(value) | kBelow : ordered_key(value);
}

void rank_bins(std::vector<Bin>& bins, Statistic by) {
  number(bins, by, [](Bin& bin) -> Bin& { return bin; });
}

void rank_bins(std::vector<KeptBin>& bins, Statistic by) {
  number(bins, by, [](KeptBin& bin) -> Bin& { return bin.bin; });
}

struct BinShard::Tools {
  explicit Tools(const BinQuestion& question) : values(question) {}
  BinValues values;
  QuartileFinder quartiles;
  std::vector<Part> parts;
};

std::int64_t BinShard::Tasks::piece(int rounds) const {
  return std::max<std::int64_t>(count() / (rounds * kPiecesPerRound), 1);
}

std::int64_t BinShard::Tasks::count(int round, int rounds) const {
  const auto stride = rounds * piece(rounds), whole = count() / stride, rest = count() % stride;
  return whole * piece(rounds) + std::clamp<std::int64_t>(rest - round * piece(rounds), 0, piece(rounds));
}

std::pair<std::int64_t, std::int64_t> BinShard::Tasks::bins(int round, int rounds, std::int64_t place) const {
  const auto size = piece(rounds);
  const auto task = (place / size * rounds + round) * size + place % size;
  return {first + task * step, std::min(first + (task + 1) * step, last)};
}

BinShard::BinShard(const BinQuestion& question, std::vector<std::int64_t> borders, std::int64_t bins,
                   int rounds, std::int64_t rows_per_task)
    : question_(question), rounds_(rounds) {
  const auto rows_per_bin =
      std::max<std::int64_t>(question.session.launches() / std::max<std::int64_t>(bins, 1), 1);
  for (std::size_t rank = 0; rank + 1 < borders.size(); ++rank) {
    const auto first = borders[rank], last = borders[rank + 1];
    owners_.push_back(
        {first, last, std::max({rows_per_task / rows_per_bin, (last - first) / kMaxTasks, std::int64_t{1}})});
    all_ += owners_.back().count();
  }
}

Expected<void> BinShard::run(int round, Communicator& communicator, const Job& job) {
  std::vector<std::unique_ptr<Tools>> tools;
  while (tools.size() < threads_of_rank()) tools.push_back(std::make_unique<Tools>(question_));
  std::vector<std::int64_t> counts;
  for (const auto& owner : owners_) counts.push_back(owner.count(round, rounds_));
  Job here = job;
  here.progress = [&](std::int64_t done, std::int64_t, const std::string& what) {
    job.progress(done_ + done, all_, what);
  };
  std::atomic<std::int64_t> found{found_};
  auto shared =
      run_shared_tasks(counts, communicator, here, "bins", [&](std::size_t thread, SharedTask task) {
        if (found > kMaxBins) return;
        compute(*tools[thread],
                owners_[static_cast<std::size_t>(task.owner)].bins(round, rounds_, task.place));
        found += static_cast<std::int64_t>(tools[thread]->parts.back().bins.size());
      });
  if (!shared) return shared;
  if (found > kMaxBins)
    return failure(
        ErrorKind::BadUse,
        fmt::format("bins of {} {} are too narrow: one rank would have more than {} bins with launches",
                    question_.frame.width_ns, question_.session.launch_order() ? "launches" : "ns", kMaxBins),
        {}, "width", "Choose a larger width, or more ranks.");
  done_ = std::accumulate(counts.begin(), counts.end(), done_);
  last_round_ = parts_.size();
  for (auto& tool : tools) std::move(tool->parts.begin(), tool->parts.end(), std::back_inserter(parts_));
  const auto begin = parts_.begin() + static_cast<std::ptrdiff_t>(last_round_);
  std::sort(begin, parts_.end(), [](const Part& a, const Part& b) { return a.first_bin < b.first_bin; });
  for (auto part = begin; part != parts_.end(); ++part) note(part->bins);
  return {};
}

void BinShard::compute(Tools& tools, std::pair<std::int64_t, std::int64_t> range) const {
  auto& bins = tools.parts.emplace_back(Part{range.first, {}}).bins;
  BinReader reader(question_, range.first);
  while (reader.next(range.second)) {
    if (question_.wide && question_.wide->contains(reader.bin())) {
      const auto known = question_.wide->of(reader.bin());
      bins.insert(bins.end(), known.begin(), known.end());
      continue;
    }
    for (const auto& part : tools.values.read(reader.segments())) {
      auto& bin = bins.emplace_back();
      bin.index = reader.bin();
      bin.start_ns = question_.start_of(bin.index);
      if (question_.groups) bin.group = question_.groups->value(part.group);
      bin.launches = part.launches;
      bin.statistics = statistics_of(part.values, tools.quartiles);
    }
  }
}

void BinShard::note(const std::vector<Bin>& bins) {
  found_ += static_cast<std::int64_t>(bins.size());
  for (const auto& bin : bins) {
    launches_ += bin.launches;
    missing_ += bin.launches - bin.statistics.n;
    if (bin.statistics.n > 0) sum_ += bin.statistics.sum;
  }
}

Expected<std::vector<Bin>> BinShard::take(const Job& job) {
  std::sort(parts_.begin(), parts_.end(),
            [](const Part& a, const Part& b) { return a.first_bin < b.first_bin; });
  std::vector<Bin> all;
  all.reserve(static_cast<std::size_t>(found_));
  for (auto& part : parts_) {
    if (job.cancelled()) return Job::cancelled_error();
    all.insert(all.end(), part.bins.begin(), part.bins.end());
    part.bins = {}; // frees the memory of the copied bins
  }
  return all;
}

Expected<std::vector<KeptBin>> BinShard::best(std::int64_t count, Statistic by, const Job& job) {
  std::vector<Bin> candidates;
  for (const auto& known : best_) candidates.push_back(known.bin);
  for (auto part = last_round_; part < parts_.size(); ++part)
    for (const auto& bin : parts_[part].bins)
      if (rank_key(bin, by) > 0) candidates.push_back(bin);
  const auto kept = std::min(candidates.size(), static_cast<std::size_t>(count));
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                    candidates.end(), [&](const Bin& a, const Bin& b) { return better(a, b, by); });
  candidates.resize(kept);
  std::vector<KeptBin> all;
  std::vector<Bin> unknown;
  for (auto& bin : candidates) {
    const auto known = std::find_if(best_.begin(), best_.end(),
                                    [&](const KeptBin& other) { return same_bin(other.bin, bin); });
    if (known != best_.end()) {
      all.push_back(*known);
    } else {
      bin.kept = true;
      unknown.push_back(bin);
    }
  }
  auto described = describe(unknown, job);
  if (!described) return described;
  all.insert(all.end(), described->begin(), described->end());
  std::sort(all.begin(), all.end(),
            [&](const KeptBin& a, const KeptBin& b) { return better(a.bin, b.bin, by); });
  best_ = all;
  return all;
}

// Kept groups of one bin are computed together, and a wide bin is shared by all threads.
Expected<std::vector<KeptBin>> BinShard::describe(const std::vector<Bin>& bins, const Job& job) const {
  std::vector<KeptBin> kept;
  for (const auto& bin : bins)
    if (bin.kept) kept.push_back({bin, 0, -1, kNone, 0});
  std::stable_sort(kept.begin(), kept.end(),
                   [](const KeptBin& a, const KeptBin& b) { return a.bin.index < b.bin.index; });
  std::vector<std::unique_ptr<BinContents>> tools;
  while (tools.size() < threads_of_rank()) tools.push_back(std::make_unique<BinContents>(question_));
  struct Together {
    std::span<KeptBin> parts;
    std::vector<BinContents::Piece> pieces;
  };
  struct Task {
    std::size_t together = 0, piece = 0;
    std::vector<Segment>
        rows; ///< rows of one piece of a wide bin; else empty until the task looks up the rows of its bin
  };
  std::vector<Together> all;
  std::vector<Task> tasks;
  for (std::size_t from = 0; from < kept.size();) {
    const auto index = kept[from].bin.index;
    std::size_t to = from;
    while (to < kept.size() && to - from < tools.front()->max_parts() && kept[to].bin.index == index) ++to;
    std::vector<std::vector<Segment>> pieces(1);
    if (question_.wide && question_.wide->contains(index)) pieces = question_.wide->pieces_of(rows_of(index));
    for (std::size_t piece = 0; piece < pieces.size(); ++piece)
      tasks.push_back({all.size(), piece, std::move(pieces[piece])});
    all.push_back({std::span(kept).subspan(from, to - from), std::vector<BinContents::Piece>(pieces.size())});
    from = to;
  }
  const bool whole = on_threads(static_cast<std::int64_t>(tasks.size()), job, "kept bins",
                                [&](std::size_t thread, std::int64_t number) {
                                  auto& task = tasks[static_cast<std::size_t>(number)];
                                  auto& together = all[task.together];
                                  if (task.rows.empty())
                                    task.rows = rows_of(together.parts.front().bin.index);
                                  together.pieces[task.piece] =
                                      tools[thread]->read(task.rows, together.parts);
                                  if (together.pieces.size() > 1) return;
                                  BinContents::finish(together.pieces, together.parts);
                                  together.pieces.front() = {};
                                });
  if (!whole) return Job::cancelled_error();
  for (auto& together : all)
    if (together.pieces.size() > 1) BinContents::finish(together.pieces, together.parts);
  return kept;
}

std::vector<Segment> BinShard::rows_of(std::int64_t bin) const {
  BinReader reader(question_, bin);
  reader.next(bin + 1);
  return reader.segments();
}

} // namespace jitterscope::analysis
