#include "core/analysis/session/shared_tasks.h"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/analysis/session/threads.h"

namespace jitterscope::analysis {
namespace {

using std::chrono::nanoseconds;
constexpr std::int64_t kSecond = 1'000'000'000;

__extension__ using Wide = __int128;

/// value * part / whole with an intermediate product of more than 64 bits.
std::int64_t portion(std::int64_t value, std::int64_t part, std::int64_t whole) {
  return static_cast<std::int64_t>(Wide{value} * part / std::max<std::int64_t>(whole, 1));
}

SharedTask task_at(const std::vector<TaskRange>& list, std::int64_t place) {
  auto range = list.begin();
  for (; place >= range->tasks(); ++range) place -= range->tasks();
  return {range->owner, range->first + place};
}

/// Completed tasks of all ranks and the time that they took; the same on every rank.
struct Record {
  explicit Record(int ranks) : tasks(static_cast<std::size_t>(ranks)), ns(static_cast<std::size_t>(ranks)) {}
  std::vector<std::int64_t> tasks;
  std::vector<std::int64_t> ns; ///< by rank: time that the completed tasks took [ns]

  std::int64_t all() const { return std::accumulate(tasks.begin(), tasks.end(), std::int64_t{0}); }

  /// Tasks per second; ranks without completed tasks are assumed to have the mean speed of the others.
  std::vector<std::int64_t> speeds() const {
    std::vector<std::int64_t> speed(tasks.size(), 0);
    std::int64_t sum = 0, known = 0;
    for (std::size_t r = 0; r < tasks.size(); ++r) {
      if (ns[r] == 0) continue;
      speed[r] = std::max<std::int64_t>(portion(tasks[r], kSecond, ns[r]), 1);
      sum += speed[r];
      ++known;
    }
    for (auto& s : speed)
      if (s == 0) s = std::max<std::int64_t>(sum / std::max<std::int64_t>(known, 1), 1);
    return speed;
  }
};

} // namespace

TaskLists::TaskLists(std::span<const std::int64_t> counts) {
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    lists_.emplace_back();
    if (counts[rank] > 0) lists_.back().push_back({static_cast<int>(rank), 0, counts[rank]});
  }
}

std::int64_t TaskLists::left(int rank) const {
  std::int64_t tasks = 0;
  for (const auto& range : of(rank)) tasks += range.tasks();
  return tasks;
}

std::int64_t TaskLists::left() const {
  std::int64_t tasks = 0;
  for (std::size_t rank = 0; rank < lists_.size(); ++rank) tasks += left(static_cast<int>(rank));
  return tasks;
}

void TaskLists::finish(int rank, std::int64_t tasks) {
  auto& list = lists_[static_cast<std::size_t>(rank)];
  auto range = list.begin();
  for (; range != list.end() && tasks >= range->tasks(); ++range) tasks -= range->tasks();
  list.erase(list.begin(), range);
  if (!list.empty()) list.front().first += tasks;
}

std::int64_t TaskLists::even_out(std::span<const std::int64_t> speeds) {
  const auto all = left(), speed = std::accumulate(speeds.begin(), speeds.end(), std::int64_t{0});
  const auto even_ns = portion(all, kSecond, speed);
  std::int64_t latest_ns = 0;
  std::vector<std::int64_t> surplus(lists_.size()); // difference from the target share
  std::int64_t before = 0, given = 0;
  for (std::size_t rank = 0; rank < lists_.size(); ++rank) {
    const auto mine = left(static_cast<int>(rank));
    latest_ns = std::max(latest_ns, portion(mine, kSecond, speeds[rank]));
    before += speeds[rank];
    const auto until = portion(all, before, speed);
    surplus[rank] = mine - (until - given);
    given = until;
  }
  if (latest_ns <= even_ns + even_ns / 10) return even_ns;
  std::size_t giver = 0;
  for (std::size_t taker = 0; taker < lists_.size(); ++taker)
    while (surplus[taker] < 0) {
      while (surplus[giver] <= 0) ++giver;
      auto& last = lists_[giver].back();
      const auto tasks = std::min({-surplus[taker], surplus[giver], last.tasks()});
      last.last -= tasks;
      lists_[taker].push_back({last.owner, last.last, last.last + tasks});
      if (last.tasks() == 0) lists_[giver].pop_back();
      surplus[taker] += tasks;
      surplus[giver] -= tasks;
    }
  return even_ns;
}

nanoseconds steady_time() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

Expected<void> run_shared_tasks(std::span<const std::int64_t> counts, Communicator& communicator,
                                const Job& job, const std::string& what,
                                const std::function<void(std::size_t, SharedTask)>& work, nanoseconds slice,
                                const std::function<nanoseconds()>& now) {
  const int size = communicator.size(), rank = communicator.rank();
  TaskLists lists(counts);
  Record record(size);
  const auto all = lists.left();
  Job here = job;
  here.progress = [&](std::int64_t done, std::int64_t, const std::string& text) {
    job.progress(std::min(record.all() + done * size, all), all,
                 text); // assumes that the other ranks are as fast
  };
  for (auto time = slice; lists.left() > 0;) {
    const auto& mine = lists.of(rank);
    const auto begin = now();
    std::atomic<bool> begun = false; // every slice runs at least one task
    const auto time_left = [&] { return size == 1 || !begun.exchange(true) || now() < begin + time; };
    const auto done =
        on_threads_while(time_left, lists.left(rank), here, what,
                         [&](std::size_t thread, std::int64_t place) { work(thread, task_at(mine, place)); });
    if (!done) return Job::cancelled_error();
    std::vector<std::int64_t> facts(static_cast<std::size_t>(2 * size)); // tasks and time [ns] of every rank
    facts[static_cast<std::size_t>(2 * rank)] = *done;
    if (*done > 0)
      facts[static_cast<std::size_t>(2 * rank + 1)] = std::max<std::int64_t>((now() - begin).count(), 1);
    if (auto reported = communicator.sum(facts); !reported) return reported;
    for (int r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(r);
      lists.finish(r, facts[2 * at]);
      record.tasks[at] += facts[2 * at];
      record.ns[at] += facts[2 * at + 1];
    }
    if (lists.left() > 0) time = std::max(slice, nanoseconds(lists.even_out(record.speeds()) / 2));
  }
  return {};
}

} // namespace jitterscope::analysis
