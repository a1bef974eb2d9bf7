#include "core/efficiency/metrics/cfg/cfg_metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "core/efficiency/metrics/syntax.h"
#include "core/paraver/event_types.h"
#include "core/paraver/extrae_names.h"

namespace jitterscope::efficiency::metrics {
namespace {

constexpr int kThread = 0, kTask = 1, kApplication = 2; ///< levels of a window
constexpr int kMaxNested = 16;                          ///< maximum nesting of derived windows

/// Reason why a window is not a metric.
struct NotSupported {
  std::string reason;
};
template <class T>
using Or = tl::expected<T, NotSupported>;
tl::unexpected<NotSupported> not_supported(std::string reason) {
  return tl::unexpected<NotSupported>({std::move(reason)});
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// A text as a literal of the language; quotes, backslashes and control characters become "'".
std::string quoted(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32) c = '\'';
  constexpr std::size_t kLongest = 1'000;
  if (text.size() > kLongest) text.resize(kLongest);
  return '"' + text + '"';
}

std::string number_text(double value) {
  return value < 0 ? fmt::format("(-{})", -value) : fmt::format("{}", value);
}

/// Conditions on the names of MPI calls for Extrae's event types (prv::type_of_mpi_call()).
constexpr std::string_view
    kCollectiveCalls = "name ~ /(?i)^MPI_I?(Barrier|Bcast|Reduce|Allreduce|Alltoall|Gather|Allgather|Scatter|"
                       "Scan|Exscan)/",
    kPointToPoint = "name ~ /(?i)^MPI_(I?[BSR]?Send|I?M?Recv|Wait|Cancel|I?M?Probe)/",
    kOneSided = "name ~ /(?i)^MPI_(Win_|R?Put$|R?Get$|R?Get_accumulate|R?Accumulate)/",
    kFileCalls = "name ~ /(?i)^MPI_File_/";

/// A timeline as text of the language.
struct Timeline {
  std::string text;
  int level = kThread;
  bool codes_of_labels = false; ///< numbers of states or of a .pcf: only comparisons with 0 are known
  bool states = false;
  bool on_threads = true;    ///< every thread of Paraver is an object of this level
  bool rests_at_zero = true; ///< the value of a thread without records is 0
  bool of_device = false;    ///< a count of records per device, which Paraver has on the device's streams
  std::optional<std::string> calls; ///< of numbers of MPI calls: Events::calls
  std::string nested;               ///< problem of ranges that may be nested, unless "Stacked Val" is applied
  std::string note;
};

std::string parenthesised(const Timeline& timeline) {
  return "(" + timeline.text + ")";
}

/// Condition on records for state numbers; empty if one cannot be the number of a state.
std::string state_condition(const std::vector<double>& numbers) {
  std::string condition;
  for (const double number : numbers) {
    if (!(number >= 0 && number < 1e6) || number != std::floor(number)) return {};
    condition += fmt::format("{}number == {:.0f}", condition.empty() ? "" : " or ", number);
  }
  return condition;
}

/// Condition on MPI calls for numbers of Extrae's events; empty if one is not the number of a call.
std::string call_condition(const std::vector<double>& numbers) {
  std::string condition;
  for (const double number : numbers) {
    const bool whole = number == std::floor(number) && std::abs(number) < 1e6;
    const auto name = prv::mpi_call(whole ? static_cast<std::int64_t>(number) : 0);
    if (name.empty()) return {};
    condition += fmt::format("{}name == \"{}\"", condition.empty() ? "" : " or ", name);
  }
  return condition;
}

/// Numbers of MPI calls in [low, high].
std::vector<double> calls_within(double low, double high) {
  std::vector<double> numbers;
  for (std::size_t number = 1; number < prv::mpi_calls().size(); ++number)
    if (const auto value = static_cast<double>(number); value >= low && value <= high)
      numbers.push_back(value);
  return numbers;
}

std::string both(const std::string& a, const std::string& b) {
  return a.empty() ? b : b.empty() ? a : fmt::format("({}) and ({})", a, b);
}

std::string mpi_records(const std::string& condition) {
  return condition.empty() ? "mpi" : fmt::format("mpi[{}]", condition);
}

/// The records that a window selects by event types: their starts and ends are events of these types.
struct Events {
  std::string records;
  std::string nested, note; ///< as in Timeline
  bool stream = false, device = false, counter = false;
  std::string label;                ///< label of a counter
  std::optional<std::string> calls; ///< of MPI calls: condition on them, empty if there is none
};

/// Types that the import reads as parts of other records, as samples, or not at all.
bool has_no_ranges(std::int64_t type) {
  return prv::is_within(type, 9100, 9499) || prv::is_within(type, 30'000'000, 39'999'999) ||
         prv::is_within(type, 40'000'004, 44'999'999) || prv::is_within(type, 50'000'000, 50'999'999) ||
         prv::is_within(type, 63'000'000, 63'999'999) || prv::is_counter(type) ||
         prv::is_within(type, 70'000'000, 89'999'999);
}

/// Condition on MPI calls for the filter of event values; empty if all values are accepted.
Or<std::string> calls_of_values(const CfgWindow& window) {
  const auto filter = window.functions.find("evt_value");
  if (filter == window.functions.end() || filter->second.name == "All") return std::string();
  const bool mpi = std::ranges::all_of(window.types, [](std::int64_t type) {
    return prv::is_within(type, prv::kMpiPointToPoint, prv::kMpiIo);
  });
  if (!mpi || filter->second.name != "=")
    return not_supported(
        fmt::format("the filter of event values is \"{}\"; event values are codes that the .pcf "
                    "of one trace maps to labels, so only All is supported, and = for calls of MPI",
                    filter->second.name));
  std::vector<double> numbers;
  for (const auto value : window.values)
    if (value != 0) numbers.push_back(static_cast<double>(value));
  if (numbers.size() == window.values.size())
    return not_supported("the filter of event values does not contain 0, the end of a call");
  auto condition = call_condition(numbers);
  if (condition.empty())
    return not_supported("the filter of event values contains a number that is not an MPI call");
  return condition;
}

Or<Events> events_of(const CfgWindow& window) {
  const auto filter = window.functions.find("evt_type");
  if (filter == window.functions.end() || filter->second.name != "=" || window.types.empty())
    return not_supported(
        fmt::format("the filter of event types is \"{}\"; only = with a list of types is supported",
                    filter == window.functions.end() ? std::string("missing") : filter->second.name));
  auto named = calls_of_values(window);
  if (!named) return tl::unexpected(named.error());
  std::set<std::string> records;
  Events events;
  for (std::size_t i = 0; i < window.types.size(); ++i) {
    const auto type = window.types[i];
    const auto label = i < window.labels.size() ? window.labels[i] : std::string();
    const auto has = [&](const char* word) { return lower(label).find(word) != std::string::npos; };
    if (has(" line"))
      return not_supported(fmt::format("events of type {} ({}) are source lines", type, label));
    if (prv::is_kernel(type)) {
      const bool collective = type == prv::kCollective;
      if (collective && !label.empty() && !has("nccl"))
        return not_supported(
            fmt::format("Jitterscope has no records for events of type {} ({})", type, label));
      events.stream = true;
      records.insert(type == prv::kKernelOfExtrae ? "" : collective ? "collective" : "not collective");
    } else if (type == prv::kCopy) {
      events.device = true;
      records.insert("copies");
    } else if (type == prv::kCall) {
      records.insert("calls[offload]");
    } else if (prv::is_within(type, prv::kMpiPointToPoint, prv::kMpiIo)) {
      records.insert(fmt::format("mpi {}", type));
    } else if (prv::is_counter(type)) {
      events.counter = true;
      events.label = label;
      records.insert("counter");
    } else if (!label.empty() && !has_no_ranges(type)) {
      if (window.types.size() > 1)
        return not_supported("several of its event types are ranges in Jitterscope");
      events.note =
          fmt::format("events of type {} ({}) are ranges if the .pcf names their value 0", type, label);
      if (prv::may_be_nested(type, lower(label)))
        events.nested = fmt::format("events of type {} ({}) may be nested and are supported only with the "
                                    "compose function \"Stacked Val\"",
                                    type, label);
      records.insert(fmt::format("ranges[domain == {}]", quoted(label)));
    } else {
      return not_supported(fmt::format("Jitterscope has no records for events of type {}{}", type,
                                       label.empty() ? std::string() : " (" + label + ")"));
    }
  }
  const bool mixed = (events.stream || events.counter || events.device) && records.size() > 1;
  if (events.stream) {
    constexpr std::string_view kConditions[] = {"", "collective", "not collective"};
    for (const auto& of : records)
      if (std::ranges::find(kConditions, of) == std::end(kConditions))
        return not_supported("its events belong to several kinds of records");
    events.records =
        records.size() > 1 || records.contains("") ? "kernels" : "kernels[" + *records.begin() + "]";
    return events;
  }
  if (mixed) return not_supported("its events belong to several kinds of records");
  if (events.counter) {
    if (window.types.size() > 1) return not_supported("it has several counters");
    if (events.label.empty())
      return not_supported(
          fmt::format("the counter of type {} has no label in the file", window.types.front()));
    return events;
  }
  const bool mpi = std::ranges::all_of(records, [](const std::string& of) { return of.starts_with("mpi"); });
  if (!mpi) {
    if (records.size() > 1) return not_supported("its events belong to several kinds of records");
    events.records = *records.begin();
    return events;
  }
  const std::array<std::pair<std::int64_t, std::string_view>, 4> of_types{
      {{prv::kMpiPointToPoint, kPointToPoint},
       {prv::kMpiCollective, kCollectiveCalls},
       {prv::kMpiOneSided, kOneSided},
       {prv::kMpiIo, kFileCalls}}};
  // The other calls (50000003) are those of none of these types.
  const bool others = records.contains(fmt::format("mpi {}", prv::kMpiOther));
  std::string condition;
  for (const auto& [type, calls] : of_types) {
    if (records.contains(fmt::format("mpi {}", type)) == others) continue;
    condition += fmt::format("{}{}({})",
                             condition.empty() ? ""
                             : others          ? " and "
                                               : " or ",
                             others ? "not " : "", calls);
  }
  events.calls = both(condition, *named);
  events.records = mpi_records(*events.calls);
  return events;
}

double unit_of(const std::string& units) {
  const auto text = lower(units);
  return text.starts_with("micro")   ? 1e3
         : text.starts_with("milli") ? 1e6
         : text.starts_with("sec")   ? 1e9
         : text.starts_with("min")   ? 60e9
         : text.starts_with("hour")  ? 3600e9
         : text.starts_with("day")   ? 86400e9
                                     : 1.0;
}

std::string in_units(std::string text, const CfgWindow& window) {
  const double unit = unit_of(window.units);
  return unit == 1 ? text : fmt::format("{} / {}", text, unit);
}

std::optional<double> parameter(const CfgFunction& function, std::size_t number) {
  if (number >= function.parameters.size() || function.parameters[number].empty()) return {};
  return function.parameters[number].front();
}

/// Reason why the messages of a window are not all messages; empty if they are.
std::string filter_of_messages(const CfgWindow& window) {
  for (const char* filter : {"from_obj", "to_obj", "tag_msg", "size_msg", "bw_msg"})
    if (const auto found = window.functions.find(filter);
        found != window.functions.end() && found->second.name != "All")
      return fmt::format("the filter of messages {} is \"{}\"; only All is supported", filter,
                         found->second.name);
  return {};
}

/// Functions of messages on the thread that sends them.
Or<Timeline> of_messages(const CfgWindow& window, const std::string& name) {
  if (const auto filter = filter_of_messages(window); !filter.empty()) return not_supported(filter);
  Timeline timeline;
  if (name == "Send BandWidth") // size / (receive − send) of the messages in transit, per unit of the window
    timeline.text = "rate(sends, bytes) / " + number_text(1e9 / unit_of(window.units));
  else
    timeline.text = name == "Send Bytes in Transit" ? "total(sends, bytes)" : "count(sends)";
  return timeline;
}

/// Int. Between Evt: at each accepted event the time to the next one, 0 after the last.
Or<Timeline> between_events(const CfgWindow& window) {
  auto events = events_of(window);
  if (!events) return tl::unexpected(events.error());
  if (events->device)
    return not_supported(
        "the time between memory operations of a stream: Jitterscope records them per device");
  Timeline timeline;
  timeline.text =
      in_units(events->counter ? fmt::format("counter_interval({}, thread)", quoted(events->label))
                               : fmt::format("interval({})", events->records),
               window);
  timeline.on_threads = !events->stream;
  timeline.note = events->note;
  return timeline;
}

/// Avg Next Evt Val and Avg Last Evt Val: the next or the last value times a factor, divided by the time from
/// the last event to the next one; 0 before the first and after the last event.
Or<Timeline> average_of_events(const CfgWindow& window, const CfgFunction& function) {
  auto events = events_of(window);
  if (!events) return tl::unexpected(events.error());
  if (!events->counter)
    return not_supported(
        fmt::format("the thread function \"{}\" of events that are not a counter", function.name));
  const auto name = quoted(events->label);
  Timeline timeline;
  timeline.text = fmt::format("{0}({1}, thread) * {2} / counter_interval({1}, thread)",
                              function.name == "Avg Next Evt Val" ? "next_counter" : "counter_to_next", name,
                              number_text(parameter(function, 0).value_or(1) * unit_of(window.units)));
  timeline.note = events->note;
  return timeline;
}

Or<Timeline> of_thread(const CfgWindow& window) {
  const auto found = window.functions.find("thread");
  if (found == window.functions.end()) return not_supported("it has no thread function");
  const auto& function = found->second;
  const auto& name = function.name;
  Timeline timeline;
  if (name == "Useful") {
    timeline.text = "active(states[running])";
    return timeline;
  }
  if (name == "State As Is") {
    timeline.text = "active(states[name != \"Idle\"])";
    timeline.codes_of_labels = timeline.states = true;
    return timeline;
  }
  if (name == "In State") {
    if (function.parameters.empty()) return not_supported("the function \"In State\" has no list of states");
    const auto condition = state_condition(function.parameters[0]);
    if (condition.empty())
      return not_supported("the function \"In State\" uses a number that cannot be that of a state");
    timeline.text = fmt::format("active(states[{}])", condition);
    return timeline;
  }
  if (name == "State Record Dur." || name == "State Record Duration") {
    const auto condition =
        state_condition(function.parameters.empty() ? std::vector{1.0} : function.parameters[0]);
    if (condition.empty())
      return not_supported(
          fmt::format("the function \"{}\" uses a number that cannot be that of a state", name));
    timeline.text = in_units(fmt::format("value(states[{}], duration)", condition), window);
    return timeline;
  }
  if (name == "Send Messages in Transit" || name == "Sends in Transit" || name == "Send Bytes in Transit" ||
      name == "Send BandWidth")
    return of_messages(window, name);
  if (name == "Recv BandWidth" || name == "Recv Bytes in Transit" || name == "Recv Messages in Transit")
    return not_supported(
        fmt::format("the thread function \"{}\": messages are records of the thread that sent them", name));
  if (name == "Int. Between Evt") return between_events(window);
  if (name == "Avg Next Evt Val" || name == "Avg Last Evt Val") return average_of_events(window, function);
  const bool last = name == "Last Evt Val", next = name == "Next Evt Val";
  if (!last && !next) return not_supported(fmt::format("the thread function \"{}\"", name));
  auto events = events_of(window);
  if (!events) return tl::unexpected(events.error());
  if (events->counter) {
    timeline.text = fmt::format("{}({}, thread)", next ? "next_counter" : "counter", quoted(events->label));
    return timeline;
  }
  if (next) return not_supported("the thread function \"Next Evt Val\" for events other than counters");
  if (events->device && window.level == "thread")
    return not_supported("memory operations per stream: Jitterscope records them per device");
  timeline.text = fmt::format("{}({})", events->device ? "count" : "active", events->records);
  timeline.codes_of_labels = true;
  timeline.on_threads = !events->stream && !events->device;
  timeline.of_device = events->device;
  timeline.nested = events->nested;
  timeline.note = events->note;
  timeline.calls = events->calls;
  return timeline;
}

/// Compose functions that select numbers of MPI calls.
Or<Timeline> composed_calls(Timeline timeline, const CfgFunction& function, bool sign,
                            const std::vector<double>& numbers) {
  const auto condition = call_condition(numbers);
  if (condition.empty())
    return not_supported(fmt::format("\"{}\" with a number that is not an MPI call", function.name));
  timeline.calls = both(*timeline.calls, condition);
  timeline.text = fmt::format("active({})", mpi_records(*timeline.calls));
  timeline.codes_of_labels = !sign;
  return timeline;
}

Or<Timeline> composed_with(Timeline timeline, const CfgFunction& function) {
  const auto& name = function.name;
  if (name == "As Is") return timeline;
  if (name == "Stacked Val" && !timeline.nested.empty()) {
    timeline.nested.clear();
    return timeline;
  }
  const auto become = [&](std::string text, double at_zero = 0) -> Or<Timeline> {
    timeline.text = std::move(text);
    timeline.codes_of_labels = false;
    timeline.rests_at_zero = timeline.rests_at_zero && at_zero == 0;
    return timeline;
  };
  if (name == "Sign")
    return become(timeline.codes_of_labels ? timeline.text : "sign" + parenthesised(timeline));
  if (name == "1-Sign") return become("not " + parenthesised(timeline), 1);
  const auto value = parameter(function, 0);
  const bool equal = name == "Is Equal" || name == "Is Equal (Sign)";
  const auto other = parameter(function, 1);
  const bool select = name == "Select Range", range = select || name == "Is In Range";
  if (timeline.codes_of_labels && timeline.calls && ((equal && value) || (range && value && other))) {
    const auto [low, high] = std::minmax({*value, other.value_or(*value)});
    const bool one_range = function.parameters[0].size() == 1 && (select || low > 0); // 0: no call
    if (range && !one_range) return not_supported(fmt::format("\"{}\" of several ranges, or of 0", name));
    return composed_calls(std::move(timeline), function, name == "Is Equal (Sign)" || (range && !select),
                          equal ? function.parameters[0] : calls_within(low, high));
  }
  if (timeline.codes_of_labels) {
    if (!timeline.states || !equal || !value)
      return not_supported(fmt::format("\"{}\" of {}: names have other numbers in this trace", name,
                                       timeline.states ? "states" : "event values"));
    const auto condition = state_condition(function.parameters[0]);
    if (condition.empty() || name == "Is Equal") return not_supported(fmt::format("\"{}\" of states", name));
    return become(fmt::format("active(states[{}])", condition));
  }
  const auto x = parenthesised(timeline);
  if (equal && value) {
    std::string test;
    for (const double one : function.parameters[0])
      test += fmt::format("{}{} == {}", test.empty() ? "" : " or ", x, number_text(one));
    const auto& values = function.parameters[0];
    const bool zero = std::find(values.begin(), values.end(), 0.0) != values.end();
    return name == "Is Equal" ? become(fmt::format("if({}, {}, 0)", test, x))
                              : become("(" + test + ")", zero);
  }
  if (range && value && other) {
    if (function.parameters[0].size() > 1 || function.parameters[1].size() > 1)
      return not_supported(fmt::format("the compose function \"{}\" has several ranges", name));
    const auto [low, high] = std::minmax(*value, *other);
    if (select) return become(fmt::format("within({}, {}, {})", x, number_text(low), number_text(high)));
    return become(fmt::format("({0} >= {1} and {0} <= {2})", x, number_text(low), number_text(high)),
                  low <= 0 && high >= 0);
  }
  constexpr std::pair<const char*, char> kArithmetic[] = {
      {"Mod", '%'}, {"Div", '/'}, {"Prod", '*'}, {"Substract", '-'}, {"Add", '+'}};
  for (const auto& [known, sign] : kArithmetic)
    if (name == known && value)
      return become(fmt::format("{} {} {}", x, sign, number_text(*value)),
                    sign == '+' || sign == '-' ? *value : 0);
  return not_supported(
      fmt::format("the compose function \"{}\"{}", name, equal || value ? "" : " (without parameters)"));
}

class Translator {
public:
  explicit Translator(const CfgFile& file) {
    for (const auto& window : file.windows) by_id_.emplace(window.id, &window);
  }

