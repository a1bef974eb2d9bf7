#include <fmt/format.h>

#include "core/causal/discovery/options.h"

namespace jitterscope::causal {

Expected<Reading> reading_from(const std::string& text) {
  for (const Reading r : {Reading::automatic, Reading::pooled, Reading::within, Reading::between})
    if (text == to_string(r)) return r;
  return failure(ErrorKind::BadUse, fmt::format("the reading \"{}\" is unknown", text), {}, {},
                 "A reading is automatic, pooled, within or between.");
}

Expected<Scale> scale_from(const std::string& text) {
  for (const Scale s : {Scale::automatic, Scale::raw, Scale::log1p, Scale::rank_normal})
    if (text == to_string(s)) return s;
  return failure(ErrorKind::BadUse, fmt::format("the column scale \"{}\" is unknown", text), {}, {},
                 "Use automatic, raw, log1p or rank-normal.");
}

std::string to_string(Reading reading) {
  switch (reading) {
  case Reading::automatic:
    return "automatic";
  case Reading::pooled:
    return "pooled";
  case Reading::within:
    return "within";
  case Reading::between:
    return "between";
  }
  return {};
}

std::string to_string(Scale scale) {
  switch (scale) {
  case Scale::automatic:
    return "automatic";
  case Scale::raw:
    return "raw";
  case Scale::log1p:
    return "log1p";
  case Scale::rank_normal:
    return "rank-normal";
  }
  return {};
}

} // namespace jitterscope::causal
