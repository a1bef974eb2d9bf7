#include "core/store/tracks/event_rows.h"

namespace jitterscope::store {

EventRows::EventRows(const TraceData& data, EventTable table) {
  const auto& columns = *data.find(kEventTables[static_cast<int>(table)]);
  starts_ = &columns.get<std::int64_t>("start");
  durations_ = &columns.get<std::int64_t>("duration");
  switch (table) {
  case EventTable::Launches:
    numbers_ = &columns.get<std::uint32_t>("configuration");
    kernels_ = data.find("configurations")->get<std::uint32_t>("kernel");
    places_ = data.manifest.launch_order;
    break;
  case EventTable::Transfers:
    kinds_ = &columns.get<std::uint8_t>("kind");
    break;
  case EventTable::Calls:
  case EventTable::Ranges:
  case EventTable::Messages:
    numbers_ = &columns.get<std::uint32_t>("name");
    break;
  }
}

} // namespace jitterscope::store
