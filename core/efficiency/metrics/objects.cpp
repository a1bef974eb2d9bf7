#include "core/efficiency/metrics/objects.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "core/efficiency/activity_rows.h"

namespace jitterscope::efficiency::metrics {
namespace {

using store::ResourceKind;
using store::SeriesKind;

constexpr std::size_t slot(Level level) {
  return static_cast<std::size_t>(level);
}

/// Level of the objects to which a series belongs.
Level level_of(SeriesKind kind) {
  switch (kind) {
  case SeriesKind::StreamLaunches:
    return Level::Stream;
  case SeriesKind::Calls:
  case SeriesKind::Ranges:
  case SeriesKind::States:
  case SeriesKind::MpiCalls:
  case SeriesKind::Transmissions:
    return Level::Thread;
  case SeriesKind::AllLaunches:
    return Level::Application;
  default:
    return Level::Device;
  }
}

Level level_of(ResourceKind kind) {
  switch (kind) {
  case ResourceKind::Host:
    return Level::Node;
  case ResourceKind::Process:
    return Level::Process;
  case ResourceKind::Thread:
    return Level::Thread;
  case ResourceKind::Device:
    return Level::Device;
  default:
    return Level::Stream;
  }
}

} // namespace

class Objects::Builder {
public:
  Builder(const analysis::Session& session, const std::vector<store::TrackIndex>& index, Objects& objects)
      : session_(session), index_(index), objects_(objects) {}

  void run() {
    objects_.objects_[slot(Level::Application)].push_back({0, kNone, -1, "application"});
    for (auto& of : objects_.of_resource_)
      for (const auto& trace : session_.traces()) of.emplace_back(trace.store.resources().size(), kNone);
    collect();
    for (const Level level : {Level::Node, Level::Process, Level::Device, Level::Stream, Level::Thread})
      number(level);
    for (const Level level : {Level::Node, Level::Process, Level::Device, Level::Stream, Level::Thread})
      name_all(level);
    link();
  }

private:
  struct Found {
    std::size_t trace;
    std::uint32_t resource;
    bool operator<(const Found& other) const {
      return std::tie(trace, resource) < std::tie(other.trace, other.resource);
    }
  };

  const std::vector<store::Resource>& resources(std::size_t trace) const {
    return session_.traces()[trace].store.resources();
  }

  /// The nearest ancestor of a kind, the resource itself included; kNone if there is none.
  std::uint32_t nearest(std::size_t trace, std::uint32_t resource, ResourceKind kind) const {
    const auto& all = resources(trace);
    for (std::size_t steps = 0; resource < all.size() && steps < all.size();
         ++steps, resource = all[resource].parent)
      if (all[resource].kind == kind) return resource;
    return kNone;
  }
  std::uint32_t physical(std::size_t trace, std::uint32_t device) const {
    return hardware_of(resources(trace), device);
  }

  void collect() {
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace) {
      const auto kinds = recorded_kinds(session_.traces()[trace].store, index_[trace]);
      for (std::uint32_t r = 0; r < kinds.size(); ++r) {
        const auto own = level_of(resources(trace)[r].kind);
        if (kinds[r] & store::recorded_kind::kCounters) add(trace, r, own);
        // Rows of analysis of host threads, such as bursts, are in the table of launches.
        for (int kind = 0; kind < store::kSeriesKinds; ++kind)
          if (kinds[r] >> kind & 1)
            add(trace, r, own == Level::Thread ? own : level_of(static_cast<SeriesKind>(kind)));
      }
    }
  }

  void add(std::size_t trace, std::uint32_t resource, Level level) {
    if (resource >= resources(trace).size() || level == Level::Application) return;
    if (level == Level::Stream) {
      const auto device = nearest(trace, resource, ResourceKind::Device);
      found_[slot(Level::Device)].insert({trace, device == kNone ? kNone : physical(trace, device)});
      add_process(trace, nearest(trace, device, ResourceKind::Process), Level::Process);
    }
    if (level == Level::Device) resource = physical(trace, resource);
    if (level == Level::Node || level == Level::Process) return add_process(trace, resource, level);
    found_[slot(level)].insert({trace, resource});
    add_process(trace, nearest(trace, resource, ResourceKind::Process), Level::Process);
  }
  void add_process(std::size_t trace, std::uint32_t resource, Level level) {
    if (level == Level::Process) found_[slot(Level::Process)].insert({trace, resource});
    found_[slot(Level::Node)].insert({trace, nearest(trace, resource, ResourceKind::Host)});
  }

  std::int32_t rank_of(const Found& found) const {
    const auto process = nearest(found.trace, found.resource, ResourceKind::Process);
    return process == kNone ? -1 : resources(found.trace)[process].rank;
  }

