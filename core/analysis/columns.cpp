#include "core/analysis/columns.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace jitterscope::analysis {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
using enum ColumnKind;

const std::vector<LaunchColumn>& derived_columns() {
  static const std::vector<LaunchColumn> kList = {
      {"start", "ns", "start of the launch on the session's axis", Number, 0},
      {"duration", "ns", "end minus start", Number, 4},
      {"end", "ns", "end of the launch on the session's axis", Number, 4},
      {"name", "", "kernel, full signature", Text, 1},
      {"short_name", "", "kernel without template arguments and parameters", Text, 1},
      {"kernel", "", "number of the kernel in this session", Category, 1},
      {"configuration", "", "number of (kernel, grid, block, shared memory, registers) in this session",
       Category, 1},
      {"grid_x", "", "blocks in x", Number, 1},
      {"grid_y", "", "blocks in y", Number, 1},
      {"grid_z", "", "blocks in z", Number, 1},
      {"block_x", "", "threads of a block in x", Number, 1},
      {"block_y", "", "threads of a block in y", Number, 1},
      {"block_z", "", "threads of a block in z", Number, 1},
      {"blocks", "", "blocks in all: product of the grid", Number, 1},
      {"threads_per_block", "", "product of the block", Number, 1},
      {"static_shared_memory", "B", "shared memory of a block fixed at compile time", Number, 1},
      {"dynamic_shared_memory", "B", "shared memory of a block asked for at launch", Number, 1},
      {"registers", "", "registers per thread", Number, 1},
      {"stream", "", "stream number inside its process and device", Category, 0},
      {"device", "", "device number", Category, 0},
      {"rank", "", "rank of the process", Category, 0},
      {"process", "", "process id", Category, 0},
      {"trace", "", "number of the trace in the session", Category, 0},
      {"range", "", "innermost named range around the launch call", Text, 0},
      {"first_launch", "", "1 for the first launch of its configuration on its device", Number, 2},
      {"graph_launch", "", "1 when part of a graph", Number, 1},
      {"kernel_variability", "ns",
       "|duration - mean duration of its configuration|; missing when the configuration ran once", Number, 5},
      {"relative_variability", "", "kernel_variability divided by the mean duration of the configuration",
       Number, 5},
      {"memory_stall", "ns",
       "|duration - length of the union of linked transfers|; missing without linked transfers", Number, 5}};
  return kList;
}

// Columns of the table that are not shown under their own name: rows of other tables, bits.
bool internal(std::string_view name) {
  static constexpr std::string_view kInternal[] = {"start", "duration", "configuration", "stream",
                                                   "call",  "range",    "correlation",   "flags"};
  return std::find(std::begin(kInternal), std::end(kInternal), name) != std::end(kInternal);
}

} // namespace

LaunchColumns::LaunchColumns(const Session& session) : session_(&session), list_(derived_columns()) {
  derived_ = list_.size();
  std::map<std::string, std::uint32_t> range_index;
  for (const auto& trace : session.traces()) {
    const auto& store = trace.store;
    for (const auto& column : store.table("launches").columns)
      if (!internal(column.name) && !find(column.name))
        list_.push_back({column.name, column.unit, column.description, Number, 2});
    const auto& resources = store.resources();
    std::vector<StreamFacts> facts(resources.size(), {kMissing, kMissing, kMissing, kMissing});
    for (std::size_t r = 0; r < resources.size(); ++r) {
      for (std::uint32_t at = static_cast<std::uint32_t>(r); at != kNone; at = resources[at].parent) {
        const auto number = static_cast<double>(resources[at].number);
        if (resources[at].kind == store::ResourceKind::Stream) facts[r].stream = number;
        if (resources[at].kind == store::ResourceKind::Device)
          facts[r].device = static_cast<double>(resources[resources[at].physical].number);
        if (resources[at].kind == store::ResourceKind::Process) {
          facts[r].process = number;
          facts[r].rank = resources[at].rank >= 0 ? resources[at].rank : kMissing;
        }
      }
    }
    facts_.push_back(std::move(facts));
    std::vector<std::uint32_t> of_string(store.strings(), kNone);
    for (const auto name : store.column<std::uint32_t>("ranges", "name")) {
      if (of_string[name] != kNone) continue;
      const auto [place, added] = range_index.emplace(std::string(store.string({name})),
                                                      static_cast<std::uint32_t>(range_names_.size()));
      if (added) range_names_.push_back(place->first);
      of_string[name] = place->second;
    }
    range_of_string_.push_back(std::move(of_string));
  }
}

const LaunchColumn* LaunchColumns::find(std::string_view name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const LaunchColumn& c) { return c.name == name; });
  return found == list_.end() ? nullptr : &*found;
}

std::vector<double> LaunchColumns::read(std::string_view name, const Segment& segment) const {
  std::vector<double> out(static_cast<std::size_t>(segment.rows()), kMissing);
  const auto* column = find(name);
  if (!column) return out;
  if (static_cast<std::size_t>(column - list_.data()) < derived_) {
    read_derived(name, segment, out);
    return out;
  }
  const auto* stored = session_->traces()[segment.trace].store.table("launches").find(name);
  if (!stored) return out; // another trace of the session has it, this one does not
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = stored->at(static_cast<std::size_t>(segment.first) + i);
  return out;
}

