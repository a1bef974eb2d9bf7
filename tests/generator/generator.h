#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::generator {

/// Causes of variation, in addition to noise that is independent of all recorded columns.
enum class Cause : std::uint8_t {
  Configuration, ///< the larger the grid of one kernel, the wider its durations spread
  Copy,          ///< host-to-device copies slow memory-bound kernels that they overlap
  Migration,     ///< page-fault migrations of unified memory stall all running kernels
  Clock,         ///< the SM clock drops for a while, so all kernels are slower
  Stream,        ///< launches of one stream are sometimes much slower
  Warmup         ///< the first launch of each configuration loads its code
};
inline constexpr int kCauses = 6;
std::string_view to_string(Cause cause);
std::optional<Cause> cause_from(std::string_view text);
std::vector<Cause> all_causes();

/// Layouts of the database: that of 2026 ("3.25.0"), 2023 ("3.0.0": samples as JSON in GENERIC_EVENTS,
/// versions in EXPORT_META_DATA) and 2021 ("none": no versions, no absolute time, no samples).
enum class Schema : std::uint8_t { V3_25_0, V3_0_0, None };
std::optional<Schema> schema_from(std::string_view text);

struct Options {
  std::int64_t launches = 100'000; ///< number of launches on all devices together
  int kernels = 8;                 ///< kernels, each with four grids, 1 … 1000
  int streams = 4;                 ///< streams per device, 1 … 64
  int devices = 1;                 ///< devices, each with a process of its own, 1 … 64
  std::uint64_t seed = 1;
  std::vector<Cause> causes; ///< planted causes; empty: noise only
  Schema schema = Schema::V3_25_0;
  /// Copies that overlap launches without slowing them, in traces where copies are not the cause. Launches
  /// that are long for another reason overlap more of them: an analysis must not take the consequence for the
  /// cause.
  bool harmless_copies = false;
  /// Causes except warm-up act in turns of this length, in the order of `causes`; in one more turn none acts.
  /// 0: all act all the time.
  std::int64_t turn_ns = 0;
};

/// The planted causes, measured on the trace itself. Variability is |duration − mean of the configuration|.
struct PlantedCause {
  Cause cause = Cause::Configuration;
  std::vector<std::string> features;  ///< columns of launches that show the cause
  std::vector<std::string> kernels;   ///< short names of the kernels that the cause can affect, empty: all
  std::int64_t affected_launches = 0; ///< number of launches with a changed duration
  std::int64_t added_ns = 0;          ///< sum of the changes' absolute values
  double share_of_variability = 0.0;  ///< share of the summed variability that vanishes without the cause
  double attributable_share = 0.0;    ///< the same share of |duration − median of the configuration|, as
                                      ///< reported by `jitterscope causal`
};

struct Truth {
  std::int64_t launches = 0, copies = 0, memsets = 0, migrations = 0, calls = 0, ranges = 0, samples = 0;
  std::int64_t copied_bytes = 0; ///< bytes of copies and migrations
  std::int64_t duration_sum_ns = 0, variability_sum_ns = 0;
  std::vector<PlantedCause> causes;
};

/// Writes a trace as an export of Nsight Systems to `path`, replacing an existing file. With `truth_path`,
/// the planted causes as JSON. With `parts_path`, a table of all launches: start, device, stream,
/// configuration, duration, and a column per cause with its part of the duration, in ns. The same options
/// give the same content on every platform. Errors: BadUse for options out of range, Io when a file cannot be
/// written.
Expected<Truth> generate(const Options& options, const std::string& path, const std::string& truth_path,
                         const std::string& parts_path = {});

/// "trace.sqlite" → "trace.truth.json".
std::string truth_path_for(const std::string& path);

} // namespace jitterscope::generator
