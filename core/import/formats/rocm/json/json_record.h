#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/import/text/json/elements.h"
#include "core/import/text/json/values.h"

namespace jitterscope::import::rocm {

/// Hash of a member's path: "dispatch_info.agent_id.handle".
constexpr std::uint64_t path_number(std::string_view path, std::uint64_t number = 0xcbf29ce484222325ull) {
  for (const char c : path) number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return number;
}

/// One record of rocprofv3's JSON, flattened: scalars of the record and of the objects in it, as written.
/// Texts point into the chunk that it was parsed from.
class JsonRecord {
public:
  /// Fills the record, which is reused.
  simdjson::error_code parse(json::Elements::Value& value);

  /// Empty when the record has no such member.
  std::string_view written(std::uint64_t path) const;
  std::optional<std::int64_t> integer(std::uint64_t path) const { return json::integer(written(path)); }
  std::optional<std::uint64_t> handle(std::uint64_t path) const { return json::handle(written(path)); }

  /// "records" of a counter collection: handle of the counter, value.
  const std::vector<std::pair<std::string_view, std::string_view>>& counters() const { return counters_; }
  /// "operations" of a kind: their names in order.
  const std::vector<std::string_view>& names() const { return names_; }

private:
  simdjson::error_code add(json::Elements::Value& value, std::uint64_t path, int depth, std::string_view key);
  simdjson::error_code add_object(simdjson::ondemand::object& object, std::uint64_t path, int depth);
  simdjson::error_code add_counters(simdjson::ondemand::array& array);

  std::vector<std::pair<std::uint64_t, std::string_view>> fields_;
  std::vector<std::pair<std::string_view, std::string_view>> counters_;
  std::vector<std::string_view> names_;
};

} // namespace jitterscope::import::rocm
