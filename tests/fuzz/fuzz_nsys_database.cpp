#include "core/import/formats/nsys/nsys_reader.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

// The common columns of activity tables, followed by the table's own.
std::vector<const char*> activity(std::initializer_list<const char*> own) {
  std::vector<const char*> columns = {"start",    "end",           "deviceId",  "contextId",
                                      "streamId", "correlationId", "globalPid", "graphId"};
  columns.insert(columns.end(), own);
  return columns;
}

const jitterscope::import::FuzzDatabase kDatabase{
    {{"StringIds", {"id", "value"}},
     {"META_DATA_EXPORT", {"name", "value"}},
     {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}},
     {"TARGET_INFO_GPU",
      {"id", "cuDevice", "deviceId", "name", "uuid", "smCount", "busLocation", "totalMemory"}},
     {"TARGET_INFO_CUDA_GPU", {"deviceId", "id", "name", "uuid", "numMultiprocessors"}},
     {"TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"}},
     {"TARGET_INFO_GPU_METRICS", {"typeId", "metricId", "metricName"}},
     {"GPU_METRICS", {"timestamp", "typeId", "metricId", "value"}},
     {"GENERIC_EVENT_SOURCES", {"sourceId", "data"}},
     {"GENERIC_EVENT_TYPES", {"typeId", "sourceId"}},
     {"GENERIC_EVENTS", {"rawTimestamp", "timestamp", "typeId", "data"}},
     {"ThreadNames", {"nameId", "priority", "globalTid"}},
     {"PROCESSES", {"globalPid", "name"}},
     {"MPI_RANKS", {"globalTid", "rank"}},
     {"MPI_P2P_EVENTS", {"start", "end", "globalTid", "textId", "remoteRank", "size", "tag"}},
     {"MPI_COLLECTIVES_EVENTS", {"start", "end", "globalTid", "textId", "rootRank", "size", "tag"}},
     {"CUPTI_ACTIVITY_KIND_RUNTIME",
      {"start", "end", "eventClass", "globalTid", "correlationId", "nameId", "returnValue"}},
     {"CUPTI_ACTIVITY_KIND_KERNEL",
      activity({"demangledName", "shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                "staticSharedMemory", "dynamicSharedMemory", "registersPerThread", "launchType",
                "graphNodeId"})},
     {"CUPTI_ACTIVITY_KIND_MEMCPY", activity({"bytes", "copyKind", "migrationCause"})},
     {"CUPTI_ACTIVITY_KIND_MEMSET", activity({"bytes"})},
     {"NVTX_EVENTS", {"start", "end", "eventType", "domainId", "text", "textId", "globalTid"}}},
    {"EXPORT_SCHEMA_VERSION", "2.4.3", "vecAdd(int*)", "cudaLaunchKernel_v7000", "MPI Rank 3", "MPI_Send",
     "MPI", "", "{\"Metrics\":[{\"Name\":\"SM Active\",\"Id\":1}]}", "{\"SM Active\":12}", "NVIDIA A100", "{",
     "12.5"},
    1'000'000'000,
    jitterscope::import::nsys::recognises,
    jitterscope::import::nsys::read};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