  CfgMetric metric(const CfgWindow& window) const {
    CfgMetric metric;
    metric.name = window.name.empty() ? fmt::format("window {}", window.id) : window.name;
    metric.open = window.open;
    auto timeline = timeline_of(window, kMaxNested);
    if (timeline && !timeline->nested.empty()) timeline = not_supported(timeline->nested);
    if (timeline && timeline->codes_of_labels)
      timeline = not_supported(
          "its values are codes of labels in the .pcf; apply Sign to show when there are events");
    if (!timeline) {
      metric.unsupported = timeline.error().reason;
      return metric;
    }
    auto text = fmt::format("title = {};\nhelp = \"A Paraver window.\";\nacross = {};\n\n{}\n",
                            quoted(metric.name), across(window), timeline->text);
    // Parsing also checks levels: streams and threads have no common level, and a counter may need another
    // one.
    auto read = parse(text);
    if (!read) {
      metric.unsupported = read.error().message;
      return metric;
    }
    metric.text = std::move(text);
    metric.note = timeline->note;
    if (!window.all_objects) {
      if (!metric.note.empty()) metric.note += "; ";
      metric.note += "the window shows only some objects, but the metric includes all of them";
    }
    return metric;
  }

private:
  static std::string across(const CfgWindow& window) {
    const auto found = window.functions.find("task");
    const auto& name = found == window.functions.end() ? std::string() : found->second.name;
    return name == "Average"                               ? "mean"
           : name == "Maximum"                             ? "max"
           : name == "Minimum"                             ? "min"
           : name == "Adding Sign" || name == "AddingSign" ? "any"
                                                           : "sum";
  }

