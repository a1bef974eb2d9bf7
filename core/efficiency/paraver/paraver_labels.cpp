#include "core/efficiency/paraver/paraver_labels.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "core/paraver/event_types.h"
#include "core/paraver/extrae_names.h"

namespace jitterscope::efficiency {
namespace {

constexpr std::pair<std::int64_t, const char*> kParameters[] = {
    {prv::kGridX, "Kernel grid X"},
    {prv::kGridX + 1, "Kernel grid Y"},
    {prv::kGridX + 2, "Kernel grid Z"},
    {prv::kGridX + 3, "Kernel block X"},
    {prv::kGridX + 4, "Kernel block Y"},
    {prv::kBlockZ, "Kernel block Z"},
    {prv::kStaticSharedMemory, "Static shared memory"},
    {prv::kDynamicSharedMemory, "Dynamic shared memory"},
    {prv::kLocalMemory, "Local memory per thread"},
    {prv::kRegisters, "Registers per thread"},
    {prv::kCorrelation, "Correlation ID"},
    {prv::kCopyBytes, "Memory operation size in bytes"},
    {prv::kMpiBytes, "MPI size in bytes"}};

std::string label_of_own(std::int64_t type) {
  using namespace prv;
  switch (type) {
  case kKernel:
    return "CUDA kernel";
  case kCollective:
    return "NCCL kernel";
  case kCopy:
    return "CUDA memcpy kernel";
  case kCall:
    return "CUDA API call";
  case kMpiPointToPoint:
    return "MPI Point-to-point";
  case kMpiCollective:
    return "MPI Collective Comm";
  case kMpiOther:
    return "MPI Other";
  case kMpiOneSided:
    return "MPI One-sided";
  case kMpiIo:
    return "MPI I/O";
  case kUserFunction:
    return std::string(kUserFunctionLabel);
  default:
    if (type >= kNestedCall && type < kNestedCall + 100) return "CUDA API call, nested";
    return type == kRange ? "NVTX pushed ranges" : fmt::format("NVTX pushed ranges, depth {}", type - kRange);
  }
}

/// The name without line breaks, which would end the line.
std::string in_one_line(std::string_view name) {
  std::string text(name.empty() ? std::string_view("(no name)") : name);
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

} // namespace

ParaverLabels::ParaverLabels(store::ParaverNumbers numbers) : numbers_(std::move(numbers)) {
  for (const auto& [number, name] : numbers_.states) states_.emplace(name, number);
  for (const auto& [type, label] : numbers_.range_types)
    if (const auto [place, added] = range_types_.emplace(label, type); !added) place->second = 0;
}

std::int64_t ParaverLabels::value(std::int64_t type, std::string_view name) {
  auto& [numbers, own] = types_[type];
  if (const auto found = numbers.find(name); found != numbers.end()) return found->second;
  const bool mpi = prv::is_within(type, prv::kMpiPointToPoint, prv::kMpiIo);
  const auto standard = mpi ? prv::value_of_mpi_call(name) : std::nullopt;
  const auto first_own = mpi ? std::ssize(prv::mpi_calls()) : 1;
  const auto value = standard ? *standard : first_own + own++;
  return numbers.emplace(std::string(name), value).first->second;
}

std::int64_t ParaverLabels::state(std::string_view name) {
  constexpr std::int64_t kFirstOwn = 100;
  if (const auto found = states_.find(name); found != states_.end()) return found->second;
  auto number = kFirstOwn;
  while (std::ranges::any_of(states_, [&](const auto& state) { return state.second == number; })) ++number;
  const auto known = prv::state_names();
  for (std::size_t s = 0; s < known.size(); ++s)
    if (name == known[s] && !numbers_.states.contains(static_cast<std::int64_t>(s)))
      number = static_cast<std::int64_t>(s);
  return states_.emplace(std::string(name), number).first->second;
}

std::optional<std::int64_t> ParaverLabels::range_type(std::string_view domain) const {
  const auto found = range_types_.find(domain);
  return found == range_types_.end() || found->second == 0 ? std::nullopt : std::optional(found->second);
}

std::string ParaverLabels::label_of(std::int64_t type) const {
  const auto found = numbers_.range_types.find(type);
  return found == numbers_.range_types.end() ? label_of_own(type) : in_one_line(found->second);
}

std::int64_t ParaverLabels::counter(std::string_view name, std::int64_t type) {
  if (const auto found = counters_.find(name); found != counters_.end()) return found->second;
  const auto is_free = [&](std::int64_t number) { return !counter_types_.contains(number); };
  while (prv::is_within(type, prv::kGpuMetric, prv::kLastGpuMetric) && !is_free(type)) ++type;
  if (!prv::is_counter(type) || !is_free(type))
    type = name.starts_with("PAPI_TOT_INS")   ? prv::kInstructions
           : name.starts_with("PAPI_TOT_CYC") ? prv::kCycles
                                              : prv::kOtherCounter;
  if (type == prv::kOtherCounter || !is_free(type))
    for (type = prv::kOtherCounter; !is_free(type);) ++type;
  counter_types_.insert(type);
  return counters_.emplace(std::string(name), type).first->second;
}

std::string ParaverLabels::text() const {
  std::string text = "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK  "
                     "         100\nSPEED               1\n"
                     "FLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
                     "DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n";
  const auto known = prv::state_names();
  std::map<std::int64_t, std::string> states = numbers_.states;
  for (const auto& [name, number] : states_) states.emplace(number, name);
  for (std::size_t s = 0; s < known.size(); ++s) states.emplace(static_cast<std::int64_t>(s), known[s]);
  for (const auto& [number, name] : states) text += fmt::format("{}    {}\n", number, in_one_line(name));
  for (const auto& [type, values] : types_) {
    text += fmt::format("\n\nEVENT_TYPE\n0    {}    {}\nVALUES\n0      End\n", type, label_of(type));
    std::map<std::int64_t, std::string_view> names;
    for (const auto& [name, number] : values.numbers) names.emplace(number, name);
    for (const auto& [number, name] : names) text += fmt::format("{}      {}\n", number, in_one_line(name));
  }
  text += "\n\nEVENT_TYPE\n";
  for (const auto& [type, label] : kParameters) text += fmt::format("0    {}    {}\n", type, label);
  for (const auto& [name, type] : counters_) text += fmt::format("7    {}    {}\n", type, in_one_line(name));
  return text;
}

} // namespace jitterscope::efficiency
