#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/formats/nsys/session.h"
#include "core/import/sqlite/unread_tables.h"

namespace jitterscope::import::nsys {
namespace {

using namespace std::string_view_literals;
constexpr std::array kRead = {"CUPTI_ACTIVITY_KIND_KERNEL"sv,
                              "CUPTI_ACTIVITY_KIND_MEMCPY"sv,
                              "CUPTI_ACTIVITY_KIND_MEMSET"sv,
                              "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"sv,
                              "CUPTI_ACTIVITY_KIND_RUNTIME"sv,
                              "NVTX_EVENTS"sv,
                              "GPU_METRICS"sv,
                              "MPI_P2P_EVENTS"sv,
                              "MPI_COLLECTIVES_EVENTS"sv,
                              "MPI_START_WAIT_EVENTS"sv,
                              "MPI_OTHER_EVENTS"sv};
constexpr std::array kTimes = {"start"sv, "startedAt"sv, "timestamp"sv, "rawTimestamp"sv};
constexpr std::array kAbout = {"TARGET_INFO_"sv, "ANALYSIS_"sv, "META_DATA_"sv,
                               "EXPORT_"sv}; // the capture as a whole

struct Words {
  std::string_view table, words;
};
constexpr std::array kWords = {
    Words{"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronisation with the GPU"},
    Words{"CUPTI_ACTIVITY_KIND_CUDA_EVENT", "CUDA events"},
    Words{"CUPTI_ACTIVITY_KIND_OVERHEAD", "profiler overhead"},
    Words{"PROFILER_OVERHEAD", "profiler overhead"},
    Words{"OSRT_API", "operating system calls"},
    Words{"OSRT_FILE_ACCESS_EVENTS", "file accesses"},
    Words{"SCHED_EVENTS", "context switches"},
    Words{"COMPOSITE_EVENTS", "CPU samples"},
    Words{"DIAGNOSTIC_EVENT", "profiler messages"},
};

template <class Beginnings>
bool begins_with_one_of(std::string_view text, const Beginnings& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](auto beginning) { return text.starts_with(beginning); });
}

bool holds_events(const sqlite::Database& db, const std::string& table) {
  if (begins_with_one_of(table, kAbout)) return false;
  return table.starts_with("CUPTI_ACTIVITY_KIND_") ||
         std::any_of(kTimes.begin(), kTimes.end(), [&](auto column) { return db.has_column(table, column); });
}

std::string words_for(std::string_view table, bool metrics) {
  if (table == "GENERIC_EVENTS")
    return metrics ? "the samples of the GPU are read from GPU_METRICS" : std::string();
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Words& w) { return w.table == table; });
  return found == kWords.end() ? std::string() : std::string(found->words);
}

} // namespace

Expected<void> report_left_out(Session& session) {
  auto& db = session.db;
  const bool metrics = db.has_rows("GPU_METRICS");
  std::vector<sqlite::UnreadTable> tables;
  for (const auto& table : db.tables()) {
    if (std::find(kRead.begin(), kRead.end(), table) != kRead.end() || !holds_events(db, table)) continue;
    if (table == "GENERIC_EVENTS" && !metrics) continue; // older schemas store the samples there
    tables.push_back({table, words_for(table, metrics)});
  }
  return sqlite::report_unread(db, tables, session.issues);
}

} // namespace jitterscope::import::nsys
