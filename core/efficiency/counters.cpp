#include "core/efficiency/counters.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace jitterscope::efficiency {
namespace {

enum class Counted { Nothing, Instructions, Cycles };

Counted counted_by(std::string_view name) {
  if (name.starts_with("PAPI_TOT_INS")) return Counted::Instructions;
  return name.starts_with("PAPI_TOT_CYC") ? Counted::Cycles : Counted::Nothing;
}

/// Whether a thread computes just before a given time; times must ascend.
class Running {
public:
  Running(const store::Store& store, const store::Series& states, std::int64_t from)
      : store_(store), states_(states), next_(states.position_of(from)) {
    if (next_ > 0) --next_;
  }

  bool before(std::int64_t time) {
    while (next_ < states_.events() && states_.begin_at(next_) < time) {
      last_ = states_.at(next_++);
      runs_ = is_running_state(store_.string({last_.name}));
    }
    return runs_ && last_.begin < time && time <= last_.end;
  }

private:
  const store::Store& store_;
  const store::Series& states_;
  std::size_t next_;
  store::Event last_;
  bool runs_ = false;
};

/// Sum of the useful samples in (begin, end], in store times.
std::int64_t useful_sum(const store::Store& store, const store::Series& states,
                        const store::CounterSeries& counter, std::int64_t begin, std::int64_t end,
                        Stop& stop) {
  const auto values = store.column<double>("samples", "value");
  const auto& times = counter.times;
  auto at = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), begin) - times.begin());
  Running running(store, states, begin);
  std::int64_t sum = 0;
  constexpr double kMaxExactCount = 9e15; // above it a double is not an exact count
  for (; at < times.size() && times[at] <= end && !stop.at(at); ++at) {
    const double value = values[counter.first + at];
    const bool instant = at > 0 && times[at - 1] == times[at]; // zero-length interval
    if (!instant && std::abs(value) < kMaxExactCount && running.before(times[at])) sum += std::llround(value);
  }
  return sum;
}

} // namespace

Expected<UsefulCounters> useful_counters(const Activity& activity, const analysis::Session& session,
                                         const Result& result, Communicator& communicator, const Job& job) {
  Stop stop(job);
  std::map<std::pair<std::size_t, std::uint32_t>, const store::Series*> states; // by trace and thread
  for (const auto& host : result.hosts)
    if (const auto& row = activity.hosts()[host.row]; activity.states(host.row))
      states[{row.trace, row.thread}] = activity.states(host.row);
  std::int64_t sums[2] = {0, 0}, counter = 0;
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) {
    const auto& store = session.traces()[trace].store;
    const auto names = store.column<std::uint32_t>("counters", "name");
    const auto threads = store.column<std::uint32_t>("counters", "device");
    const auto counters = activity.counters(trace);
    for (std::size_t c = 0; c < counters.size(); ++c) {
      if (stop.requested()) return Job::cancelled_error();
      const auto counted = counted_by(store.string({names[c]}));
      const auto found = states.find({trace, threads[c]});
      if (counted == Counted::Nothing || found == states.end()) continue;
      if (counter++ % communicator.size() != communicator.rank()) continue;
      sums[counted == Counted::Cycles] +=
          useful_sum(store, *found->second, counters[c], result.range.begin.count - activity.shift(trace),
                     result.range.end.count - activity.shift(trace), stop);
    }
  }
  if (stop.requested()) return Job::cancelled_error();
  if (auto done = communicator.sum(sums); !done) return forward(done.error());
  return UsefulCounters{sums[0], sums[1]};
}

} // namespace jitterscope::efficiency