  static std::optional<int> level_of(const std::string& level) {
    if (level == "thread") return kThread;
    if (level == "task") return kTask;
    if (level == "appl" || level == "workload") return kApplication;
    return {};
  }

  Or<Timeline> timeline_of(const CfgWindow& window, int nested) const {
    if (window.composed && --left_ < 0)
      return not_supported("combining the windows of the file takes more than 50,000 steps");
    const auto level = level_of(window.level);
    if (!level) return not_supported(fmt::format("the level \"{}\"", window.level));
    auto timeline = window.composed ? joined(window, nested) : of_thread(window);
    if (timeline && !window.composed) timeline = composed(window, "compose_thread", std::move(*timeline));
    if (timeline && timeline->level < kTask && *level >= kTask)
      timeline = aggregated(window, "task", kTask, std::move(*timeline));
    if (timeline && timeline->level < kApplication && *level >= kApplication)
      timeline = aggregated(window, "appl", kApplication, std::move(*timeline));
    for (const char* last : {"topcompose1", "topcompose2"})
      if (timeline) timeline = composed(window, last, std::move(*timeline));
    return timeline;
  }

  static Or<Timeline> composed(const CfgWindow& window, const std::string& level, Timeline timeline) {
    const auto function = window.functions.find(level);
    return function == window.functions.end() ? Or<Timeline>(std::move(timeline))
                                              : composed_with(std::move(timeline), function->second);
  }

