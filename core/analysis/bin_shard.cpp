#include "core/analysis/bin_shard.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <span>

#include <fmt/core.h>

#include "core/analysis/bin_contents.h"
#include "core/analysis/threads.h"
#include "core/analysis/wide_bins.h"
#include "core/base/ordered_double.h"

namespace jitterscope::analysis {
namespace {

constexpr std::int64_t kRowsPerTask = 50'000;              // under a millisecond, so that cancelling is quick
constexpr std::int64_t kMostTasks = std::int64_t{1} << 20; // of bins without rows there may be any number
constexpr std::int64_t kPiecesPerRound = 32;               // neighbouring tasks: read from a disk in one go

template <class List, class BinOf>
void number(List& list, Statistic by, BinOf&& bin_of) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) order.emplace_back(~rank_key(bin_of(list[i]), by), i);
  std::sort(order.begin(), order.end());
  for (std::size_t place = 0; place < order.size(); ++place)
    bin_of(list[order[place].second]).rank = static_cast<std::int64_t>(place) + 1;
}

// Earlier bins are better among equal ones.
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
  return ordered_key(value);
}

void rank_bins(std::vector<Bin>& bins, Statistic by) {
  number(bins, by, [](Bin& bin) -> Bin& { return bin; });
}

void rank_bins(std::vector<KeptBin>& bins, Statistic by) {
  number(bins, by, [](KeptBin& bin) -> Bin& { return bin.bin; });
}

BinShard::BinShard(const BinQuestion& question, std::int64_t first, std::int64_t last, std::int64_t bins,
                   int rounds)
    : question_(question), first_(first), last_(last), rounds_(rounds) {
  const auto rows_per_bin =
      std::max<std::int64_t>(question.session.launches() / std::max<std::int64_t>(bins, 1), 1);
  step_ = std::max({kRowsPerTask / rows_per_bin, (last - first) / kMostTasks, std::int64_t{1}});
  parts_.resize(static_cast<std::size_t>((last_ - first_ + step_ - 1) / step_));
}

std::vector<std::int64_t> BinShard::tasks_of(int round) const {
  const auto tasks = static_cast<std::int64_t>(parts_.size());
  const auto piece = std::max<std::int64_t>(tasks / (rounds_ * kPiecesPerRound), 1);
  std::vector<std::int64_t> chosen;
  for (auto from = round * piece; from < tasks; from += rounds_ * piece)
    for (auto task = from; task < std::min(from + piece, tasks); ++task) chosen.push_back(task);
  return chosen;
}

Expected<void> BinShard::run(int round, const Job& job) {
  struct Tools {
    BinValues values;
    QuartileFinder quartiles;
  };
  std::vector<std::unique_ptr<Tools>> tools;
  while (tools.size() < threads_of_rank()) tools.emplace_back(new Tools{BinValues(question_), {}});
  last_round_ = tasks_of(round);
  Job here = job;
  here.progress = [&](std::int64_t done, std::int64_t, const std::string& what) {
    job.progress(done_ + done, static_cast<std::int64_t>(parts_.size()), what);
  };
  std::atomic<std::int64_t> found{found_};
  const auto tasks = static_cast<std::int64_t>(last_round_.size());
  const bool whole = on_threads(tasks, here, "bins", [&](std::size_t thread, std::int64_t place) {
    if (found > kMost) return;
    auto& tool = *tools[thread];
    const auto task = last_round_[static_cast<std::size_t>(place)];
    auto& bins = parts_[static_cast<std::size_t>(task)];
    const auto from = first_ + task * step_, to = std::min(from + step_, last_);
    BinReader reader(question_, from);
    while (reader.next(to)) {
      if (question_.wide && question_.wide->contains(reader.bin())) {
        const auto known = question_.wide->of(reader.bin());
        bins.insert(bins.end(), known.begin(), known.end());
        continue;
      }
      for (const auto& part : tool.values.read(reader.segments())) {
        auto& bin = bins.emplace_back();
        bin.index = reader.bin();
        bin.start_ns = question_.start_of(bin.index);
        if (question_.groups) bin.group = question_.groups->value(part.group);
        bin.launches = part.launches;
        bin.statistics = statistics_of(part.values, tool.quartiles);
      }
    }
    found += static_cast<std::int64_t>(bins.size());
  });
  if (!whole) return Job::cancelled_error();
  if (found > kMost)
    return failure(ErrorKind::BadUse,
                   fmt::format("bins of {} {} would be more than {} with launches on one rank",
                               question_.frame.width_ns, question_.session.launch_order() ? "launches" : "ns",
                               kMost),
                   {}, "width", "Choose a larger width, or more ranks.");
  done_ += tasks;
  for (const auto task : last_round_) note(parts_[static_cast<std::size_t>(task)]);
  return {};
}

void BinShard::note(const std::vector<Bin>& bins) {
  found_ += static_cast<std::int64_t>(bins.size());
  for (const auto& bin : bins) {
    launches_ += bin.launches;
    missing_ += bin.launches - bin.statistics.n;
    if (bin.statistics.n > 0) sum_ += bin.statistics.sum;
  }
}

std::vector<Bin> BinShard::take() {
  std::vector<Bin> all;
  all.reserve(static_cast<std::size_t>(found_));
  for (auto& part : parts_) {
    all.insert(all.end(), part.begin(), part.end());
    part = {}; // not twice in memory
  }
  return all;
}

Expected<std::vector<KeptBin>> BinShard::best(std::int64_t count, Statistic by, const Job& job) {
  std::vector<Bin> candidates;
  for (const auto& known : best_) candidates.push_back(known.bin);
  for (const auto task : last_round_)
    for (const auto& bin : parts_[static_cast<std::size_t>(task)])
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

// Kept groups of one bin are described together, and a wide bin by all threads.
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
    std::vector<Segment> rows; ///< of a piece of a wide bin; else those of the whole bin, found when it is its turn
  };
  std::vector<Together> all;
  std::vector<Task> tasks;
  for (std::size_t from = 0; from < kept.size();) {
    const auto index = kept[from].bin.index;
    std::size_t to = from;
    while (to < kept.size() && to - from < tools.front()->most_parts() && kept[to].bin.index == index) ++to;
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
                                  if (task.rows.empty()) task.rows = rows_of(together.parts.front().bin.index);
                                  together.pieces[task.piece] = tools[thread]->read(task.rows, together.parts);
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
