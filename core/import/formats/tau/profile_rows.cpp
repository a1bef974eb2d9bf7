#include "core/import/formats/tau/profile_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::tau {
namespace {

using store::ResourceKind;
using store::Severity;

constexpr double kNanoseconds = 1e3; // in a µs, the unit of TAU
constexpr double kMaxNanoseconds = 1e18;
constexpr std::size_t kMaxParameters = 64; // maximum number of columns of parameters
constexpr std::int64_t kMaxRank = 1 << 30;

std::int64_t nanoseconds(double microseconds) {
  const double time = kNanoseconds * microseconds;
  return time >= 0 && time <= kMaxNanoseconds ? std::llround(time) : store::kMissingDuration;
}

std::optional<std::int64_t> gpu_number(const ThreadProfile& profile) {
  for (const auto* key : {"CUDA Device", "ROCM_GPU_ID"})
    if (const auto* value = profile.property(key))
      if (const auto number = parse_integer(*value); number && *number >= 0) return number;
  return {};
}

std::string host_name(const ThreadProfile& profile) {
  for (const auto* key : {"Hostname", "Node Name", "MPI Processor Name"})
    if (const auto* name = profile.property(key)) return *name;
  return {};
}

// Operations of a thread with their calls: paths and variants together.
std::vector<OperationCalls> operations_of(const ThreadProfile& profile,
                                          const std::vector<std::size_t>& rows) {
  std::map<std::string, double, std::less<>> calls;
  for (const auto row : rows) {
    const auto& function = profile.functions()[row];
    const auto name = parts_of(function.name).function;
    if (kind_of(name, function.group, false) != RowKind::mpi) continue;
    const auto operation = operation_of(name);
    auto known = calls.find(operation);
    if (known == calls.end()) known = calls.emplace(operation, 0).first;
    known->second += function.sums.calls;
  }
  std::vector<OperationCalls> out;
  for (auto& [operation, number] : calls) out.push_back({operation, number});
  return out;
}

} // namespace

void ProfileRows::add(const ThreadNumbers& numbers, ThreadProfile profile) {
  const bool on_gpu = profile.on_gpu();
  const auto rows = profile.disjoint_rows(issues_);
  const auto operations = operations_of(profile, rows);
  const auto sizes = sizes_of(operations, profile.events());
  if (sizes.shared)
    issues_.count(Severity::Info, "shared-message-sizes", [] {
      return std::string("TAU records message sizes of several operations together: the operations of a "
                         "thread share their mean size");
    });
  const auto to = stream(numbers, profile, !operations.empty());
  for (const auto place : rows) {
    const auto& row = profile.functions()[place];
    const auto name = function_name(row.name);
    const auto kind = kind_of(name.function, row.group, on_gpu);
    add_function(row, name, kind, profile, to);
    if (kind != RowKind::mpi) continue;
    const auto launch = static_cast<std::uint32_t>(draft_.launches.start.size() - 1);
    const std::string operation(operation_of(name.function));
    text(launch, "mpi operation", "MPI operation of the row", operation);
    const auto known = sizes.of.find(operation);
    if (known == sizes.of.end()) continue;
    const auto all = std::find_if(operations.begin(), operations.end(),
                                  [&](const auto& each) { return each.operation == operation; });
    auto own = known->second;
    own.count = all->calls > 0 ? known->second.count * row.sums.calls / all->calls : 0;
    own.sum = own.count * known->second.mean();
    own.squares = known->second.count > 0 ? known->second.squares * own.count / known->second.count : 0;
    add_sizes(launch, own);
  }
  for (const auto& event : profile.events()) add_event(event, to);
}

std::uint32_t ProfileRows::process(const ThreadNumbers& numbers, const ThreadProfile& profile, bool mpi) {
  const auto [place, added] = processes_.try_emplace({numbers.node, numbers.context}, 0);
  if (added) {
    const auto name = host_name(profile);
    const auto [host, first] = hosts_.try_emplace(name, 0);
    if (first) host->second = draft_.add_resource(ResourceKind::Host, kNone, 0, name);
    const auto title = numbers.context != 0 ? fmt::format("context {}", numbers.context) : std::string();
    place->second = draft_.add_resource(ResourceKind::Process, host->second, numbers.node, title);
  }
  if ((mpi || ranks_) && numbers.node <= kMaxRank && numbers.context == 0)
    draft_.resources[place->second].rank = static_cast<std::int32_t>(numbers.node);
  return place->second;
}

