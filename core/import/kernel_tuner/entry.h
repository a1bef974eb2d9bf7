#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <simdjson.h>

#include "core/import/kernel_tuner/observations.h"

namespace jitterscope::import::kernel_tuner {

/// One tuning parameter of a configuration.
struct Parameter {
  std::string name;
  std::variant<double, std::string> value;
};

/// What a cache says of one configuration.
struct Entry {
  std::vector<Parameter> parameters;
  std::vector<std::optional<std::int64_t>> times; ///< ns by repetition, nothing where it is no time
  std::vector<Observation> observations;
  std::vector<std::string> derived, unread;       ///< names of results that are left out
  std::string failure;                            ///< why there are no times, empty when there are
};

/// Parses entries; one parser for all of them.
class EntryParser {
public:
  /// `names` are those of the parameters; with none, every scalar that is no known result is one. False when
  /// the text is no JSON object.
  bool parse(std::string_view text, const std::vector<std::string>& names, Entry& entry);

private:
  bool parse_cache(simdjson::dom::object object, const std::vector<std::string>& names, Entry& entry);
  bool parse_t4(simdjson::dom::object object, simdjson::dom::object configuration, Entry& entry);

  static void add_observation(std::string_view name, std::string_view unit, simdjson::dom::element value,
                              Entry& entry);

  simdjson::dom::parser parser_;
  std::string scratch_;
};

} // namespace jitterscope::import::kernel_tuner
