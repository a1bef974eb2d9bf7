#include "core/efficiency/paraver/paraver_objects.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "core/paraver/event_types.h"

namespace jitterscope::efficiency {

using store::ResourceKind;

namespace {

/// Largest number of a task or node that other missing numbers may lead to.
constexpr std::int64_t kMaxNumber = 100'000;

/// Numbers from 1: each object gets the requested number if it is free and from 1 to kMaxNumber; the others
/// follow the largest of these.
std::vector<std::uint32_t> numbers_of(const std::vector<std::int64_t>& requested) {
  std::vector<std::uint32_t> numbers(requested.size());
  std::set<std::int64_t> taken;
  for (std::size_t i = 0; i < requested.size(); ++i)
    if (requested[i] >= 1 && requested[i] <= kMaxNumber && taken.insert(requested[i]).second)
      numbers[i] = static_cast<std::uint32_t>(requested[i]);
  auto next = static_cast<std::uint32_t>(taken.empty() ? 0 : *taken.rbegin());
  for (auto& number : numbers)
    if (number == 0) number = ++next;
  return numbers;
}

/// Host threads and streams of each process, by row of the resources.
std::vector<std::vector<std::uint32_t>> members_of(const std::vector<store::Resource>& resources) {
  std::vector<std::vector<std::uint32_t>> members(resources.size());
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    auto process = resources[r].parent;
    if (resources[r].kind == ResourceKind::Stream && process < resources.size())
      process = resources[process].parent; // of its device
    const auto kind = resources[r].kind;
    const bool written =
        kind == ResourceKind::Thread || kind == ResourceKind::Stream || kind == ResourceKind::Device;
    if (written && process < resources.size()) members[process].push_back(r);
  }
  return members;
}

} // namespace

ParaverObjects::ParaverObjects(const analysis::Session& session) {
  std::vector<Process> processes;
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) {
    const auto& resources = session.traces()[trace].store.resources();
    places_.emplace_back(resources.size(), kNone);
    first_of_rank_.emplace_back();
    for (std::uint32_t r = 0; r < resources.size(); ++r)
      if (resources[r].kind == ResourceKind::Process) processes.push_back({resources[r].rank, trace, r});
  }
  std::ranges::stable_sort(processes, {}, &Process::rank);
  add_nodes(session);
  std::vector<std::int64_t> requested;
  for (const auto& process : processes) requested.push_back(std::int64_t{process.rank} + 1);
  const auto numbers = numbers_of(requested);
  std::map<std::uint32_t, Process> by_task;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    by_task.emplace(numbers[p], processes[p]);
    other_ranks_ += processes[p].rank >= 0 && numbers[p] != requested[p];
  }
  tasks_.resize(by_task.empty() ? 0 : by_task.rbegin()->first);
  std::vector<std::vector<std::vector<std::uint32_t>>> members; // by trace and process
  for (const auto& trace : session.traces()) members.push_back(members_of(trace.store.resources()));
  for (std::uint32_t task = 1; task <= tasks_.size(); ++task) {
    tasks_[task - 1].name = fmt::format("TASK 1.{}", task);
    if (const auto found = by_task.find(task); found != by_task.end())
      add_process(session, found->second, task, members[found->second.trace][found->second.resource]);
  }
}

// Hosts of the same name in several traces are one node.
void ParaverObjects::add_nodes(const analysis::Session& session) {
  std::vector<std::int64_t> requested;
  std::vector<std::string> names;
  std::map<std::string, std::size_t> known;
  std::vector<std::vector<std::size_t>> places;
  for (const auto& trace : session.traces()) {
    places.emplace_back(trace.store.resources().size());
    for (std::size_t r = 0; r < places.back().size(); ++r) {
      const auto& host = trace.store.resources()[r];
      if (host.kind != ResourceKind::Host) continue;
      const auto found = host.name.empty() ? known.end() : known.find(host.name);
      places.back()[r] = found == known.end() ? names.size() : found->second;
      if (found != known.end()) continue;
      if (!host.name.empty()) known.emplace(host.name, names.size());
      names.push_back(host.name);
      requested.push_back(host.number);
    }
  }
  const auto numbers = numbers_of(requested);
  nodes_.resize(numbers.empty() ? 1 : *std::ranges::max_element(numbers));
  for (std::size_t n = 0; n < nodes_.size(); ++n) nodes_[n] = fmt::format("node{}", n + 1);
  for (std::size_t h = 0; h < numbers.size(); ++h)
    if (!names[h].empty()) nodes_[numbers[h] - 1] = names[h];
  for (std::size_t trace = 0; trace < places.size(); ++trace) {
    node_.emplace_back(places[trace].size(), 1);
    for (std::size_t r = 0; r < places[trace].size(); ++r)
      if (session.traces()[trace].store.resources()[r].kind == ResourceKind::Host)
        node_[trace][r] = numbers[places[trace][r]];
  }
}

