#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/efficiency/counters.h"
#include "core/efficiency/efficiency.h"

namespace jitterscope::efficiency {

/// A monitoring region of TALP (DLB), as in its JSON output. Times in ns, summed over CPUs or GPUs; 0 if the
/// version of DLB that wrote the file does not measure it.
struct TalpRegion {
  std::string name;
  std::int64_t cpus = 0, ranks = 0, nodes = 0, gpus = 0;
  std::int64_t instructions = 0,
               cycles = 0; ///< counts in useful time; 0: unknown, or a counter has overflowed
  std::int64_t elapsed = 0, useful = 0, mpi = 0;
  std::int64_t openmp = 0;      ///< load imbalance, scheduling and serialisation of OpenMP
  std::int64_t gpu_runtime = 0; ///< host time in calls of a GPU's runtime
  std::int64_t gpu_useful = 0, gpu_communication = 0, max_gpu_useful = 0, max_gpu_active = 0;
  std::optional<double> min_mpi_of_process; ///< minimum over processes of MPI time per CPU; from DLB 3.6 on
  std::map<std::string, double> stated;     ///< rounded efficiencies in the file, by its keys
};

struct TalpFile {
  std::string version;   ///< version of DLB
  std::string timestamp; ///< as written; empty if missing
  std::vector<TalpRegion> regions;
  /// The region of this name; without a name "Global", "Application" (older versions), else the first.
  Expected<const TalpRegion*> region(const std::string& name) const;
};

/// Whether a text is a TALP file or its beginning: a JSON object with a version of DLB.
bool looks_like_talp(std::string_view text);
/// Reads TALP's JSON of DLB 3.5 and later. `file` is named in errors. Errors: BadInput, with the place
/// of invalid JSON, a missing key or a wrong type; also for files of DLB before 3.5.
Expected<TalpFile> read_talp(const std::string& text, const std::string& file);

/// The factors of a region under the keys of to_json(Factors), computed from its times by the formulas of
/// DLB's second hybrid model. If the times do not determine a factor, it is the rounded efficiency of the
/// file, null without one.
nlohmann::json talp_factors(const TalpRegion& region);
/// The region as the sums of a reference run (sums_json), without kernels. TALP counts collectives as useful;
/// without GPUs there are none, so that `collectives_as` ("comm" or "useful") gives the same numbers.
nlohmann::json talp_sums(const TalpRegion& region, const std::string& collectives_as);

/// {talp: {file, version, timestamp, region}, factors: [{factor, parent, here, talp, difference}]}: the
/// factors of an answer of the efficiency operation next to those of a region, in the order of Factor; parent
/// is null for roots; difference = here − talp, null if one is unknown.
nlohmann::json compare_with_talp(const nlohmann::json& document, const TalpFile& file,
                                 const TalpRegion& region, const std::string& path);

/// Data of the TALP file that the result does not contain.
struct TalpFacts {
  std::string region = "Global";
  std::string version; ///< version of Jitterscope
  std::int64_t mpi_calls = 0;
  std::int64_t begin_utc_ns = -1; ///< start of the range; -1 unknown: the file then has no timestamp
};
/// TALP's JSON of a result in which collectives count as useful, in the layout of DLB 3.6. Host threads are
/// its CPUs. Time that is neither useful, MPI nor in a GPU's runtime ("other") is time of an inactive CPU and
/// reduces avgCpus. Maxima over devices are values of single devices. Efficiencies are exact, not rounded.
nlohmann::json talp_json(const Activity& activity, const analysis::Session& session, const Result& result,
                         const UsefulCounters& counters, const TalpFacts& facts);

/// Number of MPI calls of the hosts of a result that begin in its range.
std::int64_t mpi_calls_in(const Activity& activity, const Result& result);

} // namespace jitterscope::efficiency
