#include "core/import/formats/rocm/database/rocpd_run.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

using sqlite::Rows;
using store::Severity;

// Maximum number of agents: no machine has more, but a damaged or malicious file may state more.
constexpr std::size_t kMaxAgents = 4096;

constexpr std::array kAgentProperties = {"cu_count",
                                         "simd_count",
                                         "simd_per_cu",
                                         "num_xcc",
                                         "wave_front_size",
                                         "lds_size_in_kb",
                                         "max_waves_per_simd",
                                         "gfx_target_version",
                                         "max_engine_clk_fcompute",
                                         "num_shader_banks",
                                         "max_waves_per_cu",
                                         "local_mem_size",
                                         "gds_size_in_kb",
                                         "sdma_fw_version"};

nlohmann::json parsed(const Rows& rows, int column) {
  if (!rows.is_text(column) || rows.text(column).size() > (std::size_t{1} << 20)) return {};
  return nlohmann::json::parse(rows.text(column), nullptr, false);
}

} // namespace

Expected<void> RocpdRun::read(store::Source& source) {
  using Step = Expected<void> (RocpdRun::*)();
  if (auto done = read_metadata(source); !done) return done;
  for (const Step step :
       {&RocpdRun::read_strings, &RocpdRun::read_nodes, &RocpdRun::read_processes, &RocpdRun::read_agents,
        &RocpdRun::read_symbols, &RocpdRun::read_tracks, &RocpdRun::read_events, &RocpdRun::read_pmcs,
        &RocpdRun::read_regions, &RocpdRun::read_kernels, &RocpdRun::read_copies, &RocpdRun::read_allocations,
        &RocpdRun::read_samples, &RocpdRun::read_pmc_events})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

Places& RocpdRun::places(std::int64_t node) {
  const auto key = node_keys_.find(node);
  const auto name = key != node_keys_.end() ? key->second : fmt::format("{} {}", suffix_, node);
  auto& places = nodes_[name];
  if (!places)
    places = std::make_unique<Places>(session_.draft, std::vector<std::string>{"rocpd node " + name});
  return *places;
}

Expected<void> RocpdRun::read_metadata(store::Source& source) {
  return session_.for_each(table("rocpd_metadata"), {"tag", "value"}, [&](const Rows& rows) {
    const auto tag = text_or_empty(rows, 0);
    const auto value = rows.is_integer(1) ? std::to_string(rows.integer(1)) : text_or_empty(rows, 1);
    if (tag == "schema_version") source.schema = value;
    if (tag == "rocprofiler-sdk_version" || tag == "tool_version") source.tool = value;
  });
}

Expected<void> RocpdRun::read_strings() {
  return session_.for_each(table("rocpd_string"), {"id", "string"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0)) strings_[*id] = text_or_empty(rows, 1);
  });
}

Expected<void> RocpdRun::read_nodes() {
  return session_.for_each(table("rocpd_info_node"), {"id", "machine_id", "hash", "hostname"},
                           [&](const Rows& rows) {
                             const auto id = integer(rows, 0);
                             if (!id || node_keys_.size() >= kMaxAgents) return;
                             auto key = text_or_empty(rows, 1);
                             if (key.empty()) key = std::to_string(integer(rows, 2).value_or(*id));
                             node_keys_[*id] = key;
                             auto& host = session_.draft.resources[places(*id).host()];
                             if (host.name.empty()) host.name = text_or_empty(rows, 3);
                           });
}

// The table also has commands and environments: they are private and stay unread.
Expected<void> RocpdRun::read_processes() {
  const auto read = [&](const char* info, const char* number, auto& numbers, auto& names) {
    return session_.for_each(table(info), {"id", number, "name"}, [&](const Rows& rows) {
      if (!rows.is_integer(0) || !rows.is_integer(1)) return;
      numbers[rows.integer(0)] = rows.integer(1);
      names[rows.integer(0)] = text_or_empty(rows, 2);
    });
  };
  if (auto done = read("rocpd_info_process", "pid", pids_, process_names_); !done) return done;
  return read("rocpd_info_thread", "tid", tids_, thread_names_);
}

Expected<void> RocpdRun::read_agents() {
  const auto agents = table("rocpd_info_agent");
  auto done = session_.for_each(
      agents,
      {"id", "nid", "type", "absolute_index", "logical_index", "type_index", "uuid", "name", "model_name",
       "product_name", "extdata"},
      [&](const Rows& rows) {
        const auto id = integer(rows, 0);
        if (!id || agents_.size() >= kMaxAgents) return;
        Agent agent;
        agent.number = *id;
        for (const int column : {5, 4, 3})
          if (const auto index = integer(rows, column)) agent.number = *index;
        agent.gpu = text_or_empty(rows, 2) != "CPU";
        Gpu gpu;
        for (const int column : {7, 8, 9})
          if (auto name = text_or_empty(rows, column); !name.empty()) gpu.name = name;
        agent.name = gpu.name;
        if (const auto uuid = integer(rows, 6); uuid && *uuid != 0)
          gpu.uuid = fmt::format("GPU-{:016x}", static_cast<std::uint64_t>(*uuid));
        else
          gpu.uuid = text_or_empty(rows, 6);
        const auto more = parsed(rows, 10);
        for (const auto* property : kAgentProperties)
          if (more.is_object() && more.contains(property) && more[property].is_primitive())
            gpu.properties[property] = clean_text(more[property].dump());
        if (more.is_object() && more.contains("cu_count") && more["cu_count"].is_number_unsigned())
          gpu.compute_units =
              std::min<std::int64_t>(count_or_zero(more["cu_count"].get<std::int64_t>()), 1 << 20);
        if (agent.gpu) places(integer(rows, 1).value_or(0)).describe(agent.number, std::move(gpu));
        agents_[*id] = std::move(agent);
      });
  if (!done) return done;
  return session_.for_each(table("rocpd_info_queue"), {"id", "name"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0)) queue_names_[*id] = text_or_empty(rows, 1);
  });
}

