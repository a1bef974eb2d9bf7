#include "core/import/formats/rocm/database/databases.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

// The common columns of event tables, followed by the table's own.
std::vector<const char*> event(std::initializer_list<const char*> own) {
  std::vector<const char*> columns = {"start", "end", "start_id", "end_id",   "track_id", "nid",
                                      "pid",   "tid", "agent_id", "queue_id", "event_id"};
  columns.insert(columns.end(), own);
  return columns;
}

// Two runs in one file; the second has only events, its other tables are empty.
const jitterscope::import::FuzzDatabase kDatabase{
    {{"rocpd_metadata_a", {"tag", "value"}},
     {"rocpd_string_a", {"id", "string"}},
     {"rocpd_info_node_a", {"id", "machine_id", "hash", "hostname"}},
     {"rocpd_info_process_a", {"id", "pid", "name"}},
     {"rocpd_info_thread_a", {"id", "tid", "name"}},
     {"rocpd_info_agent_a",
      {"id", "nid", "type", "absolute_index", "logical_index", "type_index", "uuid", "name", "model_name",
       "product_name", "extdata"}},
     {"rocpd_info_queue_a", {"id", "name"}},
     {"rocpd_info_kernel_symbol_a",
      {"id", "display_name", "kernel_name", "arch_vgpr_count", "accum_vgpr_count", "sgpr_count",
       "group_segment_size", "private_segment_size"}},
     {"rocpd_track_a", {"id", "nid", "pid", "tid", "agent_id", "queue_id", "name_id"}},
     {"rocpd_timestamp_a", {"id", "value"}},
     {"rocpd_info_category_a", {"id", "name"}},
     {"rocpd_event_a", {"id", "stack_id", "category_id", "extdata"}},
     {"rocpd_info_pmc_a", {"id", "name", "symbol", "units", "agent_id", "nid", "pid"}},
     {"rocpd_kernel_dispatch_a",
      event({"kernel_id", "private_segment_size", "group_segment_size", "workgroup_size_x",
             "workgroup_size_y", "workgroup_size_z", "grid_size_x", "grid_size_y", "grid_size_z"})},
     {"rocpd_memory_copy_a", event({"name_id", "size", "src_agent_id", "dst_agent_id"})},
     {"rocpd_region_a", event({"name_id"})},
     {"rocpd_memory_allocate_a", event({"type", "level"})},
     {"rocpd_sample_a", event({"timestamp", "timestamp_id", "name_id"})},
     {"rocpd_pmc_event_a", {"event_id", "pmc_id", "value"}},
     {"rocpd_kernel_dispatch_b", event({"kernel_id", "grid_size_x", "workgroup_size_x"})},
     {"rocpd_string_b", {"id", "string"}}},
    {"KERNEL_DISPATCH", "MEMORY_COPY_HOST_TO_DEVICE", "HIP_RUNTIME_API", "MARKER_CORE_API", "hipLaunchKernel",
     "GPU", "CPU", "gfx90a", "{\"cu_count\":104,\"simd_count\":416}", "{\"message\":\"phase\"}",
     "{\"message\":1}", "[", "add(int*)", "ALLOC", "schema_version", "3", "", "SQ_WAVES"},
    1'000'000'000'000,
    jitterscope::import::rocm::recognises_rocpd,
    jitterscope::import::rocm::read_rocpd};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
