#pragma once

#include <QString>
#include <QStringList>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace jitterscope::app {

/// Inputs of `cut`, `filter` and their dialog, as typed.
struct ReduceTexts {
  std::string output;                      ///< ends in .jts, .prv, .json or .csv
  std::string range;                       ///< A:B
  std::string ranks, devices;              ///< lists such as 0-3,7
  std::string keep;                        ///< comma-separated kinds, or a condition on launches
  std::string where;                       ///< a condition on launches
  std::string kernels_above, bursts_above; ///< times such as 1ms
  bool clip = false, from_zero = false, software_counters = false, overwrite = false;
};

/// Options of the engine's operation "reduce". Errors: BadUse with the option as place.
Expected<nlohmann::json> reduce_options(const ReduceTexts& texts);

/// Whether the options leave anything out: a range, ranks, devices, kinds, a condition or a threshold.
bool leaves_out(const nlohmann::json& options);
/// Whether they drop rows of the range, ranks and devices: kinds, a condition or a threshold.
bool drops_rows(const nlohmann::json& options);

/// Summary lines of the result: sizes, rows and efficiencies before and after, and omitted content.
QStringList reduce_summary(const nlohmann::json& document);

} // namespace jitterscope::app