void LaunchColumns::read_derived(std::string_view name, const Segment& segment,
                                 std::vector<double>& out) const {
  const Trace& trace = session_->traces()[segment.trace];
  const auto& store = trace.store;
  const auto starts = trace.starts(), durations = trace.durations();
  const auto local = trace.configurations();
  const auto streams = store.column<std::uint32_t>("launches", "stream");
  const auto flags = store.column<std::uint8_t>("launches", "flags");
  const auto& facts = facts_[segment.trace];
  const auto& configurations = session_->configurations();
  const auto first = static_cast<std::size_t>(segment.first);
  const auto fill = [&](auto&& value) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(value(first + i));
  };
  const auto configuration = [&](std::size_t row) -> const Configuration& {
    return configurations[trace.configuration[local[row]]];
  };
  const auto deviation = [&](std::size_t row) {
    const auto& c = configuration(row);
    return c.launches > 1 ? std::abs(static_cast<double>(durations[row]) - c.mean_ns()) : kMissing;
  };
  if (name == "start") return fill([&](std::size_t r) { return starts[r] + trace.shift_ns; });
  if (name == "duration") return fill([&](std::size_t r) { return durations[r]; });
  if (name == "end") return fill([&](std::size_t r) { return starts[r] + durations[r] + trace.shift_ns; });
  if (name == "kernel" || name == "name" || name == "short_name")
    return fill([&](std::size_t r) { return configuration(r).kernel; });
  if (name == "configuration") return fill([&](std::size_t r) { return trace.configuration[local[r]]; });
  if (name == "grid_x") return fill([&](std::size_t r) { return configuration(r).grid[0]; });
  if (name == "grid_y") return fill([&](std::size_t r) { return configuration(r).grid[1]; });
  if (name == "grid_z") return fill([&](std::size_t r) { return configuration(r).grid[2]; });
  if (name == "block_x") return fill([&](std::size_t r) { return configuration(r).block[0]; });
  if (name == "block_y") return fill([&](std::size_t r) { return configuration(r).block[1]; });
  if (name == "block_z") return fill([&](std::size_t r) { return configuration(r).block[2]; });
  const auto product = [](const std::uint32_t(&sides)[3]) {
    return static_cast<double>(sides[0]) * sides[1] * sides[2];
  };
  if (name == "blocks") return fill([&](std::size_t r) { return product(configuration(r).grid); });
  if (name == "threads_per_block")
    return fill([&](std::size_t r) { return product(configuration(r).block); });
  if (name == "static_shared_memory")
    return fill([&](std::size_t r) { return configuration(r).static_shared_memory; });
  if (name == "dynamic_shared_memory")
    return fill([&](std::size_t r) { return configuration(r).dynamic_shared_memory; });
  if (name == "registers") return fill([&](std::size_t r) { return configuration(r).registers; });
  if (name == "stream") return fill([&](std::size_t r) { return facts[streams[r]].stream; });
  if (name == "device") return fill([&](std::size_t r) { return facts[streams[r]].device; });
  if (name == "rank") return fill([&](std::size_t r) { return facts[streams[r]].rank; });
  if (name == "process") return fill([&](std::size_t r) { return facts[streams[r]].process; });
  if (name == "trace") return fill([&](std::size_t) { return segment.trace; });
  if (name == "first_launch")
    return fill([&](std::size_t r) { return (flags[r] & store::kLaunchFirst) != 0; });
  if (name == "graph_launch")
    return fill([&](std::size_t r) { return (flags[r] & store::kLaunchGraph) != 0; });
  if (name == "kernel_variability") return fill(deviation);
  if (name == "relative_variability")
    return fill([&](std::size_t r) { return deviation(r) / configuration(r).mean_ns(); });
  if (name == "range") {
    const auto ranges = store.column<std::uint32_t>("launches", "range");
    const auto names = store.column<std::uint32_t>("ranges", "name");
    return fill([&](std::size_t r) {
      return ranges[r] == kNone ? kMissing : range_of_string_[segment.trace][names[ranges[r]]];
    });
  }
  if (name == "memory_stall") {
    const auto* linked = store.table("launches").find("linked_transfer_ns");
    const auto* count = store.table("launches").find("linked_transfer_count");
    if (!linked || !count) return;
    return fill([&](std::size_t r) {
      return count->at(r) > 0 ? std::abs(static_cast<double>(durations[r]) - linked->at(r)) : kMissing;
    });
  }
}

std::vector<std::string> LaunchColumns::texts(std::string_view name) const {
  if (name == "range") return range_names_;
  std::vector<std::string> out;
  if (name == "name" || name == "short_name")
    for (const auto& kernel : session_->kernels())
      out.push_back(name == "name" ? kernel.name : kernel.short_name);
  return out;
}

std::string LaunchColumns::text(std::string_view name, double value) const {
  if (!(value >= 0)) return {};
  const auto index = static_cast<std::size_t>(value);
  if (name == "range") return index < range_names_.size() ? range_names_[index] : std::string();
  if (index >= session_->kernels().size()) return {};
  return name == "name" ? session_->kernels()[index].name : session_->kernels()[index].short_name;
}

} // namespace jitterscope::analysis
