#pragma once

#include "core/import/formats/rocm/csv/csv_group.h"

namespace jitterscope::import::rocm {

/// Read the hardware description in sysinfo.csv, roofline.csv and agent_info.csv. Commands, paths and names
/// of users and hosts in them are not imported.
Expected<void> read_system_info(CsvGroup& group, const Input& input);
Expected<void> read_roofline(CsvGroup& group, const Input& input);
Expected<void> read_agents(CsvGroup& group, const Input& input);

} // namespace jitterscope::import::rocm
