#include "core/import/formats/tau/message_sizes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "core/import/formats/tau/function_name.h"
#include "core/import/text/csv/number.h"

namespace jitterscope::import::tau {
namespace {

constexpr std::string_view kSent = "Message size sent to all nodes",
                           kReceived = "Message size received from all nodes",
                           kSentTo = "Message size sent to node ", kGather = "Message size for gather",
                           kAllReduce = "Message size for all-reduce";

/// Operations with sizes in one event, in lower case without "mpi_" and without the "i" of non-blocking ones.
struct Family {
  std::string_view event;
  std::array<std::string_view, 10> operations{};
};
constexpr Family kFamilies[] = {
    {"Message size for broadcast", {"bcast"}},
    {"Message size for reduce", {"reduce"}},
    {kAllReduce, {"allreduce"}},
    {"Message size for reduce-scatter", {"reduce_scatter", "reduce_scatter_block"}},
    {"Message size for scan", {"scan", "exscan"}},
    {"Message size for all-to-all", {"alltoall", "alltoallv", "alltoallw"}},
    {"Message size for scatter", {"scatter", "scatterv"}},
    {kGather, {"gather", "gatherv"}},
    {"Message size for all-gather", {"allgather", "allgatherv"}},
    {kSent, {"send", "ssend", "bsend", "rsend", "sendrecv", "sendrecv_replace", "start", "startall"}},
    {kReceived,
     {"recv", "mrecv", "sendrecv", "sendrecv_replace", "wait", "waitall", "waitany", "waitsome", "test",
      "testall"}},
};
constexpr std::size_t kReceiving = 4; // operations of kReceived that receive in the call itself

bool is_operation(std::string_view operation, std::string_view base) {
  constexpr std::string_view kPrefix = "mpi_";
  std::string lower;
  for (const char c : operation) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!lower.starts_with(kPrefix)) return false;
  const auto rest = std::string_view(lower).substr(kPrefix.size());
  return rest == base || (rest.starts_with('i') && rest.substr(1) == base && base != "recv");
}

using Members = std::vector<const OperationCalls*>;

Members members_of(const Family& family, std::size_t first, std::size_t last,
                   std::span<const OperationCalls> all) {
  Members out;
  for (const auto& each : all)
    for (auto i = first; i < last; ++i)
      if (!family.operations[i].empty() && is_operation(each.operation, family.operations[i]) &&
          each.calls > 0) {
        out.push_back(&each);
        break;
      }
  return out;
}

double calls_of(const Members& members) {
  double sum = 0;
  for (const auto* each : members) sum += each->calls;
  return sum;
}

void add(Sizes& sizes, const Sizes& all, double share) {
  if (!(share > 0)) return;
  sizes.minimum = sizes.count > 0 ? std::min(sizes.minimum, all.minimum) : all.minimum;
  sizes.maximum = sizes.count > 0 ? std::max(sizes.maximum, all.maximum) : all.maximum;
  sizes.count += share * all.count, sizes.sum += share * all.sum, sizes.squares += share * all.squares;
}

void distribute(const Members& members, const Sizes& all, double share, std::map<std::string, Sizes>& out) {
  const double calls = calls_of(members);
  for (const auto* each : members) add(out[each->operation], all, share * each->calls / calls);
}

// Messages arrive in calls that receive, at most one in each, the others in calls that wait.
void distribute_received(const Family& family, std::span<const OperationCalls> operations, const Sizes& all,
                         std::map<std::string, Sizes>& out) {
  const auto receiving = members_of(family, 0, kReceiving, operations),
             waiting = members_of(family, kReceiving, family.operations.size(), operations);
  const double at_once = waiting.empty() ? 1 : std::min(1.0, calls_of(receiving) / all.count);
  std::map<std::string, Sizes> received;
  distribute(receiving, all, at_once, received);
  distribute(waiting, all, 1 - at_once, received);
  for (auto& [operation, sizes] : received)
    if (!out.contains(operation)) out.emplace(operation, sizes); // MPI_Sendrecv keeps the sizes that it sends
}

} // namespace

void Sizes::add(const Event& event) {
  minimum = count > 0 ? std::min(minimum, event.minimum) : event.minimum;
  maximum = count > 0 ? std::max(maximum, event.maximum) : event.maximum;
  count += event.count, sum += event.count * event.mean, squares += event.squares;
}

double Sizes::deviation() const {
  if (!(count > 0)) return 0;
  return std::sqrt(std::max(squares / count - mean() * mean(), 0.0));
}

EventName event_name(std::string_view event) {
  const auto colon = event.find(" : ");
  if (colon == std::string_view::npos) return {trimmed(event), {}};
  return {trimmed(event.substr(0, colon)), trimmed(event.substr(colon + 3))};
}

std::optional<std::int64_t> receiver_of(std::string_view event) {
  const auto [name, path] = event_name(event);
  if (!path.empty() || !name.starts_with(kSentTo)) return {};
  const auto rank = parse_integer(name.substr(kSentTo.size()));
  return rank && *rank >= 0 ? rank : std::nullopt;
}

OperationSizes sizes_of(std::span<const OperationCalls> operations, std::span<const Event> events) {
  std::map<std::string_view, Sizes> sums;
  std::map<std::string_view, std::map<std::string, Sizes>> by_operation; // event → operation
  for (const auto& event : events) {
    const auto [name, path] = event_name(event.name);
    if (!name.starts_with("Message size ") || !(event.minimum >= 0)) continue;
    if (path.empty())
      sums[name].add(event);
    else
      by_operation[name][std::string(operation_of(function_name(path).function))].add(event);
  }
  OperationSizes out;
  for (const auto& family : kFamilies) {
    const auto members = members_of(family, 0, family.operations.size(), operations);
    if (members.empty()) continue;
    if (const auto exact = by_operation.find(family.event); exact != by_operation.end()) {
      for (const auto* each : members)
        if (const auto found = exact->second.find(each->operation); found != exact->second.end())
          out.of.emplace(*found);
      continue;
    }
    auto known = sums.find(family.event);
    if (known == sums.end() && family.event == kAllReduce) {
      const auto gather = std::find_if(std::begin(kFamilies), std::end(kFamilies),
                                       [](const Family& f) { return f.event == kGather; });
      if (members_of(*gather, 0, gather->operations.size(), operations).empty()) known = sums.find(kGather);
    }
    if (known == sums.end()) continue;
    if (family.event == kReceived) {
      distribute_received(family, operations, known->second, out.of);
      continue;
    }
    out.shared = out.shared || members.size() > 1;
    distribute(members, known->second, 1, out.of);
  }
  return out;
}

} // namespace jitterscope::import::tau
