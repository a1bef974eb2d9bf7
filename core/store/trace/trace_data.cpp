#include "core/store/trace/trace_data.h"

#include <algorithm>
#include <array>

namespace jitterscope::store {

std::size_t size_of(const ColumnValues& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

const Column* Table::find(std::string_view column) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

StringId StringTable::intern(std::string_view text) {
  const auto [place, added] =
      index_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (added) texts_.emplace_back(text);
  return {place->second};
}

std::string_view to_string(TransferKind kind) {
  static constexpr std::array<std::string_view, kTransferKinds> kNames = {"unknown",
                                                                          "host-to-device",
                                                                          "device-to-host",
                                                                          "device-to-device",
                                                                          "host-to-host",
                                                                          "peer-to-peer",
                                                                          "memset",
                                                                          "migration-host-to-device",
                                                                          "migration-device-to-host",
                                                                          "migration-device-to-device"};
  const auto index = static_cast<std::size_t>(kind);
  return index < kNames.size() ? kNames[index] : kNames[0];
}

const Table* TraceData::find(std::string_view name) const {
  const auto found =
      std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

Table* TraceData::find(std::string_view name) {
  return const_cast<Table*>(std::as_const(*this).find(name));
}

} // namespace jitterscope::store
