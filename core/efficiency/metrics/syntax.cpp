#include "core/efficiency/metrics/syntax.h"

#include <array>

namespace jitterscope::efficiency::metrics {

std::string_view to_string(Level level) {
  static constexpr std::array<std::string_view, kLevels> kNames = {"application", "node",   "process",
                                                                   "device",      "stream", "thread"};
  return kNames[static_cast<std::size_t>(level)];
}

bool covers(Level above, Level below) {
  if (above == below) return true;
  if (below == Level::Thread) return above <= Level::Process;
  return above < below;
}

std::string_view to_string(Source source) {
  static constexpr std::array<std::string_view, kSources> kNames = {
      "kernels", "queued", "copies", "migrations", "calls", "mpi", "sends", "ranges", "states"};
  return kNames[static_cast<std::size_t>(source)];
}

Level level_of(Source source) {
  switch (source) {
  case Source::Kernels:
  case Source::Queued:
    return Level::Stream;
  case Source::Copies:
  case Source::Migrations:
    return Level::Device;
  default:
    return Level::Thread;
  }
}

std::string_view to_string(Aggregator aggregator) {
  static constexpr std::array<std::string_view, kAggregators> kNames = {"sum", "mean", "min",   "max",
                                                                        "any", "all",  "number"};
  return kNames[static_cast<std::size_t>(aggregator)];
}

std::vector<Level> Definition::levels() const {
  std::vector<Level> all;
  for (int i = 0; i < kLevels; ++i)
    if (covers(static_cast<Level>(i), metric.level)) all.push_back(static_cast<Level>(i));
  return all;
}

const std::vector<Word>& words() {
  static const std::vector<Word> kWords = {
      {"kernels", "kernels[condition]", "Records: kernel launches, on streams."},
      {"queued", "queued[condition]",
       "Records: launches from the start of their call until they run, on streams."},
      {"copies", "copies[condition]", "Records: memory operations, on devices."},
      {"migrations", "migrations[condition]", "Records: migrations of unified memory, on devices."},
      {"calls", "calls[condition]", "Records: calls of the GPU runtime and other calls, on threads."},
      {"mpi", "mpi[condition]", "Records: calls of MPI, on threads."},
      {"sends", "sends[condition]", "Records: messages in transit, on the thread that sent them."},
      {"ranges", "ranges[condition]", "Records: ranges named by the program, on threads."},
      {"states", "states[condition]", "Records: states of threads."},
      {"count", "count(records)", "Number of running records."},
      {"active", "active(records)", "1 while a record runs, else 0."},
      {"value", "value(records, attribute)",
       "The attribute of the running record; if several run, of the record that began last."},
      {"total", "total(records, attribute)", "The sum of the attribute over the running records."},
      {"rate", "rate(records, attribute)",
       "The sum of attribute / duration over the running records, per second."},
      {"recorded", "recorded(records)",
       "1 at all times on objects that have a matching record at any time, else 0."},
      {"interval", "interval(records)",
       "The time from the last start or end of a record to the next one, in ns."},
      {"starts", "starts(records, width)", "Number of records that begin in each window of this width."},
      {"frequency", "frequency(records, width)",
       "Number of records that begin per second, in each window of this width."},
      {"counter", "counter(\"name\" [, level])",
       "The last sample of a counter; a counter of a device unless another level is given."},
      {"next_counter", "next_counter(\"name\" [, level])",
       "The next sample: for counters whose samples describe the time before them."},
      {"counter_to_next", "counter_to_next(\"name\" [, level])",
       "The last sample where another one follows, else 0."},
      {"counter_interval", "counter_interval(\"name\" [, level])",
       "The time from the last sample of a counter to the next one, in ns."},
      {"average", "average(timeline, width)", "Time-weighted average in each window of this width."},
      {"maximum", "maximum(timeline, width)", "Maximum in each window of this width."},
      {"minimum", "minimum(timeline, width)", "Minimum in each window of this width."},
      {"sum", "sum(timeline per level)", "The sum of the values of all child objects."},
      {"mean", "mean(timeline per level)",
       "The mean of the values of all child objects. As an attribute of a record, mean(timeline) is the mean "
       "of the timeline over the record."},
      {"min", "min(timeline per level)  or  min(a, b …)",
       "The minimum of the values of all child objects, or of several timelines."},
      {"max", "max(timeline per level)  or  max(a, b …)",
       "The maximum of the values of all child objects, or of several timelines."},
      {"any", "any(timeline per level)",
       "1 where at least one child object has a value other than 0, else 0."},
      {"all", "all(timeline per level)", "1 where no child object has the value 0, else 0."},
      {"number", "number(timeline per level)", "Number of child objects with a value other than 0."},
      {"sign", "sign(x)", "1 where x is not 0, else 0."},
      {"abs", "abs(x)", "The magnitude of x."},
      {"floor", "floor(x)", "The largest integer at most x."},
      {"round", "round(x)", "The nearest integer, halves rounded away from 0."},
      {"sqrt", "sqrt(x)", "The square root of x, 0 where x is negative."},
      {"if", "if(condition, a, b)", "a where the condition is not 0, else b."},
      {"within", "within(x, low, high)", "x where low ≤ x ≤ high, else 0."},
      {"deviation", "deviation(attribute)",
       "The absolute difference of the attribute from its mean over all records with the same name; for "
       "launches, with the same configuration. Missing if there is only one such record."},
      {"group_mean", "group_mean(attribute)",
       "The mean of the attribute over all records with the same name; for launches, with the same "
       "configuration."},
      {"per", "timeline per level", "The level that an aggregator produces."},
      {"let", "let name = timeline;", "A name for a timeline, for use in later expressions."},
      {"and", "a and b", "1 where both operands are not 0."},
      {"or", "a or b", "1 where at least one operand is not 0."},
      {"not", "not a", "1 where a is 0."},
      {"name", "name ~ /pattern/",
       "Attribute: the name of the kernel, call, range or state; the kind of the memory operation."},
      {"duration", "duration", "Attribute: the length of the record in ns."},
      {"begin", "begin", "Attribute: when the record begins, in ns on the session's time axis."},
      {"end", "end", "Attribute: when the record ends, in ns on the session's time axis."},
      {"bytes", "bytes", "Attribute: the size of a memory operation or message in B."},
      {"collective", "collective", "Attribute: 1 for kernels of NCCL, RCCL and NVSHMEM."},
      {"running", "running", "Attribute: 1 for states in which the thread computes."},
      {"number", "number", "Attribute: the number of a state in a Paraver trace."},
      {"offload", "offload", "Attribute: 1 for calls of a GPU's runtime or driver."},
      {"launching", "launching", "Attribute: 1 for calls that launched a kernel or a memory operation."},
      {"application", "application", "Level: the whole session."},
      {"node", "node", "Level: a host."},
      {"process", "process", "Level: a process. Also written rank."},
      {"rank", "rank", "Level: a process."},
      {"device", "device", "Level: a GPU."},
      {"stream", "stream", "Level: a stream of a GPU."},
      {"thread", "thread", "Level: a host thread."},
      {"title", "title = \"…\";", "The name shown in views."},
      {"unit", "unit = \"…\";", "The unit of the values; ns, B and B/s are scaled."},
      {"help", "help = \"…\";", "One sentence about the metric."},
      {"level", "level = device;", "The level shown by default."},
      {"across", "across = mean;", "The function that combines values at coarser levels; sum by default."},
  };
  return kWords;
}

} // namespace jitterscope::efficiency::metrics
