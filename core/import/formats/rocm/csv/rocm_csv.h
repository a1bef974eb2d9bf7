#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::rocm {

/// Tables of comma-separated values of AMD's tools, known by their headers: counters of rocprof, Omniperf
/// and rocprof-compute (pmc_perf.csv and its passes), traces and counters of rocprofv3, accompanying files
/// (sysinfo.csv, roofline.csv, agent_info.csv), statistics. The tables of one folder are read together.
extern const Reader kCsvReader;

} // namespace jitterscope::import::rocm
