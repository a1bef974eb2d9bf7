#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/store/tracks/track_index_tables.h"
#include "tests/support/small_trace.h"

namespace jitterscope::test {

/// Something that runs from `begin` to `end` ns.
struct Run {
  std::int64_t begin = 0, end = 0;
  std::string name;
  std::string domain = {}; ///< domain of a range
};

/// A program of several ranks, each with a device and a host thread, built from their activities.
class Program {
public:
  Program() : data_(empty_trace(0)) { data_.resources.resize(1); }

  /// Adds a rank with one device of the given number of streams and one thread.
  void add_rank(int streams) {
    const auto rank = static_cast<std::int32_t>(places_.size());
    Place place;
    place.process = add({store::ResourceKind::Process, 0, kNone, 100 + rank, rank, "program"});
    place.device = add({store::ResourceKind::Device, place.process, kNone, 0, -1, "GPU"});
    data_.resources[place.device].physical = place.device;
    for (int s = 0; s < streams; ++s)
      place.streams.push_back(add({store::ResourceKind::Stream, place.device, kNone, s, -1, ""}));
    place.thread = add({store::ResourceKind::Thread, place.process, kNone, 1'000 + rank, -1, ""});
    places_.push_back(place);
  }
  /// Adds a thread to a rank; returns its number among the resources.
  std::uint32_t add_thread(int rank) {
    return add({store::ResourceKind::Thread, of(rank).process, kNone, 2'000 + rank, -1, ""});
  }
  std::uint32_t thread(int rank) const { return places_[static_cast<std::size_t>(rank)].thread; }

  void kernel(int rank, int stream, const Run& run) {
    kernels_.push_back({run, of(rank).streams[static_cast<std::size_t>(stream)]});
  }
  void copy(int rank, const Run& run) { copies_.push_back({run, of(rank).streams.front()}); }
  void call(std::uint32_t thread, const Run& run) { calls_.push_back({run, thread}); }
  void mpi(std::uint32_t thread, const Run& run) { messages_.push_back({run, thread}); }
  /// Adds a message to another rank, in transit during the run.
  void message(std::uint32_t thread, std::uint32_t peer, const Run& run, std::int64_t bytes) {
    messages_.push_back({run, thread, peer, bytes});
  }
  void state(std::uint32_t thread, const Run& run) { states_.push_back({run, thread}); }
  void range(std::uint32_t thread, const Run& run) { ranges_.push_back({run, thread}); }
  void sample(std::uint32_t thread, const std::string& counter, std::int64_t time, double value) {
    samples_.push_back({thread, counter, time, value});
  }

  store::TraceData trace() {
    for (auto* list : {&kernels_, &copies_, &calls_, &states_, &ranges_})
      std::stable_sort(list->begin(), list->end(),
                       [](const Placed& a, const Placed& b) { return a.run.begin < b.run.begin; });
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const Message& a, const Message& b) { return a.run.begin < b.run.begin; });
    write_calls();
    write_kernels();
    for (const auto& [run, where] : copies_)
      add_transfers(data_,
                    {{run.begin, run.end - run.begin, 64, store::TransferKind::HostToDevice, where - 1}});
    write_messages();
    write_ranges();
    write_samples();
    return std::move(data_);
  }

private:
  struct Place {
    std::uint32_t process = 0, device = 0, thread = 0;
    std::vector<std::uint32_t> streams;
  };
  struct Placed {
    Run run;
    std::uint32_t where = 0;
  };
  struct Message {
    Run run;
    std::uint32_t where = 0, peer = kNone; ///< peer: rank; kNone for a call of MPI
    std::int64_t bytes = -1;
  };
  struct Sample {
    std::uint32_t thread;
    std::string counter;
    std::int64_t time;
    double value;
  };

  std::uint32_t add(store::Resource resource) {
    data_.resources.push_back(std::move(resource));
    return static_cast<std::uint32_t>(data_.resources.size() - 1);
  }
  Place& of(int rank) { return places_[static_cast<std::size_t>(rank)]; }
  std::uint32_t text(const std::string& name) { return data_.strings.intern(name).value; }
  template <class T>
  SpillVector<T>& at(const char* table, const char* name) {
    return column<T>(data_, table, name);
  }
  void times(const char* table, const Run& run) {
    at<std::int64_t>(table, "start").push_back(run.begin);
    at<std::int64_t>(table, "duration").push_back(run.end - run.begin);
  }

  // Every launch is linked to the first call of its rank's thread, so that this thread counts as one that
  // launches work.
  void write_kernels() {
    std::vector<std::string> names;
    for (const auto& [run, where] : kernels_) {
      auto found = std::find(names.begin(), names.end(), run.name);
      if (found == names.end()) {
        add_kernel(data_, run.name, 1);
        found = names.insert(names.end(), run.name);
      }
      add_launches(data_, {{run.begin, run.end - run.begin, static_cast<std::uint32_t>(found - names.begin()),
                            where - 1}});
      const auto process = data_.resources[data_.resources[where].parent].parent;
      for (std::uint32_t row = 0; row < calls_.size(); ++row)
        if (data_.resources[calls_[row].where].parent == process) {
          at<std::uint32_t>("launches", "call").back() = row;
          break;
        }
    }
  }

  void write_calls() {
    for (const auto& [run, where] : calls_) {
      times("calls", run);
      at<std::uint32_t>("calls", "name").push_back(text(run.name));
      at<std::uint32_t>("calls", "thread").push_back(where);
      at<std::uint32_t>("calls", "correlation").push_back(0);
      at<std::uint32_t>("calls", "result").push_back(0);
    }
  }

  void write_messages() {
    for (const auto& [run, where, peer, bytes] : messages_) {
      times("messages", run);
      at<std::uint32_t>("messages", "thread").push_back(where);
      at<std::uint8_t>("messages", "kind").push_back(peer == kNone ? 1 : 4);
      at<std::uint32_t>("messages", "name").push_back(text(run.name));
      at<std::uint32_t>("messages", "peer").push_back(peer);
      at<std::int64_t>("messages", "bytes").push_back(bytes);
      at<std::uint32_t>("messages", "tag").push_back(kNone);
    }
  }

  void write_ranges() {
    std::vector<std::pair<Placed, std::uint8_t>> all;
    for (const auto& one : states_) all.emplace_back(one, 3);
    for (const auto& one : ranges_) all.emplace_back(one, 0);
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.first.run.begin < b.first.run.begin; });
    for (const auto& [one, kind] : all) {
      times("ranges", one.run);
      at<std::uint32_t>("ranges", "name").push_back(text(one.run.name));
      at<std::uint32_t>("ranges", "domain").push_back(one.run.domain.empty() ? 0 : text(one.run.domain));
      at<std::uint32_t>("ranges", "thread").push_back(one.where);
      at<std::uint8_t>("ranges", "depth").push_back(0);
      at<std::uint8_t>("ranges", "kind").push_back(kind);
    }
  }

