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

/// The stretch of touching events of a series that covers the moment just before a given time; times must
/// ascend.
class Covers {
public:
  using Accepts = bool (*)(std::string_view name); ///< null: every event
  Covers(const store::Store& store, const store::Series& series, Accepts accepts, std::int64_t from)
      : store_(store), series_(series), accepts_(accepts), next_(series.position_of(from)) {
    series.reaching(0, next_, from, [&](std::size_t, const store::Event& event) {
      add(event);
      return true;
    });
  }

  bool before(std::int64_t time) {
    for (; next_ < series_.events() && series_.begin_at(next_) < time; ++next_) add(series_.at(next_));
    return time <= reached_;
  }
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return reached_; }

private:
  void add(const store::Event& event) {
    if (accepts_ && !accepts_(store_.string({event.name}))) return;
    if (event.begin > reached_) begin_ = event.begin;
    reached_ = std::max(reached_, event.end);
  }

  const store::Store& store_;
  const store::Series& series_;
  Accepts accepts_;
  std::size_t next_;
  std::int64_t begin_ = INT64_MIN, reached_ = INT64_MIN;
};

/// The series of a host thread; null where it has none.
struct OfThread {
  const store::Series *states = nullptr, *mpi = nullptr, *calls = nullptr;
  bool useful = false;
  bool instructions = false, cycles = false; ///< has samples of the counter
};

/// Sum of the useful samples in (begin, end], in store times. Of a sample whose interval is partly outside,
/// the part of its useful time that is inside counts.
std::int64_t useful_sum(const store::Store& store, const OfThread& thread,
                        const store::CounterSeries& counter, std::int64_t begin, std::int64_t end,
                        Stop& stop) {
  const auto values = store.column<double>("samples", "value");
  const auto& times = counter.times;
  auto at = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), begin) - times.begin());
  const auto first = at > 0 ? times[at - 1] : INT64_MIN; // begin of the first sample's interval
  Covers running(store, *thread.states, is_running_state, first);
  std::vector<Covers> calls;
  if (thread.mpi) calls.emplace_back(store, *thread.mpi, nullptr, first);
  if (thread.calls) calls.emplace_back(store, *thread.calls, is_offload_call, first);
  const auto computes = [&](std::int64_t time) {
    return running.before(time) && std::ranges::none_of(calls, [&](Covers& c) { return c.before(time); });
  };
  std::int64_t sum = 0;
  constexpr double kMaxExactCount = 9e15; // above it a double is not an exact count
  for (bool after = false; at < times.size() && !after && !stop.at(at); ++at) {
    const auto time = times[at];
    after = time >= end;
    const double value = values[counter.first + at];
    const bool instant = at > 0 && times[at - 1] == time; // zero-length interval
    if (instant || !(std::abs(value) < kMaxExactCount) || !computes(time)) continue;
    auto from = at > 0 ? std::max(times[at - 1], running.begin()) : running.begin();
    for (const auto& call : calls) from = std::max(from, call.end());
    const auto inside = std::min(time, end) - std::max(from, begin);
    if (inside == time - from)
      sum += std::llround(value);
    else if (inside > 0)
      sum += std::llround(value * static_cast<double>(inside) / static_cast<double>(time - from));
  }
  return sum;
}

} // namespace

Expected<UsefulCounters> useful_counters(const Activity& activity, const analysis::Session& session,
                                         const Result& result, Communicator& communicator, const Job& job) {
  Stop stop(job);
  std::map<std::pair<std::size_t, std::uint32_t>, OfThread> threads_of; // by trace and thread
  for (const auto& host : result.hosts)
    if (const auto& row = activity.hosts()[host.row]; activity.states(host.row)) {
      auto& thread = threads_of[{row.trace, row.thread}];
      thread.states = activity.states(host.row), thread.useful = host.time.useful > 0;
    }
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace)
    for (const auto& series : activity.series(trace)) {
      const auto found = threads_of.find({trace, series.resource});
      if (found == threads_of.end()) continue;
      if (series.kind == store::SeriesKind::MpiCalls) found->second.mpi = &series;
      if (series.kind == store::SeriesKind::Calls) found->second.calls = &series;
    }
  std::int64_t sums[2] = {0, 0}, counter = 0;
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) {
    const auto& store = session.traces()[trace].store;
    const auto names = store.column<std::uint32_t>("counters", "name");
    const auto threads = store.column<std::uint32_t>("counters", "device");
    const auto counters = activity.counters(trace);
    for (std::size_t c = 0; c < counters.size(); ++c) {
      if (stop.requested()) return Job::cancelled_error();
      const auto counted = counted_by(store.string({names[c]}));
      const auto found = threads_of.find({trace, threads[c]});
      if (counted == Counted::Nothing || found == threads_of.end()) continue;
      (counted == Counted::Cycles ? found->second.cycles : found->second.instructions) |=
          !counters[c].times.empty();
      if (counter++ % communicator.size() != communicator.rank()) continue;
      sums[counted == Counted::Cycles] +=
          useful_sum(store, found->second, counters[c], result.range.begin.count - activity.shift(trace),
                     result.range.end.count - activity.shift(trace), stop);
    }
  }
  if (stop.requested()) return Job::cancelled_error();
  if (auto done = communicator.sum(sums); !done) return forward(done.error());
  const auto threads = [&](const auto& has) {
    return std::ranges::count_if(threads_of, [&](const auto& of) { return has(of.second); });
  };
  const auto without =
      threads([](const OfThread& of) { return of.useful && !(of.instructions && of.cycles); });
  const bool any = threads([](const OfThread& of) { return of.instructions && of.cycles; }) > 0;
  return any && without > 0 ? UsefulCounters{0, 0, without} : UsefulCounters{sums[0], sums[1], 0};
}

} // namespace jitterscope::efficiency