std::uint32_t ProfileRows::device(std::uint32_t process, const ThreadNumbers& numbers,
                                  const ThreadProfile& profile) {
  const bool on_gpu = profile.on_gpu();
  const auto number = gpu_number(profile).value_or(on_gpu ? numbers.thread : 0);
  const auto* given = on_gpu ? profile.property("GPU Name") : nullptr;
  const auto name = !on_gpu ? std::string("host threads") : given ? *given : fmt::format("GPU {}", number);
  const auto [place, added] = devices_.try_emplace({process, fmt::format("{} {}", on_gpu, number)}, 0);
  if (!added) return place->second;
  const auto row = place->second = draft_.add_resource(ResourceKind::Device, process, number, name);
  if (on_gpu) {
    const auto host = draft_.resources[process].parent;
    const auto [first, is_new] = gpus_of_host_.try_emplace({host, number}, row);
    draft_.resources[row].physical = first->second;
    if (!is_new) return row;
  }
  store::DeviceInfo info;
  info.resource = row, info.name = name;
  draft_.devices.push_back(std::move(info));
  return row;
}

std::uint32_t ProfileRows::stream(const ThreadNumbers& numbers, const ThreadProfile& profile, bool mpi) {
  return draft_.add_resource(ResourceKind::Stream, device(process(numbers, profile, mpi), numbers, profile),
                             numbers.thread, fmt::format("thread {}", numbers.thread));
}

std::uint32_t ProfileRows::configuration(const FunctionName& name, RowKind kind) {
  const auto variant = name.variant();
  const bool kernel = kind == RowKind::kernel;
  const auto key = fmt::format("{}{}\n{}", kernel ? "k" : "", name.function, variant);
  if (const auto known = configurations_.find(key); known != configurations_.end()) return known->second;
  Configuration made;
  if (kernel) {
    made.kernel = kernels_.of(name.function).kernel;
  } else {
    const auto readable = without_place(name.function);
    const bool signature = readable.find('(') != std::string_view::npos && readable.front() != '(' &&
                           readable.front() != '[' && kind != RowKind::event;
    const auto brief = signature ? short_kernel_name(readable) : std::string(readable);
    made.kernel =
        draft_.kernel({draft_.strings.intern(name.function).value, draft_.strings.intern(brief).value});
  }
  if (!variant.empty()) made.variant = draft_.strings.intern(variant).value;
  return configurations_.emplace(key, draft_.configuration(made)).first->second;
}

void ProfileRows::add_function(const ProfileRow& row, const FunctionName& name, RowKind kind,
                               const ThreadProfile& profile, std::uint32_t stream) {
  const bool counts = kind != RowKind::sample && profile.time();
  const auto duration = counts ? nanoseconds(row.sums.exclusive[*profile.time()]) : store::kMissingDuration;
  auto of = name;
  if (kind == RowKind::idle) of.function = to_string(kind); // not to be compared with functions of the host
  const auto launch = draft_.add_untimed_launch(configuration(of, kind), stream, duration);
  ++rows_;
  if (kind == RowKind::sample)
    issues_.count(Severity::Info, "samples", [] {
      return std::string("times of samples are also part of the functions in which they were taken: these "
                         "rows have no duration");
    });
  text(launch, "row kind", "Kind of the row: function, MPI call, kernel, event …", to_string(kind));
  if (!row.group.empty()) text(launch, "group", "TAU groups to which the function belongs", row.group);
  if (!name.path.empty())
    text(launch, "path", "Callers of the function, outermost first, and the function", name.whole_path());
  add_sums(launch, row, profile);
  add_parameters(launch, name);
}

void ProfileRows::add_sums(std::uint32_t launch, const ProfileRow& row, const ThreadProfile& profile) {
  number(launch, "calls", "", "Number of calls", row.sums.calls);
  number(launch, "subroutine calls", "", "Number of calls that the function makes", row.sums.subroutines);
  for (std::size_t m = 0; m < profile.metrics().size(); ++m) {
    const auto& column = metric_columns(profile.metrics()[m], profile.time() == m);
    const double inclusive = column.factor * row.sums.inclusive[m],
                 exclusive = column.factor * row.sums.exclusive[m];
    if (std::isfinite(inclusive)) draft_.attributes.set(column.inclusive, launch, inclusive);
    if (column.exclusive && std::isfinite(exclusive))
      draft_.attributes.set(*column.exclusive, launch, exclusive);
  }
}

