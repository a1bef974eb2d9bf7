#include "core/import/formats/rocm/database/databases.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

const std::vector<const char*> kCalls = {"BeginNs", "EndNs", "pid", "tid", "Name", "Index"};
const std::vector<const char*> kOperations = {"BeginNs",  "EndNs", "pid",  "dev-id",
                                              "queue-id", "Name",  "Index"};
const std::vector<const char*> kKernels = {"BeginNs", "EndNs", "pid", "gpu-id",    "queue-id", "KernelName",
                                           "grd",     "wgr",   "lds", "arch_vgpr", "Index",    "tid"};

const jitterscope::import::FuzzDatabase kDatabase{
    {{"HIP", kCalls},
     {"HSA", kCalls},
     {"KFD", kCalls},
     {"RCCL", kCalls},
     {"ROCTX", kCalls},
     {"OPS", kOperations},
     {"COPY", kOperations},
     {"KERN", kKernels},
     {"A", kKernels}},
    {"KernelExecution", "CopyHostToDevice", "CopyDeviceToHost", "async-copy", "hipLaunchKernel", "hipMemcpy",
     "k.kd", "_Z3addPii.kd", "ncclDevKernel_AllReduce", "__amd_rocclr_copyBuffer", "", "64", "256"},
    1'000'000'000'000,
    jitterscope::import::rocm::recognises_rocprof_db,
    jitterscope::import::rocm::read_rocprof_db};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
