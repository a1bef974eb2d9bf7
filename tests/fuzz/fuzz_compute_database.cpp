#include "core/import/formats/rocm/database/databases.h"
#include "tests/fuzz/fuzz_database.h"

namespace {

const std::vector<const char*> kMetrics = {"metric_uuid", "name",       "metric_id",     "description",
                                           "unit",        "table_name", "sub_table_name"};
const std::vector<const char*> kValues = {"metric_uuid", "kernel_uuid", "value_name", "value"};

const jitterscope::import::FuzzDatabase kDatabase{
    {{"compute_metadata", {"compute_version", "version", "schema_version"}},
     {"compute_workload", {"workload_id", "name", "sub_name"}},
     {"compute_kernel", {"kernel_uuid", "workload_id", "kernel_name"}},
     {"compute_dispatch", {"kernel_uuid", "gpu_id", "start_timestamp", "end_timestamp", "pid"}},
     {"compute_metric_definition", kMetrics},
     {"compute_metric", kMetrics},
     {"compute_kernel_metric_value", kValues},
     {"compute_metric_value", kValues},
     {"compute_value", kValues}},
    {"vecCopy(double*) [clone .kd]", "Avg", "Mean", "Value", "Median", "2.1.16", "Percent", "Gb/s", "ns",
     "1.3.0", "", "Peak"},
    1'000'000'000'000,
    jitterscope::import::rocm::recognises_compute_db,
    jitterscope::import::rocm::read_compute_db};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return jitterscope::import::fuzz_database(kDatabase, bytes, size);
}
