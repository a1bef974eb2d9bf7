#include "core/import/formats/nvprof/nvprof_db.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

const std::vector<const char*> kKernelColumns = {"start",
                                                 "end",
                                                 "deviceId",
                                                 "contextId",
                                                 "streamId",
                                                 "name",
                                                 "gridX",
                                                 "gridY",
                                                 "gridZ",
                                                 "correlationId",
                                                 "blockX",
                                                 "blockY",
                                                 "blockZ",
                                                 "_id_",
                                                 "completed",
                                                 "staticSharedMemory",
                                                 "dynamicSharedMemory",
                                                 "registersPerThread",
                                                 "graphNodeId"};
const std::vector<const char*> kCopyColumns = {"start",     "end",           "deviceId",
                                               "contextId", "streamId",      "copyKind",
                                               "bytes",     "correlationId", "runtimeCorrelationId"};
const std::vector<const char*> kCallColumns = {"start",    "end",           "cbid",       "processId",
                                               "threadId", "correlationId", "returnValue"};

const jitterscope::import::FuzzDatabase kDatabase{
    {{"StringTable", {"_id_", "value"}},
     {"Version", {"_id_", "version"}},
     {"CUPTI_ACTIVITY_KIND_DEVICE",
      {"id", "name", "numMultiprocessors", "computeCapabilityMajor", "computeCapabilityMinor"}},
     {"CUPTI_ACTIVITY_KIND_RUNTIME", kCallColumns},
     {"CUPTI_ACTIVITY_KIND_DRIVER", kCallColumns},
     {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", kKernelColumns},
     {"CUPTI_ACTIVITY_KIND_KERNEL", kKernelColumns},
     {"CUPTI_ACTIVITY_KIND_CDP_KERNEL", kKernelColumns},
     {"CUPTI_ACTIVITY_KIND_MEMCPY", kCopyColumns},
     {"CUPTI_ACTIVITY_KIND_MEMCPY2", kCopyColumns},
     {"CUPTI_ACTIVITY_KIND_MEMSET",
      {"start", "end", "deviceId", "contextId", "streamId", "bytes", "correlationId"}},
     {"CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER",
      {"start", "end", "counterKind", "value", "srcId", "dstId"}},
     {"CUPTI_ACTIVITY_KIND_MARKER", {"timestamp", "flags", "id", "name", "domain"}}},
    {"_Z6vecAddPdS_S_i", "Tesla V100", "phase", "", "_ZN", "void f<int>(int)"},
    1'500'000'000'000'000'000,
    jitterscope::import::nvprof::recognises,
    jitterscope::import::nvprof::read};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
