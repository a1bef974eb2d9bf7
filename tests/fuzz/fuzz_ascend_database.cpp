#include "core/import/formats/ascend/ascend_db.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

const jitterscope::import::FuzzDatabase kDatabase{
    {{"SESSION_TIME_INFO", {"startTimeNs"}},
     {"STRING_IDS", {"id", "value"}},
     {"NPU_INFO", {"id", "name"}},
     {"RANK_DEVICE_MAP", {"rankId"}},
     {"COMPUTE_TASK_INFO", {"globalTaskId", "name", "blockDim", "taskType"}},
     {"MEMCPY_INFO", {"globalTaskId", "size", "memcpyOperation"}},
     {"ENUM_MEMCPY_OPERATION", {"id", "name"}},
     {"TASK",
      {"startNs", "endNs", "deviceId", "streamId", "globalPid", "connectionId", "globalTaskId", "taskType"}},
     {"COMMUNICATION_OP", {"startNs", "endNs", "opName", "connectionId"}},
     {"CANN_API", {"startNs", "endNs", "globalTid", "connectionId", "name"}},
     {"PYTORCH_API", {"startNs", "endNs", "globalTid", "name"}},
     {"AICORE_FREQ", {"timestampNs", "deviceId", "freq"}}},
    {"KERNEL_AIVEC", "MEMCPY_ASYNC", "SDMA", "EVENT_WAIT", "host to device", "aclrtLaunch", "",
     "1736414119518476005"},
    1'736'414'119'518'476'000,
    jitterscope::import::ascend::recognises_db,
    jitterscope::import::ascend::read_db};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
