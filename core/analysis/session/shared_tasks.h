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

/// A task, named by the rank that had it at first and its place among that rank's tasks.
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

/// Which tasks every rank still has before it. All ranks hold the same lists and change them in the same way,
/// with whole numbers only, so that nothing but what was done needs to be told.
class TaskLists {
public:
  explicit TaskLists(std::span<const std::int64_t> counts);

  const std::vector<TaskRange>& of(int rank) const { return lists_[static_cast<std::size_t>(rank)]; }
  std::int64_t left(int rank) const;
  std::int64_t left() const;

  /// The first `tasks` of a rank are done.
  void finish(int rank, std::int64_t tasks);

  /// Divides what is left so that ranks of these speeds (tasks a second, of every rank, at least 1) end
  /// together, if one of them would end a tenth later than that: late ranks give from their ends to early
  /// ones. Returns how long all need, in ns.
  std::int64_t even_out(std::span<const std::int64_t> speeds);

private:
  std::vector<std::vector<TaskRange>> lists_; ///< by rank, in the order in which they are worked on
};

/// Of a clock that only goes forward.
std::chrono::nanoseconds steady_time();

/// Runs the tasks 0 … counts[r] − 1 of every rank r, each once, by a thread of some rank. Collective. Ranks
/// begin with their own; after `slice`, and then whenever half of what was left should be done, all tell how
/// far they came, and ranks that would be late (a slower core, a filter that selects much here) give tasks
/// away. Who runs a task depends on the moment: what it gives must not. `counts` is the same on every rank.
/// Errors: Cancelled, another rank's.
Expected<void> run_shared_tasks(std::span<const std::int64_t> counts, Communicator& communicator,
                                const Job& job, const std::string& what,
                                const std::function<void(std::size_t thread, SharedTask task)>& work,
                                std::chrono::nanoseconds slice = std::chrono::milliseconds(20),
                                const std::function<std::chrono::nanoseconds()>& now = steady_time);

} // namespace jitterscope::analysis
