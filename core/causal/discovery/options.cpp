#include "core/causal/discovery/options.h"

#include <fmt/format.h>

#include "core/causal/base/value_names.h"

namespace jitterscope::causal {
namespace {

constexpr ValueName<Reading> kReadingNames[] = {{Reading::automatic, "automatic"},
                                                {Reading::pooled, "pooled"},
                                                {Reading::within, "within"},
                                                {Reading::between, "between"}};
constexpr ValueName<Scale> kScaleNames[] = {{Scale::automatic, "automatic"},
                                            {Scale::raw, "raw"},
                                            {Scale::log1p, "log1p"},
                                            {Scale::rank_normal, "rank-normal"}};

} // namespace

Expected<Reading> reading_from(const std::string& text) {
  if (const auto reading = value_in(kReadingNames, text)) return *reading;
  return failure(ErrorKind::BadUse, fmt::format("the reading \"{}\" is unknown", text), {}, {},
                 "A reading is automatic, pooled, within or between.");
}

Expected<Scale> scale_from(const std::string& text) {
  if (const auto scale = value_in(kScaleNames, text)) return *scale;
  return failure(ErrorKind::BadUse, fmt::format("the column scale \"{}\" is unknown", text), {}, {},
                 "Use automatic, raw, log1p or rank-normal.");
}

std::string to_string(Reading reading) {
  return name_in(kReadingNames, reading);
}

std::string to_string(Scale scale) {
  return name_in(kScaleNames, scale);
}

} // namespace jitterscope::causal
