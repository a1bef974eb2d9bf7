#include "core/analysis/columns/info.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/analysis/session/plain_tables.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::analysis {
namespace {

using nlohmann::json;

json launches_document(const Session& session) {
  std::int64_t sum = 0, once = 0, configurations = 0;
  for (const auto& c : session.configurations()) {
    sum += c.duration_sum_ns;
    once += c.launches == 1;
    configurations += c.launches > 0;
  }
  json out = {{"count", session.launches()},
              {"kernels", session.kernels().size()},
              {"configurations", configurations},
              {"configurations_run_once", once},
              {"duration_sum_ns", sum},
              {"first_start_ns", nullptr},
              {"last_end_ns", nullptr}};
  if (!session.has_durations() && session.launches() > 0) out["duration_sum_ns"] = nullptr;
  if (session.launches() > 0 && !session.launch_order()) {
    out["first_start_ns"] = session.launch_span().begin.count;
    out["last_end_ns"] = session.launch_span().end.count;
  }
  return out;
}

// Copies and migrations; memsets are counted separately, since they move no data.
void add_transfers(const Session& session, json& out) {
  std::int64_t count[store::kTransferKinds] = {}, bytes[store::kTransferKinds] = {},
               time[store::kTransferKinds] = {}, unknown[store::kTransferKinds] = {};
  for (const auto& trace : session.traces()) {
    const auto kinds = trace.store.column<std::uint8_t>("transfers", "kind");
    const auto sizes = trace.store.column<std::int64_t>("transfers", "bytes");
    const auto durations = trace.store.column<std::int64_t>("transfers", "duration");
    constexpr std::size_t kPiece = 2'048;
    std::uint8_t kind[kPiece];
    std::int64_t size[kPiece], duration[kPiece];
    for (std::size_t first = 0; first < kinds.size(); first += kPiece) {
      const auto rows = std::min(kPiece, kinds.size() - first);
      kinds.read(first, first + rows, kind);
      sizes.read(first, first + rows, size);
      durations.read(first, first + rows, duration);
      for (std::size_t i = 0; i < rows; ++i) {
        ++count[kind[i]];
        if (size[i] == store::kUnknownBytes)
          ++unknown[kind[i]];
        else
          bytes[kind[i]] += size[i];
        time[kind[i]] += duration[i];
      }
    }
  }
  json by_kind = json::object();
  std::int64_t all = 0, moved = 0, unsized = 0;
  constexpr auto memset = static_cast<int>(store::TransferKind::Memset);
  for (int kind = 0; kind < store::kTransferKinds; ++kind) {
    if (count[kind] == 0 || kind == memset) continue;
    all += count[kind];
    moved += bytes[kind];
    unsized += unknown[kind];
    by_kind[std::string(store::to_string(static_cast<store::TransferKind>(kind)))] = {
        {"count", count[kind]},
        {"bytes_sum", bytes[kind]},
        {"bytes_unknown", unknown[kind]},
        {"duration_sum_ns", time[kind]}};
  }
  out["transfers"] = {{"count", all}, {"bytes_sum", moved}, {"bytes_unknown", unsized}, {"by_kind", by_kind}};
  out["memsets"] = {{"count", count[memset]},
                    {"bytes_sum", bytes[memset]},
                    {"bytes_unknown", unknown[memset]},
                    {"duration_sum_ns", time[memset]}};
}

std::int64_t rows_of(const Session& session, const char* table) {
  std::int64_t rows = 0;
  for (const auto& trace : session.traces()) rows += static_cast<std::int64_t>(trace.store.table(table).rows);
  return rows;
}

// Messages as their transmission is recorded; the other rows of the table are calls of MPI.
std::int64_t transmissions_of(const Session& session) {
  std::int64_t count = 0;
  for (const auto& trace : session.traces()) {
    const auto kinds = trace.store.column<std::uint8_t>("messages", "kind");
    constexpr std::size_t kPiece = 4'096;
    std::uint8_t piece[kPiece];
    for (std::size_t first = 0; first < kinds.size(); first += kPiece) {
      const auto rows = std::min(kPiece, kinds.size() - first);
      kinds.read(first, first + rows, piece);
      count += std::count(piece, piece + rows, store::kTransmission);
    }
  }
  return count;
}

void add_resources(const Session& session, json& out) {
  std::int64_t streams = 0, ranks = 0, processes = 0;
  json devices = json::array();
  for (const auto& trace : session.traces()) {
    std::vector<std::uint8_t> used(trace.store.resources().size());
    for (const auto stream : *trace.store.table("launches").find("stream")->distinct) used[stream] = 1;
    streams += std::accumulate(used.begin(), used.end(), std::int64_t{0});
    for (const auto& r : trace.store.resources()) {
      processes += r.kind == store::ResourceKind::Process;
      ranks += r.kind == store::ResourceKind::Process && r.rank >= 0;
    }
    for (const auto& device : trace.store.manifest().devices) {
      const auto& r = trace.store.resources();
      json item = {{"name", device.name}, {"uuid", device.uuid}, {"multiprocessors", device.multiprocessors}};
      if (device.resource < r.size()) item["device"] = r[device.resource].number;
      for (const auto& [key, value] : device.properties) item["properties"][key] = value;
      devices.push_back(item);
    }
  }
  out["devices"] = devices;
  out["streams"] = streams;
  out["ranks"] = ranks;
  out["processes"] = processes;
}

json inputs(const Session& session) {
  json list = json::array();
  for (const auto& trace : session.traces())
    for (const auto& source : trace.store.manifest().sources)
      list.push_back({{"path", source.path},
                      {"bytes", source.bytes},
                      {"sha256", source.sha256},
                      {"format", source.format},
                      {"tool", source.tool},
                      {"schema", source.schema},
                      {"utc_ns", source.utc_ns},
                      {"shift_ns", source.shift_ns + trace.shift_ns},
                      {"alignment", session.traces().size() == 1 ? source.alignment : trace.alignment},
                      {"store", trace.store.path()},
                      {"checksums", trace.store.has_checksums()}});
  return list;
}

/// Traces that were imported from the same file, except the first one of each file; null: none.
json repeated_sources(const Session& session) {
  std::map<std::string, std::string> trace_of;
  std::vector<std::string> pairs;
  for (const auto& trace : session.traces())
    for (const auto& source : trace.store.manifest().sources) {
      const auto [first, added] = trace_of.emplace(source.sha256, trace.name);
      if (added || source.sha256.empty() || first->second == trace.name) continue;
      pairs.push_back(fmt::format("{} and {}", first->second, trace.name));
      break;
    }
  if (pairs.empty()) return nullptr;
  return {{"severity", store::to_string(store::Severity::Doubt)},
          {"code", kSameSource},
          {"count", pairs.size()},
          {"text", fmt::format("traces of the same file are open: {}; what both contain is counted twice",
                               fmt::join(pairs, ", "))}};
}

json report(const Session& session) {
  json list = json::array();
  if (auto repeated = repeated_sources(session); !repeated.is_null()) list.push_back(std::move(repeated));
  for (const auto& trace : session.traces())
    for (const auto& entry : trace.store.manifest().report)
      list.push_back({{"severity", store::to_string(entry.severity)},
                      {"code", entry.code},
                      {"count", entry.count},
                      {"text", entry.text}});
  return list;
}

/// Benchmark results of all stores.
json machine(const Session& session) {
  store::Machine all;
  for (const auto& trace : session.traces()) {
    const auto& more = trace.store.manifest().machine;
    all.gpus.insert(all.gpus.end(), more.gpus.begin(), more.gpus.end());
    all.networks.insert(all.networks.end(), more.networks.begin(), more.networks.end());
    all.bandwidths.insert(all.bandwidths.end(), more.bandwidths.begin(), more.bandwidths.end());
  }
  return to_json(all);
}

} // namespace