void ParaverObjects::add_process(const analysis::Session& session, const Process& process, std::uint32_t task,
                                 const std::vector<std::uint32_t>& members) {
  const auto trace = process.trace;
  const auto& resources = session.traces()[trace].store.resources();
  const auto& own = resources[process.resource];
  auto& of = tasks_[task - 1];
  if (!own.name.empty()) of.name = own.name;
  of.ranked = process.rank >= 0;
  if (own.parent < resources.size()) of.node = node_[trace][own.parent];
  std::uint32_t number = 0;
  const auto add = [&](std::uint32_t r, bool stream, std::string name) {
    places_[trace][r] = static_cast<std::uint32_t>(threads_.size());
    if (!stream && process.rank >= 0) first_of_rank_[trace].try_emplace(process.rank, threads_.size());
    threads_.push_back({trace, r, task, ++number, stream, std::move(name)});
  };
  for (const auto r : members)
    if (resources[r].kind == ResourceKind::Thread)
      add(r, false,
          resources[r].name.empty() ? fmt::format("THREAD 1.{}.{}", task, number + 1) : resources[r].name);
  for (const auto r : members)
    if (resources[r].kind == ResourceKind::Stream)
      add(r, true, fmt::format("CUDA-D{}.S{}", resources[resources[r].parent].number, resources[r].number));
  // As nsys2prv does: one more thread for the samples of each device.
  const auto sampled = session.traces()[trace].store.column<std::uint32_t>("counters", "device");
  for (const auto r : members)
    if (resources[r].kind == ResourceKind::Device && std::ranges::find(sampled, r) != sampled.end())
      add(r, true, fmt::format("{}{}", prv::kMetricsThread, resources[r].number));
  of.empty = number == 0;
  of.threads = std::max<std::uint32_t>(number, 1);
}

const ParaverThread* ParaverObjects::find(std::size_t trace, std::uint32_t resource) const {
  const auto place = resource < places_[trace].size() ? places_[trace][resource] : kNone;
  return place == kNone ? nullptr : &threads_[place];
}

const ParaverThread* ParaverObjects::of_rank(std::size_t trace, std::uint32_t rank,
                                             std::uint32_t thread) const {
  const auto& first = first_of_rank_[trace];
  const auto found = first.find(static_cast<std::int32_t>(rank));
  if (found == first.end()) return nullptr;
  const auto& first_thread = threads_[found->second];
  const auto place = found->second + thread;
  const bool has =
      place < threads_.size() && threads_[place].task == first_thread.task && !threads_[place].stream;
  return has ? &threads_[place] : &first_thread;
}

std::string ParaverObjects::header() const {
  std::string text = "0"; // one node is not declared, and no processors
  if (nodes_.size() > 1) {
    text = fmt::format("{}(", nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n) text += n > 0 ? ",1" : "1";
    text += ")";
  }
  text += fmt::format(":1:{}(", tasks_.size());
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    text += fmt::format("{}{}:{}", t > 0 ? "," : "", tasks_[t].threads, tasks_[t].node);
  return text + ")";
}

std::string ParaverObjects::ranks() const {
  std::string text(prv::kRanksOfTasks);
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    text += fmt::format("{}{}", t > 0 ? "," : " ", tasks_[t].ranked ? std::to_string(t) : "-");
  return text;
}

std::string ParaverObjects::recorded_in_whole(const analysis::Session& session) const {
  std::string text;
  for (const auto& thread : threads_) {
    const auto kinds = session.traces()[thread.trace].store.resources()[thread.resource].recorded;
    if (!thread.stream && kinds != 0)
      text += fmt::format("{}{}.{}:{}", text.empty() ? " " : ",", thread.task, thread.number, kinds);
  }
  return text.empty() ? text : std::string(prv::kRecordedInWhole) + text + "\n";
}

std::string ParaverObjects::rows() const {
  std::string text = fmt::format("LEVEL NODE SIZE {}\n", nodes_.size());
  for (const auto& node : nodes_) text += node + "\n";
  text += fmt::format("\nLEVEL TASK SIZE {}\n", tasks_.size());
  for (const auto& task : tasks_) text += task.name + "\n";
  const auto empty = static_cast<std::size_t>(std::ranges::count_if(tasks_, &Task::empty));
  text += fmt::format("\nLEVEL THREAD SIZE {}\n", threads_.size() + empty);
  std::size_t next = 0;
  for (std::uint32_t task = 1; task <= tasks_.size(); ++task) {
    if (tasks_[task - 1].empty) text += fmt::format("THREAD 1.{}.1\n", task);
    for (; next < threads_.size() && threads_[next].task == task; ++next) text += threads_[next].name + "\n";
  }
  return text;
}

} // namespace jitterscope::efficiency
