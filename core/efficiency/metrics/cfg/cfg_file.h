#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace jitterscope::efficiency::metrics {

/// A function of Paraver with its parameters, each a list of numbers.
struct CfgFunction {
  std::string name; ///< as in the file: "Last Evt Val"
  std::vector<std::vector<double>> parameters;
};

/// A window as defined in a .cfg. Levels and functions have the names of the file: thread, task, appl …,
/// compose_thread …, topcompose1, topcompose2, evt_type, evt_value.
struct CfgWindow {
  int line = 0; ///< first line of its definition, from 1
  std::int64_t id = 0;
  std::string name, level = "thread", units = "Nanoseconds";
  bool composed = false, open = true, all_objects = true;
  std::string operation;             ///< composed windows: the operation, "product"
  std::vector<std::int64_t> windows; ///< derived windows: ids of the two windows that are combined
  std::vector<double> factors;       ///< derived windows: factors of the two windows
  bool shifted = false;              ///< derived windows: one of the windows is shifted in time
  std::map<std::string, CfgFunction> functions;
  std::vector<std::int64_t> types, values; ///< types and values of the event filter
  std::vector<std::string> labels;         ///< labels of the types, if the file has them
};

struct CfgFile {
  std::vector<CfgWindow> windows;
  int histograms = 0;
};

inline constexpr std::size_t kMaxCfg = 4'000'000; ///< maximum bytes of a file
inline constexpr std::size_t kMaxWindows = 1'000;

/// Reads a .cfg of Paraver; lines about the appearance of windows are skipped. Errors: BadInput with the
/// line. Safe for arbitrary bytes.
Expected<CfgFile> read_cfg(std::string_view text);

} // namespace jitterscope::efficiency::metrics