std::string rows_name(const Session& session) {
  if (of_no_launches(session)) return "rows";
  std::string name;
  for (const auto& trace : session.traces()) {
    const auto of = std::string(to_string(store::analysis_rows(trace.store)));
    if (!name.empty() && name != of) return "mixed";
    name = of;
  }
  return name;
}

json column_list(const LaunchColumns& columns) {
  static constexpr const char* kKinds[] = {"number", "category", "text"};
  json list = json::array();
  for (const auto& column : columns.list())
    list.push_back({{"name", column.name},
                    {"unit", column.unit},
                    {"description", column.description},
                    {"kind", kKinds[static_cast<int>(column.kind)]},
                    {"tier", column.tier},
                    {"recorded", column.recorded},
                    {"constant", column.constant},
                    {"chosen", column.chosen}});
  return list;
}

json info(const Session& session, const LaunchColumns& columns) {
  json out;
  out["schema_version"] = 1;
  out["inputs"] = inputs(session);
  out["axis"] = session.launch_order() ? "launch-order" : "time";
  out["rows"] = rows_name(session);
  out["launches"] = launches_document(session);
  add_transfers(session, out);
  out["calls"] = {{"count", rows_of(session, "calls")}};
  out["ranges"] = {{"count", rows_of(session, "ranges")}};
  out["samples"] = {{"count", rows_of(session, "samples")}, {"counters", rows_of(session, "counters")}};
  const auto transmissions = transmissions_of(session);
  out["mpi_calls"] = {{"count", rows_of(session, "messages") - transmissions}};
  out["messages"] = {{"count", transmissions}};
  add_resources(session, out);
  out["span"] = {{"begin_ns", session.span().begin.count}, {"end_ns", session.span().end.count}};
  out["columns"] = column_list(columns);
  out["constant_columns"] =
      std::count_if(columns.list().begin(), columns.list().end(),
                    [](const LaunchColumn& column) { return column.recorded && column.constant; });
  out["machine"] = machine(session);
  out["report"] = report(session);
  json alignment = json::array();
  for (const auto& trace : session.traces())
    alignment.push_back({{"name", trace.name},
                         {"store", trace.store.path()},
                         {"shift_ns", trace.shift_ns},
                         {"text", trace.alignment},
                         {"collective_kernels", trace.store.manifest().collective_kernels}});
  out["alignment"] = alignment;
  return out;
}

} // namespace jitterscope::analysis
