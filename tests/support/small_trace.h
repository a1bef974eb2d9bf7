#pragma once

#include <string>
#include <vector>

#include "core/store/format/required_columns.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::test {

/// One launch of a hand-made trace.
struct LaunchRow {
  std::int64_t start = 0;
  std::int64_t duration = 0;
  std::uint32_t configuration = 0;
  std::uint32_t stream = 2;
};

struct TransferRow {
  std::int64_t start = 0;
  std::int64_t duration = 0;
  std::int64_t bytes = 0;
  store::TransferKind kind = store::TransferKind::HostToDevice;
  std::uint32_t stream = 2;
};

/// Every required table with every required column, all empty; a host, a process, a device and `streams`
/// streams (resources 3, 4, …).
inline store::TraceData empty_trace(int streams = 1) {
  store::TraceData data;
  for (const auto& required : store::required_columns()) {
    auto* table = data.find(required.table);
    if (!table) table = &data.add_table(std::string(required.table));
    const std::string name(required.column);
    switch (required.type) {
    case store::ElementType::Int64:
      table->add<std::int64_t>(name, "", "", {});
      break;
    case store::ElementType::UInt32:
      table->add<std::uint32_t>(name, "", "", {});
      break;
    case store::ElementType::UInt8:
      table->add<std::uint8_t>(name, "", "", {});
      break;
    case store::ElementType::Float32:
      table->add<float>(name, "", "", {});
      break;
    case store::ElementType::Float64:
    case store::ElementType::UInt16:
      table->add<double>(name, "", "", {});
      break;
    }
  }
  data.resources = {{store::ResourceKind::Host, kNone, kNone, 0, -1, "host"},
                    {store::ResourceKind::Process, 0, kNone, 100, 0, "program"},
                    {store::ResourceKind::Device, 1, 2, 0, -1, "GPU"}};
  for (int i = 0; i < streams; ++i)
    data.resources.push_back({store::ResourceKind::Stream, 2, kNone, 7 + i, -1, ""});
  return data;
}

template <class T>
SpillVector<T>& column(store::TraceData& data, std::string_view table, std::string_view name) {
  return std::get<SpillVector<T>>(const_cast<store::Column*>(data.find(table)->find(name))->values);
}

/// Adds a kernel with `configurations` configurations that differ in grid_x.
inline void add_kernel(store::TraceData& data, const std::string& name, int configurations) {
  const auto kernel = static_cast<std::uint32_t>(data.find("kernels")->rows());
  const auto text = data.strings.intern(name).value;
  column<std::uint32_t>(data, "kernels", "name").push_back(text);
  column<std::uint32_t>(data, "kernels", "short_name").push_back(text);
  for (int i = 0; i < configurations; ++i) {
    column<std::uint32_t>(data, "configurations", "kernel").push_back(kernel);
    for (const char* field : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                              "static_shared_memory", "dynamic_shared_memory", "registers"})
      column<std::uint32_t>(data, "configurations", field)
          .push_back(std::string_view(field) == "grid_x" ? static_cast<std::uint32_t>(i + 1) : 1);
    column<std::uint32_t>(data, "configurations", "variant").push_back(0);
  }
}

/// Rows must be in order of their starts; `stream` is the stream's resource number minus 1.
inline void add_launches(store::TraceData& data, const std::vector<LaunchRow>& rows) {
  for (const auto& row : rows) {
    column<std::int64_t>(data, "launches", "start").push_back(row.start);
    column<std::int64_t>(data, "launches", "duration").push_back(row.duration);
    column<std::uint32_t>(data, "launches", "configuration").push_back(row.configuration);
    column<std::uint32_t>(data, "launches", "stream").push_back(row.stream + 1);
    column<std::uint32_t>(data, "launches", "call").push_back(kNone);
    column<std::uint32_t>(data, "launches", "range").push_back(kNone);
    column<std::uint32_t>(data, "launches", "correlation").push_back(0);
    column<std::uint8_t>(data, "launches", "flags").push_back(0);
  }
}

inline void add_transfers(store::TraceData& data, const std::vector<TransferRow>& rows) {
  for (const auto& row : rows) {
    column<std::int64_t>(data, "transfers", "start").push_back(row.start);
    column<std::int64_t>(data, "transfers", "duration").push_back(row.duration);
    column<std::int64_t>(data, "transfers", "bytes").push_back(row.bytes);
    column<std::uint8_t>(data, "transfers", "kind").push_back(static_cast<std::uint8_t>(row.kind));
    column<std::uint8_t>(data, "transfers", "migration_cause").push_back(0);
    column<std::uint32_t>(data, "transfers", "stream").push_back(row.stream + 1);
    column<std::uint32_t>(data, "transfers", "call").push_back(kNone);
    column<std::uint32_t>(data, "transfers", "correlation").push_back(0);
  }
}

} // namespace jitterscope::test
