#pragma once

#include <QString>
#include <QStringList>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace jitterscope::app {

/// What `cut`, `filter` and their dialog ask for, as it is typed.
struct ReduceTexts {
  std::string output;                      ///< .jts or .prv
  std::string range;                       ///< A:B
  std::string ranks, devices;              ///< lists such as 0-3,7
  std::string keep;                        ///< kinds with commas between, or a condition on launches
  std::string where;                       ///< a condition on launches
  std::string kernels_above, bursts_above; ///< times such as 1ms
  bool clip = false, from_zero = false, software_counters = false, overwrite = false;
};

/// The options of the engine's operation "reduce". Errors: BadUse with the option as place.
Expected<nlohmann::json> reduce_options(const ReduceTexts& texts);

/// What came of it, line by line: sizes, rows and efficiencies before and after, what was left out.
QStringList reduce_summary(const nlohmann::json& document);

} // namespace jitterscope::app
