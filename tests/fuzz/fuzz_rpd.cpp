#include "core/import/formats/rocm/database/databases.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

const jitterscope::import::FuzzDatabase kDatabase{
    {{"rocpd_metadata", {"tag", "value"}},
     {"rocpd_string", {"id", "string"}},
     {"rocpd_api", {"id", "pid", "tid", "start", "end", "apiName_id", "args_id"}},
     {"rocpd_op", {"id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"}},
     {"rocpd_api_ops", {"api_id", "op_id"}},
     {"rocpd_kernelapi",
      {"api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize",
       "codeObject_id", "kernelName_id"}},
     {"rocpd_kernelop",
      {"op_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ", "groupSegmentSize",
       "codeObject_id", "kernelName_id"}},
     {"rocpd_copyapi", {"api_ptr_id", "size", "width", "height", "kind"}},
     {"rocpd_copyop", {"op_ptr_id", "size", "width", "height", "kind"}},
     {"rocpd_kernelcodeobject", {"id", "vgpr", "sgpr"}},
     {"rocpd_monitor", {"deviceType", "deviceId", "monitorType", "start", "end", "value"}}},
    {"KernelExecution", "CopyHostToDevice", "CopyDeviceToHost", "CopyDeviceToDevice", "Task", "FillBuffer",
     "hipLaunchKernel", "hipExtModuleLaunchKernel", "roctxRange", "UserMarker", "hipMemcpy", "schema_version",
     "2", "gpu", "sclk", "", "_Z3addPii.kd", "ncclDevKernel_AllReduce", "__amd_rocclr_copyBuffer"},
    1'000'000'000'000,
    jitterscope::import::rocm::recognises_rpd,
    jitterscope::import::rocm::read_rpd};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
