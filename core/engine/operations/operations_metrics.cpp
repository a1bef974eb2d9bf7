#include <set>

#include <fmt/core.h>

#include "core/efficiency/metrics/metric_csv.h"
#include "core/efficiency/metrics/sweep.h"
#include "core/engine/messages/metric_answers.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/operations/derived_inputs.h"

namespace jitterscope::engine {
namespace {

using namespace efficiency::metrics;

constexpr std::size_t kKeptMetrics = 32;
constexpr std::int64_t kMaxCells = 16'000'000; ///< maximum objects × columns of one answer
constexpr std::size_t kMaxSteps = 4'000'000;   ///< maximum steps of one answer

Expected<std::shared_ptr<const Data>> data_of(const Context& context) {
  auto& workspace = context.workspace;
  if (auto open = require_session(workspace); !open) return forward(open.error());
  return kept_by_all(context.communicator, workspace.metric_data,
                     [&] { return Data::make(*workspace.session, context.job, workspace.columns.get()); });
}

} // namespace

Expected<std::shared_ptr<const Bound>> bound_of(const Context& context, const std::string& text) {
  auto parsed = parse(text);
  if (!parsed) return forward(parsed.error());
  auto definition = std::make_shared<const Definition>(std::move(*parsed));
  auto data = data_of(context);
  if (!data) return forward(data.error());
  auto& workspace = context.workspace;
  if (needs_calls(*definition)) {
    auto calls = kept_by_all(context.communicator, workspace.metric_calls,
                             [&] { return LaunchCalls::make(**data, context.job); });
    if (!calls) return forward(calls.error());
  }
  if (workspace.metrics.size() >= kKeptMetrics && !workspace.metrics.contains(text))
    workspace.metrics.clear();
  return kept_by_all(context.communicator, workspace.metrics[text], [&] {
    return Bound::make(definition, **data, needs_calls(*definition) ? workspace.metric_calls.get() : nullptr,
                       context.job);
  });
}

namespace {

Expected<Level> level_of(const std::string& asked, const Definition& definition) {
  if (asked.empty()) return definition.level;
  std::string valid;
  for (const auto level : definition.levels()) {
    if (asked == to_string(level) || (asked == "rank" && level == Level::Process)) return level;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", to_string(level));
  }
  return failure(ErrorKind::BadUse, fmt::format("the metric has no values per {}", asked), {}, "level",
                 fmt::format("Use one of its levels: {}.", valid));
}

/// The question of options that have a level, a range and objects.
template <class Options>
Expected<Question> question_of(const Options& options, const Bound& bound) {
  Question question;
  auto level = level_of(options.level, bound.definition());
  if (!level) return forward(level.error());
  question.level = *level;
  auto range = range_of(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  question.range = range->value_or(bound.data().extent());
  question.objects = options.objects;
  if (question.range.empty()) return failure(ErrorKind::BadUse, "the range is empty", {}, "range");
  return question;
}

std::unique_ptr<answers::MetricDescriptionAnswer> description(const Context& context, const Bound& bound,
                                                              const Question& question) {
  const auto& definition = bound.definition();
  auto answer = std::make_unique<answers::MetricDescriptionAnswer>();
  answer->title = definition.title, answer->unit = definition.unit, answer->help = definition.help;
  answer->level = to_string(question.level), answer->across = to_string(definition.across);
  answer->range_ns = question.range, answer->recorded_range_ns = bound.data().extent();
  for (const auto source : bound.sources())
    if (!bound.data().has(source)) answer->not_recorded.emplace_back(to_string(source));
  for (const auto level : definition.levels()) answer->levels.emplace_back(to_string(level));
  const auto all = bound.data().objects().at(question.level);
  const auto count = question.objects.empty() ? all.size() : question.objects.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = question.objects.empty() ? static_cast<std::uint32_t>(i) : question.objects[i];
    const auto& object = all[index];
    auto& item =
        answer->objects.emplace_back(answers::MetricObjectAnswer{.index = index, .name = object.name});
    if (object.rank >= 0) item.rank = object.rank;
    if (context.workspace.tracks && object.resource != kNone)
      if (const auto track = context.workspace.tracks->track_of_resource(object.trace, object.resource);
          track != kNone)
        item.track = track;
  }
  return answer;
}

/// All values of objects, one after the other.
template <class Value>
std::vector<Value> joined(const std::vector<std::vector<Value>>& of_objects) {
  std::vector<Value> all;
  for (const auto& of : of_objects) all.insert(all.end(), of.begin(), of.end());
  return all;
}

/// With columns 0 only the description.
Expected<answers::MetricAnswer> metric(const Context& context, const MetricOptions& options) {
  auto bound = bound_of(context, options.text);
  if (!bound) return forward(bound.error());
  auto question = question_of(options, **bound);
  if (!question) return forward(question.error());
  answers::MetricAnswer answer;
  answer.of = description(context, **bound, *question);
  const auto objects = static_cast<std::int64_t>(answer.of->objects.size());
  if (options.exact) {
    auto steps = exact(**bound, *question, kMaxSteps, context.communicator, context.job);
    if (!steps) return forward(steps.error());
    for (const auto& of : *steps) {
      answer.step_count.push_back(static_cast<std::int64_t>(of.size()));
      for (const auto& step : of)
        answer.step_begin.push_back(step.begin), answer.step_value.push_back(step.value);
    }
    return answer;
  }
  auto count = options.columns;
  if (options.fit)
    count = std::min(count, std::max<std::int64_t>(kMaxCells / std::max<std::int64_t>(objects, 1), 1));
  answer.columns = count;
  if (count == 0) return answer;
  if (count < 0 || count > kMaxCells / std::max<std::int64_t>(objects, 1))
    return failure(ErrorKind::BadUse,
                   fmt::format("{} columns for each of {} objects exceed the limit of {} values", count,
                               objects, kMaxCells),
                   {}, "columns", "Request fewer columns or objects.");
  auto values = columns(**bound, *question, static_cast<int>(count), context.communicator, context.job);
  if (!values) return forward(values.error());
  for (const auto& of : *values) {
    answer.average.insert(answer.average.end(), of.average.begin(), of.average.end());
    answer.minimum.insert(answer.minimum.end(), of.minimum.begin(), of.minimum.end());
    answer.maximum.insert(answer.maximum.end(), of.maximum.begin(), of.maximum.end());
  }
  return answer;
}

Expected<answers::MetricHistogramAnswer> metric_histogram(const Context& context,
                                                          const MetricHistogramOptions& options) {
  auto bound = bound_of(context, options.text);
  if (!bound) return forward(bound.error());
  auto question = question_of(options, **bound);
  if (!question) return forward(question.error());
  HistogramQuestion bins;
  bins.bins = static_cast<int>(std::clamp<std::int64_t>(options.bins, 0, 10'000));
  bins.zero = options.zero;
  bins.low = options.low;
  bins.high = options.high;
  bins.logarithmic = options.logarithmic;
  answers::MetricHistogramAnswer answer;
  Expected<std::shared_ptr<const Bound>> data = std::shared_ptr<const Bound>();
  if (!options.data.empty()) {
    data = bound_of(context, options.data);
    if (!data) {
      auto error = data.error();
      error.place = error.place.empty() ? "data" : "data, " + error.place;
      return forward(std::move(error));
    }
    bins.data = data->get();
    const auto& of = bins.data->definition();
    answer.data = std::make_unique<answers::HistogramDataAnswer>(
        answers::HistogramDataAnswer{.title = of.title, .unit = of.unit});
  }
  answer.of = description(context, **bound, *question);
  if (static_cast<std::int64_t>(answer.of->objects.size()) >
      kMaxCells / std::max(bins.bins, kMaxWholeNumbers))
    return failure(ErrorKind::BadUse, "the histogram has more than 16,000,000 cells", {}, "bins",
                   "Request fewer bins or objects.");
  auto found = histogram(**bound, *question, bins, context.communicator, context.job);
  if (!found) return forward(found.error());
  answer.bins = static_cast<std::int64_t>(found->edges.size()) - 1;
  answer.low = found->edges.front(), answer.high = found->edges.back();
  answer.edges = std::move(found->edges);
  answer.whole = found->whole, answer.logarithmic = bins.logarithmic;
  answer.time = joined(found->time), answer.bursts = joined(found->bursts);
  if (bins.data) {
    answer.integral = joined(found->integral);
    answer.minimum = joined(found->minimum), answer.maximum = joined(found->maximum);
  }
  answer.outside = std::move(found->outside);
  return answer;
}

Expected<answers::ExportMetricAnswer> export_metric(const Context& context,
                                                    const ExportMetricOptions& options) {
  auto bound = bound_of(context, options.text);
  if (!bound) return forward(bound.error());
  auto question = question_of(options, **bound);
  if (!question) return forward(question.error());
  const auto written =
      export_metric_csv(**bound, *question, options.points, options.path, context.communicator, context.job);
  if (!written) return forward(written.error());
  answers::ExportMetricAnswer answer;
  answer.of = description(context, **bound, *question);
  answer.files = {options.path};
  answer.records = written->rows, answer.bytes = written->bytes;
  return answer;
}

Expected<answers::MetricNamesAnswer> metric_names(const Context& context, const MetricNamesOptions&) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  std::set<std::string> counters, attributes;
  for (const auto& trace : context.workspace.session->traces()) {
    for (const auto name : trace.store.column<std::uint32_t>("counters", "name"))
      counters.emplace(trace.store.string({name}));
    for (int s = 0; s < kSources; ++s)
      for (const auto& column : trace.store.table(table_of(static_cast<Source>(s))).columns)
        if (column.name != "start") attributes.insert(column.name);
  }
  return answers::MetricNamesAnswer{.counters = {counters.begin(), counters.end()},
                                    .attributes = {attributes.begin(), attributes.end()}};
}

} // namespace

std::vector<Operation> metric_operations() {
  return {{Reach::AllRanks, metric},
          {Reach::AllRanks, metric_histogram},
          {Reach::RankZero, metric_names},
          {Reach::AllRanks, export_metric}};
}

} // namespace jitterscope::engine