  /// Objects sorted by rank, then by trace and resource; nodes of the same name are one object.
  void number(Level level) {
    std::vector<Found> order(found_[slot(level)].begin(), found_[slot(level)].end());
    const auto key = [this](const Found& f) {
      const auto rank = rank_of(f);
      return std::tuple(rank < 0, rank, f.trace, f.resource);
    };
    std::ranges::sort(order, {}, key);
    std::map<std::string, std::uint32_t> nodes;
    auto& objects = objects_.objects_[slot(level)];
    for (const auto& f : order) {
      auto number = static_cast<std::uint32_t>(objects.size());
      if (level == Level::Node && f.resource != kNone && !resources(f.trace)[f.resource].name.empty())
        number = nodes.emplace(resources(f.trace)[f.resource].name, number).first->second;
      if (number == objects.size()) objects.push_back({f.trace, f.resource, rank_of(f), {}});
      if (f.resource == kNone)
        unknown_[slot(level)][f.trace] = number;
      else
        objects_.of_resource_[slot(level)][f.trace][f.resource] = number;
    }
    if (level != Level::Device) return;
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace) // all resources of the hardware
      for (std::uint32_t r = 0; r < resources(trace).size(); ++r)
        if (resources(trace)[r].kind == ResourceKind::Device)
          objects_.of_resource_[slot(level)][trace][r] =
              objects_.of_resource_[slot(level)][trace][physical(trace, r)];
  }

  std::uint32_t number_of(Level level, std::size_t trace, std::uint32_t resource) const {
    if (resource == kNone) {
      const auto found = unknown_[slot(level)].find(trace);
      return found == unknown_[slot(level)].end() ? kNone : found->second;
    }
    return objects_.of_resource_[slot(level)][trace][resource];
  }

  void name_all(Level level) {
    std::map<std::string, int> seen;
    for (auto& object : objects_.objects_[slot(level)]) {
      object.name = name_of(level, object);
      if (const int times = ++seen[object.name]; times > 1) object.name += fmt::format(" ({})", times);
    }
  }

  std::string name_of(Level level, const Object& object) const {
    const auto& all = resources(object.trace);
    if (level == Level::Node)
      return object.resource == kNone || all[object.resource].name.empty() ? std::string("node")
                                                                           : all[object.resource].name;
    if (level == Level::Process) return process_name(object.trace, object.resource);
    if (object.resource == kNone) return "no device";
    const auto& resource = all[object.resource];
    const auto process = number_of(Level::Process, object.trace,
                                   nearest(object.trace, object.resource, ResourceKind::Process));
    const auto others = level == Level::Device
                            ? std::max<std::size_t>(processes_of(object.trace, object.resource), 1) - 1
                            : 0;
    const auto prefix = objects_.objects_[slot(Level::Process)][process].resource == kNone
                            ? std::string()
                            : objects_.objects_[slot(Level::Process)][process].name +
                                  (others > 0 ? fmt::format(" and {} more", others) : std::string()) + " · ";
    if (level == Level::Device) return fmt::format("{}GPU {}", prefix, resource.number);
    if (level == Level::Thread)
      return fmt::format("{}{}", prefix,
                         resource.name.empty() ? fmt::format("thread {}", resource.number) : resource.name);
    const auto device = nearest(object.trace, object.resource, ResourceKind::Device);
    return device == kNone ? fmt::format("{}stream {}", prefix, resource.number)
                           : fmt::format("{}GPU {} · stream {}", prefix, all[device].number, resource.number);
  }

  /// Number of processes that use a device.
  std::size_t processes_of(std::size_t trace, std::uint32_t device) const {
    std::set<std::uint32_t> processes;
    for (std::uint32_t r = 0; r < resources(trace).size(); ++r)
      if (resources(trace)[r].kind == ResourceKind::Device && physical(trace, r) == device)
        processes.insert(nearest(trace, r, ResourceKind::Process));
    return processes.size();
  }

  std::string process_name(std::size_t trace, std::uint32_t process) const {
    std::string label = "no process";
    if (process != kNone) {
      const auto& r = resources(trace)[process];
      label = r.rank >= 0 ? fmt::format("rank {}", r.rank) : fmt::format("process {}", r.number);
    }
    return session_.traces().size() > 1 ? fmt::format("{} · {}", session_.traces()[trace].name, label)
                                        : label;
  }

  std::uint32_t parent_of(Level level, const Object& object, Level to) const {
    if (to == Level::Application) return 0;
    if (to == Level::Device) {
      const auto device = nearest(object.trace, object.resource, ResourceKind::Device);
      return number_of(to, object.trace, device == kNone ? kNone : physical(object.trace, device));
    }
    if (to == Level::Process)
      return number_of(to, object.trace, nearest(object.trace, object.resource, ResourceKind::Process));
    if (level == Level::Process && object.resource == kNone)
      return number_of(Level::Node, object.trace, kNone);
    return number_of(Level::Node, object.trace,
                     nearest(object.trace, nearest(object.trace, object.resource, ResourceKind::Process),
                             ResourceKind::Host));
  }

  void link() {
    for (int f = 0; f < kLevels; ++f)
      for (int t = 0; t < kLevels; ++t) {
        const auto from = static_cast<Level>(f), to = static_cast<Level>(t);
        if (from == to || !covers(to, from)) continue;
        auto& above = objects_.above_[slot(from)][slot(to)];
        for (const auto& object : objects_.at(from)) {
          const auto parent = parent_of(from, object, to);
          above.push_back(parent == kNone ? 0 : parent); // kNone in damaged stores only
        }
        auto& lists = objects_.below_[slot(to)][slot(from)];
        lists.first.assign(objects_.at(to).size() + 1, 0);
        for (const auto parent : above) ++lists.first[parent + 1];
        std::partial_sum(lists.first.begin(), lists.first.end(), lists.first.begin());
        auto next = lists.first;
        lists.numbers.resize(above.size());
        for (std::uint32_t child = 0; child < above.size(); ++child)
          lists.numbers[next[above[child]]++] = child;
      }
  }

  const analysis::Session& session_;
  const std::vector<store::TrackIndex>& index_;
  Objects& objects_;
  ByLevel<std::set<Found>> found_;
  ByLevel<std::map<std::size_t, std::uint32_t>>
      unknown_; ///< by trace: object for records without a resource of the level
};

Objects::Objects(const analysis::Session& session, const std::vector<store::TrackIndex>& index) {
  Builder(session, index, *this).run();
}

std::span<const std::uint32_t> Objects::below(Level from, std::uint32_t number, Level to) const {
  const auto& lists = below_[slot(from)][slot(to)];
  return std::span(lists.numbers).subspan(lists.first[number], lists.first[number + 1] - lists.first[number]);
}

} // namespace jitterscope::efficiency::metrics