  /// Aggregates to the next level up, then applies that level's compose function.
  static Or<Timeline> aggregated(const CfgWindow& window, const std::string& level, int to,
                                 Timeline timeline) {
    const auto function = window.functions.find(level);
    const auto name = function == window.functions.end() ? std::string("Adding") : function->second.name;
    const bool sign = name == "Adding Sign" || name == "AddingSign";
    if (timeline.codes_of_labels && !sign)
      return not_supported(fmt::format("\"{}\" of event values that are codes of labels in the .pcf", name));
    const char* aggregator = sign                ? "any"
                             : name == "Adding"  ? "sum"
                             : name == "Maximum" ? "max"
                             : name == "Average" ? "mean"
                             : name == "Minimum" ? "min"
                                                 : nullptr;
    if (!aggregator) return not_supported(fmt::format("the function \"{}\" at level {}", name, level));
    if (to == kTask && timeline.of_device && name == "Maximum") aggregator = "any";
    if (to == kTask && !timeline.on_threads &&
        (!timeline.rests_at_zero || name == "Average" || name == "Minimum"))
      return not_supported(
          fmt::format("\"{}\" over threads: Paraver also counts threads that are not streams", name));
    timeline.text =
        fmt::format("{}({} per {})", aggregator, timeline.text, to == kTask ? "process" : "application");
    timeline.level = to;
    timeline.codes_of_labels = false;
    return composed(window, to == kTask ? "compose_task" : "compose_appl", std::move(timeline));
  }