const ProfileRows::MetricColumns& ProfileRows::metric_columns(const std::string& metric, bool main) {
  const auto [place, added] = metric_columns_.try_emplace({metric, main});
  if (!added) return place->second;
  const bool time = is_time(metric);
  const auto* unit = time ? "ns" : "";
  auto& attributes = draft_.attributes;
  auto& out = place->second;
  out.factor = time ? kNanoseconds : 1;
  out.inclusive =
      attributes.number(main   ? std::string("inclusive duration")
                        : time ? metric + " inclusive duration"
                               : metric + " inclusive",
                        unit, fmt::format("{} of the function and of all functions called from it", metric));
  if (!main) // the duration of the rows is that of the main metric
    out.exclusive =
        attributes.number(time ? metric + " duration" : metric, unit,
                          fmt::format("{} of the function without the functions called from it", metric));
  return out;
}

void ProfileRows::add_parameters(std::uint32_t launch, const FunctionName& name) {
  for (const auto& [parameter, value] : name.parameters) {
    auto known = parameters_.find(parameter);
    if (known == parameters_.end()) {
      if (parameters_.size() >= kMaxParameters) {
        issues_.count(Severity::Info, "many-parameters", [first = parameter] {
          return fmt::format("there are more than {} parameters: {} and others have no column and only "
                             "distinguish configurations",
                             kMaxParameters, first);
        });
        continue;
      }
      const auto column = draft_.attributes.number(parameter, "", "Parameter of the function");
      draft_.attributes.mark_parameter(column);
      known = parameters_.emplace(parameter, column).first;
    }
    if (const auto number = parse_number(value)) draft_.attributes.set(known->second, launch, *number);
  }
}

void ProfileRows::add_sizes(std::uint32_t launch, const Sizes& sizes) {
  number(launch, "messages", "", "Number of messages whose size is recorded", sizes.count);
  number(launch, "message bytes", "B", "Mean size of the messages", sizes.mean());
  number(launch, "message bytes minimum", "B", "Size of the smallest message", sizes.minimum);
  number(launch, "message bytes maximum", "B", "Size of the largest message", sizes.maximum);
  number(launch, "message bytes deviation", "B", "Standard deviation of the message sizes",
         sizes.deviation());
}

void ProfileRows::add_event(const Event& event, std::uint32_t stream) {
  const auto [title, path] = event_name(event.name);
  FunctionName name;
  name.function = std::string(title.empty() ? std::string_view(event.name) : title);
  const auto launch =
      draft_.add_untimed_launch(configuration(name, RowKind::event), stream, store::kMissingDuration);
  ++rows_;
  text(launch, "row kind", {}, to_string(RowKind::event));
  if (!path.empty()) text(launch, "path", {}, function_name(path).whole_path());
  number(launch, "event count", "", "Number of values of the event", event.count);
  number(launch, "event mean", "", "Mean value of the event", event.mean);
  number(launch, "event minimum", "", "Smallest value of the event", event.minimum);
  number(launch, "event maximum", "", "Largest value of the event", event.maximum);
  number(launch, "event sum of squares", "", "Sum of the squared values of the event", event.squares);
  if (const auto receiver = receiver_of(event.name)) {
    number(launch, "message receiver", "", "Rank that receives the messages", static_cast<double>(*receiver));
    Sizes sizes;
    sizes.add(event);
    add_sizes(launch, sizes);
  }
}

void ProfileRows::number(std::uint32_t launch, std::string_view title, std::string_view unit,
                         std::string_view description, double value) {
  if (!std::isfinite(value)) return;
  auto known = columns_.find(title);
  if (known == columns_.end())
    known = columns_.emplace(title, draft_.attributes.number(title, unit, description)).first;
  draft_.attributes.set(known->second, launch, value);
}

void ProfileRows::text(std::uint32_t launch, std::string_view title, std::string_view description,
                       std::string_view value) {
  auto known = columns_.find(title);
  if (known == columns_.end())
    known = columns_.emplace(title, draft_.attributes.text(title, description)).first;
  draft_.attributes.set_text(known->second, launch, draft_.strings.intern(clean_text(value)).value);
}

} // namespace jitterscope::import::tau
