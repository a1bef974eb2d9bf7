#include "core/efficiency/paraver/paraver_objects.h"

#include <algorithm>

#include <fmt/core.h>

namespace jitterscope::efficiency {

using store::ResourceKind;

ParaverObjects::ParaverObjects(const analysis::Session& session) {
  struct Process {
    std::int32_t rank;
    std::size_t trace;
    std::uint32_t resource;
  };
  std::vector<Process> processes;
  for (std::size_t trace = 0; trace < session.traces().size(); ++trace) {
    const auto& resources = session.traces()[trace].store.resources();
    places_.emplace_back(resources.size(), kNone);
    ranks_.emplace_back(resources.size(), -1);
    for (std::uint32_t r = 0; r < resources.size(); ++r)
      if (resources[r].kind == ResourceKind::Process) processes.push_back({resources[r].rank, trace, r});
  }
  std::ranges::stable_sort(processes, {}, &Process::rank);
  for (const auto& process : processes) add_process(session, process.trace, process.resource);
}

void ParaverObjects::add_process(const analysis::Session& session, std::size_t trace, std::uint32_t process) {
  const auto& resources = session.traces()[trace].store.resources();
  const auto task = static_cast<std::uint32_t>(tasks_.size() + 1);
  tasks_.push_back(resources[process].name.empty() ? fmt::format("TASK 1.{}", task)
                                                   : resources[process].name);
  std::uint32_t number = 0;
  const auto add = [&](std::uint32_t r, bool stream, std::string name) {
    places_[trace][r] = static_cast<std::uint32_t>(threads_.size());
    ranks_[trace][r] = resources[process].rank;
    threads_.push_back({trace, r, task, ++number, stream, std::move(name)});
  };
  for (std::uint32_t r = 0; r < resources.size(); ++r)
    if (resources[r].kind == ResourceKind::Thread && resources[r].parent == process)
      add(r, false,
          resources[r].name.empty() ? fmt::format("THREAD 1.{}.{}", task, number + 1) : resources[r].name);
  for (std::uint32_t r = 0; r < resources.size(); ++r) {
    const auto device = resources[r].parent;
    if (resources[r].kind != ResourceKind::Stream || device >= resources.size() ||
        resources[device].parent != process)
      continue;
    add(r, true, fmt::format("CUDA-D{}.S{}", resources[device].number, resources[r].number));
  }
  threads_of_.push_back(number);
}

const ParaverThread* ParaverObjects::find(std::size_t trace, std::uint32_t resource) const {
  const auto place = resource < places_[trace].size() ? places_[trace][resource] : kNone;
  return place == kNone ? nullptr : &threads_[place];
}

const ParaverThread* ParaverObjects::of_rank(std::size_t trace, std::uint32_t rank) const {
  for (const auto& thread : threads_)
    if (thread.trace == trace && !thread.stream &&
        ranks_[trace][thread.resource] == static_cast<std::int32_t>(rank))
      return &thread;
  return nullptr;
}

std::string ParaverObjects::header() const {
  std::string text = fmt::format("0:1:{}(", tasks_.size());
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    text += fmt::format("{}{}:1", t > 0 ? "," : "", threads_of_[t]);
  return text + ")";
}

std::string ParaverObjects::rows() const {
  std::string text = fmt::format("LEVEL NODE SIZE 1\nnode1\n\nLEVEL TASK SIZE {}\n", tasks_.size());
  for (const auto& task : tasks_) text += task + "\n";
  text += fmt::format("\nLEVEL THREAD SIZE {}\n", threads_.size());
  for (const auto& thread : threads_) text += thread.name + "\n";
  return text;
}

} // namespace jitterscope::efficiency
