#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::rocm {

/// Tables of comma-separated values of AMD's tools, known by their headers: counters of rocprof, Omniperf
/// and rocprof-compute (pmc_perf.csv and its passes), traces and counters of rocprofv3, accompanying files
/// (sysinfo.csv, roofline.csv, agent_info.csv), statistics. The tables of one folder are read together.
bool recognises_csv(const Input& input);
Expected<void> read_csv(std::span<const Input> inputs, Draft& draft, store::Source& source,
                        const Progress& progress);
std::string group_of_csv(const Input& input);
std::vector<std::string> companions_of_csv(const Input& input);

inline constexpr Reader kCsvReader = {"ROCm profiler tables (CSV)", recognises_csv, read_csv, group_of_csv,
                                      companions_of_csv};

} // namespace jitterscope::import::rocm
