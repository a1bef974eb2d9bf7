#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <simdjson.h>

#include "core/import/formats/kernel_tuner/observations.h"

namespace jitterscope::import::kernel_tuner {

/// One tuning parameter of a configuration.
struct Parameter {
  std::string name;
  std::variant<double, std::string> value;
};

/// Properties that a file states for all of its entries.
struct Stated {
  std::vector<std::string>
      parameters; ///< names in the order of the file; empty when the file does not list them
  std::int64_t time_ns = 1'000'000; ///< the unit of times without a unit, in ns
};

/// One configuration of a cache.
struct Entry {
  std::string kernel;                           ///< name of the kernel; stated only in KTT's results
  std::array<std::uint32_t, 3> grid{}, block{}; ///< stated only in KTT's results; 0 if unknown
  std::vector<Parameter> parameters;
  std::vector<std::optional<std::int64_t>> times; ///< by repetition [ns], empty where the value is not a time
  std::vector<Observation> observations;
  std::vector<std::string> derived, unread; ///< names of results that are left out
  std::string failure; ///< why the times are invalid, in the words of the file; empty when they are valid
};

/// Code of the report for a failure: one of a fixed list, "failed-configuration-other" for unknown words.
std::string_view failure_code(std::string_view failure);

/// Parses entries; one parser is shared by all of them.
class EntryParser {
public:
  /// Without names of parameters every scalar that is not a known result is a parameter. False when the text
  /// is not a JSON object.
  bool parse(std::string_view text, const Stated& stated, Entry& entry);

private:
  bool parse_cache(simdjson::dom::object object, const Stated& stated, Entry& entry);
  bool parse_t4(simdjson::dom::object object, simdjson::dom::object configuration, const Stated& stated,
                Entry& entry);
  static bool parse_ktt(simdjson::dom::object object, simdjson::dom::array configuration,
                        const Stated& stated, Entry& entry);

  static void add_observation(std::string_view name, std::string_view unit, simdjson::dom::element value,
                              Entry& entry);

  simdjson::dom::parser parser_;
  std::string scratch_;
};

} // namespace jitterscope::import::kernel_tuner
