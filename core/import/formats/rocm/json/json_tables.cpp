#include "core/import/formats/rocm/json/json_tables.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using import::json::Cursor;

constexpr std::size_t kMaxMember = std::size_t{8} << 20; // maximum size of a member that is read [B]
constexpr std::size_t kMaxKinds = 65'536;

std::string text(std::string_view written) {
  return clean_text(import::json::text_of(written));
}

// Only the needed members are read: there are also the command line and the environment.
Expected<void> read_metadata(Cursor& cursor, JsonTables& tables) {
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    if (key != "pid" && key != "node") return cursor.skip();
    const auto value = cursor.value(kMaxMember);
    if (!value) return forward(value.error());
    if (!*value) return {};
    if (key == "pid") {
      tables.pid = import::json::integer(**value).value_or(-1);
      return {};
    }
    const auto node = nlohmann::json::parse(**value, nullptr, false);
    if (node.is_object() && node.contains("hostname") && node["hostname"].is_string())
      tables.host = clean_text(node["hostname"].get_ref<const std::string&>());
    return {};
  });
}

void read_agent(const JsonRecord& record, JsonTables& tables) {
  const auto handle = record.handle(path_number("id.handle"));
  if (!handle || tables.agents.size() >= 65'536) return;
  JsonTables::Agent agent;
  const auto type = record.written(path_number("type"));
  agent.gpu = import::json::integer(type) == 2 || type.find("GPU") != std::string_view::npos;
  auto number = record.integer(path_number("logical_node_type_id"));
  if (!number) number = record.integer(path_number("node_id"));
  const auto earlier = std::count_if(tables.agents.begin(), tables.agents.end(),
                                     [](const auto& other) { return other.second.gpu; });
  agent.number = std::clamp<std::int64_t>(number.value_or(earlier), 0, 65'535);
  for (const auto* name : {"product_name", "model_name", "name"})
    if (agent.described.name.empty()) agent.described.name = text(record.written(path_number(name)));
  const auto uuid = record.written(path_number("uuid"));
  if (import::json::is_text(uuid)) agent.described.uuid = text(uuid);
  agent.described.compute_units =
      std::clamp<std::int64_t>(record.integer(path_number("cu_count")).value_or(0), 0, 1 << 20);
  for (const auto* key :
       {"simd_per_cu", "simd_count", "num_xcc", "max_waves_per_simd", "wave_front_size", "lds_size_in_kb",
        "gfx_target_version", "max_engine_clk_fcompute", "num_shader_banks", "node_id", "location_id"})
    if (const auto value = record.integer(path_number(key)))
      agent.described.properties[key] = std::to_string(*value);
  tables.agents[*handle] = std::move(agent);
}

void consume_symbol(const JsonRecord& record, JsonTables& tables) {
  const auto id = record.integer(path_number("kernel_id"));
  if (!id) return;
  JsonTables::Symbol symbol;
  for (const auto* name :
       {"demangled_kernel_name", "formatted_kernel_name", "kernel_name", "truncated_kernel_name"})
    if (symbol.name.empty()) symbol.name = text(record.written(path_number(name)));
  symbol.vgpr = record.integer(path_number("arch_vgpr_count"));
  symbol.accum_vgpr = record.integer(path_number("accum_vgpr_count"));
  symbol.sgpr = record.integer(path_number("sgpr_count"));
  tables.symbols[*id] = std::move(symbol);
}

Expected<void> read_strings(Cursor& cursor, JsonRecords& records, JsonTables& tables) {
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    if (key == "buffer_records")
      return records.each(cursor, [&](const JsonRecord& record) {
        if (tables.kinds.size() >= kMaxKinds) return;
        auto& kind = tables.kinds.emplace_back();
        kind.name = text(record.written(path_number("kind")));
        for (const auto operation : record.names()) kind.operations.push_back(text(operation));
      });
    if (key == "marker_api")
      return records.each(cursor, [&](const JsonRecord& record) {
        if (const auto number = record.integer(path_number("key")))
          tables.markers[*number] = text(record.written(path_number("value")));
      });
    return cursor.skip();
  });
}

// Whether a non-empty array comes next.
Expected<bool> holds_elements(Cursor& cursor) {
  const auto kind = cursor.kind();
  if (!kind) return forward(kind.error());
  if (*kind != Cursor::Kind::Array) {
    auto done = cursor.skip();
    if (!done) return forward(done.error());
    return false;
  }
  if (auto opened = cursor.open(); !opened) return forward(opened.error());
  bool any = false;
  for (;;) {
    const auto chunk = cursor.elements();
    if (!chunk) return forward(chunk.error());
    if (!*chunk) return any;
    any = true;
  }
}

Expected<void> find_member(Cursor& cursor, const char* requested, bool& found) {
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    if (key != requested) return cursor.skip();
    const auto any = holds_elements(cursor);
    if (!any) return forward(any.error());
    found = found || *any;
    return {};
  });
}

Expected<void> each_of_array(Cursor& cursor,
                             const std::function<Expected<void>(Cursor&, std::size_t)>& process) {
  std::size_t number = 0;
  return import::json::each_element(cursor, [&] { return process(cursor, number++); });
}

} // namespace

Expected<void> each_json_process(Cursor& cursor,
                                 const std::function<Expected<void>(Cursor&, std::size_t)>& process) {
  const auto outer = cursor.kind();
  if (!outer) return forward(outer.error());
  if (*outer == Cursor::Kind::Array) return each_of_array(cursor, process); // without the object around it
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    const auto kind = cursor.kind();
    if (!kind) return forward(kind.error());
    if (key != "rocprofiler-sdk-tool") return cursor.skip();
    if (*kind == Cursor::Kind::Object) return process(cursor, 0);
    return *kind == Cursor::Kind::Array ? each_of_array(cursor, process) : cursor.skip();
  });
}

Expected<void> JsonRecords::each(Cursor& cursor, const std::function<void(const JsonRecord&)>& use) {
  const auto kind = cursor.kind();
  if (!kind) return forward(kind.error());
  if (*kind != Cursor::Kind::Array) return cursor.skip();
  if (auto opened = cursor.open(); !opened) return opened;
  for (;;) {
    const auto chunk = cursor.elements();
    if (!chunk) return forward(chunk.error());
    if (!*chunk) return {};
    elements_.for_each(
        **chunk, issues_, [&](import::json::Elements::Value& value) { return record_.parse(value); },
        [&] { use(record_); });
    if (!go_on_()) return Job::cancelled_error();
  }
}

Expected<void> read_json_tables(Cursor& cursor, JsonRecords& records, JsonTables& tables) {
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    if (key == "metadata") return read_metadata(cursor, tables);
    if (key == "agents")
      return records.each(cursor, [&](const JsonRecord& record) { read_agent(record, tables); });
    if (key == "strings") return read_strings(cursor, records, tables);
    if (key == "kernel_symbols")
      return records.each(cursor, [&](const JsonRecord& record) { consume_symbol(record, tables); });
    if (key == "counters")
      return records.each(cursor, [&](const JsonRecord& record) {
        if (const auto handle = record.handle(path_number("id.handle")))
          tables.counters[*handle] = text(record.written(path_number("name")));
      });
    if (key == "buffer_records") return find_member(cursor, "kernel_dispatch", tables.has_dispatches);
    if (key == "callback_records") return find_member(cursor, "counter_collection", tables.has_counters);
    return cursor.skip();
  });
}

} // namespace jitterscope::import::rocm
