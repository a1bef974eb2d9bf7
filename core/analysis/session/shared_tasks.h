#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/communicator.h"
#include "core/base/job.h"

namespace jitterscope::analysis {

/// A task, identified by the rank that first owned it and its index among that rank's tasks.
struct SharedTask {
  int owner = 0;
  std::int64_t place = 0;
};

/// Neighbouring tasks of one owner: [first, last).
struct TaskRange {
  int owner = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t tasks() const { return last - first; }
};

/// The remaining tasks of every rank. All ranks hold the same lists and apply the same integer updates, so
/// that only the number of completed tasks is communicated.
class TaskLists {
public:
  explicit TaskLists(std::span<const std::int64_t> counts);

  const std::vector<TaskRange>& of(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }
  std::int64_t left(int rank) const;
  std::int64_t left() const;

  /// Marks the first `tasks` tasks of a rank as done.
  void finish(int rank, std::int64_t tasks);

  /// Redistributes the remaining tasks so that all ranks finish together, if one of them would otherwise
  /// finish more than 10 % later: slow ranks give tasks from the end of their lists to fast ones. `speeds`:
  /// tasks per second of every rank, at least 1. Returns the remaining time of all ranks [ns].
  std::int64_t even_out(std::span<const std::int64_t> speeds);

private:
  std::vector<std::vector<TaskRange>> lists_; ///< by rank: its remaining tasks, in processing order
};

/// Time of a monotonic clock.
std::chrono::nanoseconds steady_time();

/// Runs the tasks 0 … counts[r] − 1 of every rank r, each once, on a thread of some rank. Collective.
///
/// Ranks begin with their own tasks. After `slice`, and then whenever half of the remaining work should be
/// done, all ranks exchange their progress. Ranks that would be late (a slower core, a filter that selects
/// many of their rows) give tasks away. Which rank runs a task depends on timing; its result must not.
/// `counts` is the same on every rank. Errors: Cancelled, those of other ranks.
Expected<void> run_shared_tasks(std::span<const std::int64_t> counts, Communicator& communicator,
                                const Job& job, const std::string& what,
                                const std::function<void(std::size_t thread, SharedTask task)>& work,
                                std::chrono::nanoseconds slice = std::chrono::milliseconds(20),
                                const std::function<std::chrono::nanoseconds()>& now = steady_time);

} // namespace jitterscope::analysis
