#include <unordered_map>

#include "core/import/formats/nsys/session.h"
#include "core/import/text/text.h"

namespace jitterscope::import::nsys {
namespace {

using sqlite::Rows;

// A thread may have several names: the one with the highest priority, set by the tool, is used.
Expected<void> read_thread_names(Session& session) {
  std::unordered_map<std::uint32_t, std::int64_t> priority_of;
  return session.for_each("ThreadNames", {"nameId", "priority", "globalTid"}, [&](const Rows& rows) {
    const auto id = integer(rows, 0);
    const auto global_tid = integer(rows, 2);
    if (!id || !global_tid || !session.names.has(*id)) return;
    const auto thread = session.threads().find(*global_tid);
    if (thread == session.threads().end()) return; // it has no imported rows
    const auto priority = integer(rows, 1).value_or(0);
    const auto [place, added] = priority_of.try_emplace(thread->second, priority);
    auto& name = session.draft.resources[thread->second].name;
    if ((added && !name.empty()) || (!added && priority <= place->second)) return;
    place->second = priority;
    name = clean_text(session.names.text(*id));
  });
}

Expected<void> read_processes(Session& session) {
  return session.for_each("PROCESSES", {"globalPid", "name"}, [&](const Rows& rows) {
    const auto global_pid = integer(rows, 0);
    // The profiler starts a program through its launcher and may have read the name before the exec.
    if (!global_pid || !rows.is_text(1) || rows.text(1) == "nsys-launcher") return;
    const auto process = session.processes().find(*global_pid);
    if (process != session.processes().end())
      session.draft.resources[process->second].name = clean_text(rows.text(1));
  });
}

// For files without a table of processes: Linux names the main thread (tid = pid) after the program.
void name_after_main_threads(Session& session) {
  auto& resources = session.draft.resources;
  for (const auto& [global_tid, row] : session.threads()) {
    const auto& thread = resources[row];
    auto& process = resources[thread.parent];
    if (process.name.empty() && thread.number == process.number) process.name = thread.name;
  }
}

} // namespace

Expected<void> read_process_names(Session& session) {
  if (auto done = read_thread_names(session); !done) return done;
  if (auto done = read_processes(session); !done) return done;
  name_after_main_threads(session);
  return {};
}

} // namespace jitterscope::import::nsys