  Or<Timeline> joined(const CfgWindow& window, int nested) const {
    if (nested == 0) return not_supported("derived windows are nested too deeply, or form a cycle");
    if (window.windows.size() != 2) return not_supported("it does not combine exactly two windows");
    std::vector<Timeline> parts;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto found = by_id_.find(window.windows[i]);
      if (found == by_id_.end() || found->second == &window)
        return not_supported(
            fmt::format("it uses window {}, which the file does not define", window.windows[i]));
      auto part = timeline_of(*found->second, nested - 1);
      if (part && !part->nested.empty()) part = not_supported(part->nested);
      if (part && part->codes_of_labels) part = not_supported("its values are codes of labels in the .pcf");
      if (!part)
        return not_supported(fmt::format("window \"{}\": {}", found->second->name, part.error().reason));
      if (part->text.size() > kMaxText) return not_supported("its definition is longer than 65,536 bytes");
      if (window.shifted) return not_supported("its windows are shifted in time");
      if (i < window.factors.size() && window.factors[i] != 1)
        part->text = fmt::format("{} * {}", parenthesised(*part), number_text(window.factors[i]));
      parts.push_back(std::move(*part));
    }
    const auto a = parenthesised(parts[0]), b = parenthesised(parts[1]);
    Timeline timeline;
    timeline.level = std::min(parts[0].level, parts[1].level);
    timeline.on_threads = parts[0].on_threads && parts[1].on_threads;
    timeline.rests_at_zero = parts[0].rests_at_zero && parts[1].rests_at_zero;
    timeline.note = parts[0].note;
    if (!parts[1].note.empty() && parts[1].note != timeline.note)
      timeline.note += (timeline.note.empty() ? "" : "; ") + parts[1].note;
    const auto& operation = window.operation;
    constexpr std::pair<std::string_view, const char*> kSigns[] = {
        {"add", "+"}, {"product", "*"}, {"substract", "-"}, {"divide", "/"}, {"different", "!="}};
    for (const auto& [name, sign] : kSigns)
      if (operation == name) timeline.text = fmt::format("{} {} {}", a, sign, b);
    if (operation == "maximum" || operation == "minimum")
      timeline.text = fmt::format("{}({}, {})", operation == "maximum" ? "max" : "min", a, b);
    if (timeline.text.empty()) return not_supported(fmt::format("the operation \"{}\"", operation));
    return timeline;
  }

  std::map<std::int64_t, const CfgWindow*> by_id_;
  mutable int left_ = 50'000; ///< windows that may still be combined: limits deep trees
};

} // namespace

Expected<CfgMetrics> metrics_of_cfg(std::string_view text) {
  auto file = read_cfg(text);
  if (!file) return forward(file.error());
  CfgMetrics metrics;
  metrics.histograms = file->histograms;
  const Translator translator(*file);
  for (const auto& window : file->windows) metrics.windows.push_back(translator.metric(window));
  return metrics;
}

} // namespace jitterscope::efficiency::metrics