Expected<void> RocpdRun::read_symbols() {
  return session_.for_each(table("rocpd_info_kernel_symbol"),
                           {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count",
                            "sgpr_count", "group_segment_size", "private_segment_size"},
                           [&](const Rows& rows) {
                             const auto id = integer(rows, 0);
                             if (!id) return;
                             Symbol symbol;
                             symbol.name = text_or_empty(rows, 1);
                             if (symbol.name.empty()) symbol.name = text_or_empty(rows, 2);
                             symbol.vgpr = integer(rows, 3);
                             symbol.accum_vgpr = integer(rows, 4);
                             symbol.sgpr = integer(rows, 5);
                             symbol.lds = integer(rows, 6);
                             symbol.scratch = integer(rows, 7);
                             symbols_[*id] = std::move(symbol);
                           });
}

Expected<void> RocpdRun::read_tracks() {
  auto done =
      session_.for_each(table("rocpd_track"), {"id", "nid", "pid", "tid", "agent_id", "queue_id", "name_id"},
                        [&](const Rows& rows) {
                          const auto id = integer(rows, 0);
                          if (!id) return;
                          Place place;
                          place.node = integer(rows, 1).value_or(0);
                          place.process = integer(rows, 2).value_or(0);
                          place.thread = integer(rows, 3);
                          place.agent = integer(rows, 4);
                          place.queue = integer(rows, 5);
                          tracks_[*id] = place;
                          if (const auto name = integer(rows, 6)) track_names_[*id] = *name;
                        });
  if (!done) return done;
  return session_.for_each(table("rocpd_timestamp"), {"id", "value"}, [&](const Rows& rows) {
    if (rows.is_integer(0) && rows.is_integer(1)) timestamps_[rows.integer(0)] = rows.integer(1);
  });
}

Expected<void> RocpdRun::read_events() {
  ById<std::uint32_t> categories;
  auto done = session_.for_each(table("rocpd_info_category"), {"id", "name"}, [&](const Rows& rows) {
    if (const auto id = integer(rows, 0)) categories[*id] = session_.intern(text_or_empty(rows, 1));
  });
  if (!done) return done;
  const bool own_categories = session_.db.has_table(table("rocpd_info_category"));
  done = session_.for_each(
      table("rocpd_event"), {"id", "stack_id", "category_id", "extdata"}, [&](const Rows& rows) {
        const auto id = integer(rows, 0);
        if (!id) return;
        Event event;
        event.id = *id;
        event.correlation = low_bits(integer(rows, 1).value_or(0));
        if (const auto category = integer(rows, 2)) {
          if (!own_categories && !categories.contains(*category))
            categories[*category] = session_.intern(string(category));
          const auto known = categories.find(*category);
          if (known != categories.end()) event.category = known->second;
        }
        // The text of a marker is stored next to the name of the called function.
        if (event.category != kNone && rows.is_text(3) && rows.text(3).size() > 2 &&
            session_.draft.strings[StringId{event.category}].find("MARKER") != std::string::npos) {
          const auto more = parsed(rows, 3);
          if (more.is_object() && more.contains("message") && more["message"].is_string())
            marker_texts_[*id] = clean_text(more["message"].get<std::string>());
        }
        events_.push_back(event);
      });
  if (!done) return done;
  const auto before = [](const Event& a, const Event& b) { return a.id < b.id; };
  if (!std::is_sorted(events_.begin(), events_.end(), before))
    std::stable_sort(events_.begin(), events_.end(), before);
  return {};
}

Expected<void> RocpdRun::read_pmcs() {
  return session_.for_each(table("rocpd_info_pmc"),
                           {"id", "name", "symbol", "units", "agent_id", "nid", "pid"},
                           [&](const Rows& rows) {
                             const auto id = integer(rows, 0);
                             if (!id) return;
                             Pmc pmc;
                             pmc.name = text_or_empty(rows, 1);
                             if (pmc.name.empty()) pmc.name = text_or_empty(rows, 2);
                             pmc.unit = text_or_empty(rows, 3);
                             pmc.agent = integer(rows, 4);
                             pmc.node = integer(rows, 5).value_or(0);
                             pmc.process = integer(rows, 6).value_or(0);
                             pmcs_[*id] = std::move(pmc);
                           });
}

const RocpdRun::Event* RocpdRun::event(std::optional<std::int64_t> id) const {
  if (!id) return nullptr;
  const auto found =
      std::lower_bound(events_.begin(), events_.end(), *id,
                       [](const Event& event, std::int64_t value) { return event.id < value; });
  return found != events_.end() && found->id == *id ? &*found : nullptr;
}

std::string RocpdRun::string(std::optional<std::int64_t> id) const {
  if (!id) return {};
  const auto found = strings_.find(*id);
  return found == strings_.end() ? std::string() : found->second;
}

} // namespace jitterscope::import::rocm
