#pragma once

#include "core/import/formats/rocm/csv/csv_group.h"

namespace jitterscope::import::rocm {

/// sysinfo.csv, roofline.csv and agent_info.csv: what they say of the hardware. Commands, paths and names of
/// users and hosts in them are not taken.
Expected<void> read_system_info(CsvGroup& group, const Input& input);
Expected<void> read_roofline(CsvGroup& group, const Input& input);
Expected<void> read_agents(CsvGroup& group, const Input& input);

} // namespace jitterscope::import::rocm
