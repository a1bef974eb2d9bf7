#pragma once

#include <QString>
#include <QStringList>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/engine/messages/export_options.h"

namespace jitterscope::app {

/// Inputs of `cut`, `filter` and their dialog, as typed.
struct ReduceTexts {
  std::string output;                      ///< ends in .jts, .prv, .json or .csv
  std::string range;                       ///< A:B
  std::string ranks, devices;              ///< lists such as 0-3,7
  std::string tracks;                      ///< regular expression on names of streams and threads
  std::string keep;                        ///< comma-separated kinds, or a condition on launches
  std::string where;                       ///< a condition on launches
  std::string kernels_above, bursts_above; ///< times such as 1ms
  bool clip = false, from_zero = false, software_counters = false, overwrite = false;
};

/// The request for a smaller trace. Errors: BadUse with the option as place.
Expected<engine::ReduceOptions> reduce_options(const ReduceTexts& texts);

/// Whether the options leave anything out: a range, ranks, devices, kinds, a condition or a threshold.
bool leaves_out(const engine::ReduceOptions& options);
/// Whether they drop rows of the range, ranks and devices: kinds, a condition or a threshold.
bool drops_rows(const engine::ReduceOptions& options);

/// Summary lines of the result: sizes, rows and efficiencies before and after, and omitted content.
QStringList reduce_summary(const nlohmann::json& document);

} // namespace jitterscope::app
