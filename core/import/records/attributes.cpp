#include "core/import/records/attributes.h"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "core/base/spill_vector.h"
#include "core/import/text/text.h"
#include "core/store/trace/trace_data.h"

namespace jitterscope::import {
namespace {

// Names that exist for every launch without any attribute: required columns, derived columns, context.
constexpr std::string_view kTaken[] = {"start",
                                       "duration",
                                       "end",
                                       "name",
                                       "short_name",
                                       "kernel",
                                       "configuration",
                                       "grid_x",
                                       "grid_y",
                                       "grid_z",
                                       "block_x",
                                       "block_y",
                                       "block_z",
                                       "blocks",
                                       "threads_per_block",
                                       "static_shared_memory",
                                       "dynamic_shared_memory",
                                       "registers",
                                       "stream",
                                       "device",
                                       "rank",
                                       "process",
                                       "trace",
                                       "range",
                                       "first_launch",
                                       "graph_launch",
                                       "kernel_variability",
                                       "relative_variability",
                                       "memory_stall",
                                       "call",
                                       "correlation",
                                       "flags",
                                       "variant",
                                       "row",
                                       "gap_ns",
                                       "queue_delay_ns",
                                       "concurrency",
                                       "overlap_host_to_device_ns",
                                       "overlap_device_to_host_ns",
                                       "overlap_device_to_device_ns",
                                       "overlap_peer_to_peer_ns",
                                       "overlap_memset_ns",
                                       "overlap_transfer_bytes",
                                       "migration_ns",
                                       "migration_bytes",
                                       "migration_count",
                                       "page_fault_count",
                                       "window_migration_ns",
                                       "linked_transfer_ns",
                                       "linked_transfer_count",
                                       "linked_kind",
                                       "copy_kind",
                                       "linked_overlapped_ns",
                                       "linked_exposed_ns",
                                       "burst_position",
                                       "call_site",
                                       "collective_wait_ns",
                                       "device_name",
                                       "excess_ns",
                                       "excess_clock_ns",
                                       "excess_copies_ns",
                                       "excess_migrations_ns",
                                       "excess_other_kernels_ns",
                                       "excess_place_ns",
                                       "excess_waiting_ns",
                                       "excess_first_launch_ns",
                                       "excess_other_ns",
                                       "excess_unexplained_ns",
                                       "different_work_ns",
                                       "and",
                                       "or",
                                       "not",
                                       "in"};

bool taken(std::string_view name) {
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

} // namespace

std::size_t Attributes::column(std::string_view title, std::string_view unit, std::string_view description,
                               bool text) {
  const auto key = std::pair(std::string(title), text ? std::string(store::kTextUnit) : std::string(unit));
  if (const auto known = by_title_.find(key); known != by_title_.end()) return known->second;
  Attribute attribute;
  attribute.unit = text ? std::string() : std::string(unit);
  attribute.description = clean_text(description.empty() ? title : description);
  attribute.text = text;
  auto base = slug(title);
  if (base.front() >= '0' && base.front() <= '9')
    base.insert(0, "column_"); // else it would be a number in the filter language
  const auto free = [&](const std::string& name) { return !taken(name) && !by_name_.contains(name); };
  attribute.name = taken(base) ? fmt::format("recorded_{}", base) : base;
  if (!free(attribute.name) && !key.second.empty())
    attribute.name = slug(fmt::format("{} {}", title, key.second));
  if (!free(attribute.name))
    for (int& number = next_number_.try_emplace(base, 2).first->second; !free(attribute.name); ++number)
      attribute.name = fmt::format("{}_{}", base, number);
  const auto row = all_.size();
  by_name_.emplace(attribute.name, row);
  by_title_.emplace(key, row);
  all_.push_back(std::move(attribute));
  return row;
}

std::size_t Attributes::number(std::string_view title, std::string_view unit, std::string_view description) {
  return column(title, unit, description, false);
}

std::size_t Attributes::text(std::string_view title, std::string_view description) {
  return column(title, {}, description, true);
}

void Attributes::append(std::size_t column, std::size_t launch, NarrowNumbers values) {
  auto& numbers = all_[column].numbers;
  if (numbers.accepts_pieces(launch)) return numbers.append(launch, std::move(values));
  SpillVector<double> wide(values.size());
  values.read(wide.data());
  append(column, launch, std::span<const double>(wide));
}

void Attributes::shrink(std::size_t launches) {
  for (auto& attribute : all_) {
    if (auto& numbers = attribute.numbers.values(); numbers.size() > launches) numbers.resize(launches);
    if (attribute.strings.size() > launches) attribute.strings.resize(launches);
  }
}

void Attributes::keep_columns(std::size_t columns) {
  const auto beyond = [columns](const auto& entry) { return entry.second >= columns; };
  std::erase_if(by_title_, beyond);
  std::erase_if(by_name_, beyond);
  all_.resize(columns);
}

} // namespace jitterscope::import