  void write_samples() {
    std::vector<std::pair<std::uint32_t, std::string>> counters;
    for (const auto& sample : samples_)
      if (std::pair key(sample.thread, sample.counter);
          std::find(counters.begin(), counters.end(), key) == counters.end())
        counters.push_back(key);
    for (std::uint32_t c = 0; c < counters.size(); ++c) {
      at<std::uint32_t>("counters", "name").push_back(text(counters[c].second));
      at<std::uint32_t>("counters", "unit").push_back(0);
      at<std::uint32_t>("counters", "device").push_back(counters[c].first);
      auto samples = samples_;
      std::stable_sort(samples.begin(), samples.end(),
                       [](const auto& a, const auto& b) { return a.time < b.time; });
      for (const auto& sample : samples) {
        if (sample.thread != counters[c].first || sample.counter != counters[c].second) continue;
        at<std::int64_t>("samples", "time").push_back(sample.time);
        at<std::uint32_t>("samples", "counter").push_back(c);
        at<double>("samples", "value").push_back(sample.value);
      }
    }
  }

  store::TraceData data_;
  std::vector<Place> places_;
  std::vector<Placed> kernels_, copies_, calls_, states_, ranges_;
  std::vector<Message> messages_;
  std::vector<Sample> samples_;
};

/// The worked example: three ranks with one device each, T = 100 ns. The efficiencies are simple fractions,
/// such as 31/60 for the parallel efficiency of devices.
inline Program worked_example() {
  Program program;
  for (int rank = 0; rank < 3; ++rank) program.add_rank(3);
  const std::string k = "compute", n = "ncclDevKernel_AllReduce";
  program.kernel(0, 0, {0, 30, k});
  program.kernel(0, 1, {20, 40, k});
  program.copy(0, {40, 50, ""});
  program.kernel(0, 2, {60, 80, n});
  program.kernel(0, 0, {75, 95, k});
  program.kernel(1, 0, {0, 50, k});
  program.copy(1, {45, 60, ""});
  program.kernel(1, 2, {60, 80, n});
  program.kernel(1, 0, {80, 90, k});
  program.kernel(2, 0, {10, 30, k});
  program.copy(2, {30, 32, ""});
  program.kernel(2, 2, {50, 80, n});
  program.kernel(2, 0, {85, 100, k});
  const std::int64_t mpi[] = {20, 10, 40}, offload[] = {30, 50, 20};
  for (int rank = 0; rank < 3; ++rank) {
    program.call(program.thread(rank), {0, offload[rank], "cudaLaunchKernel"});
    program.mpi(program.thread(rank), {50, 50 + mpi[rank], "MPI_Allreduce"});
  }
  return program;
}

} // namespace jitterscope::test
