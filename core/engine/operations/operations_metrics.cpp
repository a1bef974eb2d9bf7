#include <set>

#include <fmt/core.h>

#include "core/efficiency/metrics/metric_csv.h"
#include "core/efficiency/metrics/sweep.h"
#include "core/engine/messages/metric_answers.h"
#include "core/engine/messages/metric_options.h"
#include "core/engine/operations/derived_inputs.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;
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

/// Description of a metric and of the answer's objects, as "objects" [{index, name, rank, track}].
json description(const Context& context, const Bound& bound, const Question& question) {
  const auto& definition = bound.definition();
  const auto extent = bound.data().extent();
  json document = {{"title", definition.title},
                   {"unit", definition.unit},
                   {"help", definition.help},
                   {"level", to_string(question.level)},
                   {"across", to_string(definition.across)},
                   {"range_ns", {{"begin", question.range.begin.count}, {"end", question.range.end.count}}},
                   {"recorded_range_ns", {{"begin", extent.begin.count}, {"end", extent.end.count}}},
                   {"not_recorded", json::array()},
                   {"levels", json::array()},
                   {"objects", json::array()}};
  for (const auto source : bound.sources())
    if (!bound.data().has(source)) document["not_recorded"].push_back(to_string(source));
  for (const auto level : definition.levels()) document["levels"].push_back(to_string(level));
  const auto all = bound.data().objects().at(question.level);
  const auto count = question.objects.empty() ? all.size() : question.objects.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto index = question.objects.empty() ? static_cast<std::uint32_t>(i) : question.objects[i];
    const auto& object = all[index];
    json item = {
        {"index", index}, {"name", object.name}, {"rank", object.rank < 0 ? json() : json(object.rank)}};
    if (context.workspace.tracks && object.resource != kNone)
      if (const auto track = context.workspace.tracks->track_of_resource(object.trace, object.resource);
          track != kNone)
        item["track"] = track;
    document["objects"].push_back(std::move(item));
  }
  return document;
}

/// metric → {title, unit, help, level, levels, across, range_ns, objects: [{index,
/// name, rank, track}], recorded_range_ns, not_recorded: [source of the metric without records]}; arrays by
/// object, then by column: average, minimum, maximum; exact: step/count by
/// object, step/begin, step/value. With columns 0 only the description.
Expected<Answer> metric(const Context& context, const MetricOptions& options) {
  auto bound = bound_of(context, options.text);
  if (!bound) return forward(bound.error());
  auto question = question_of(options, **bound);
  if (!question) return forward(question.error());
  Answer answer;
  answer.document = description(context, **bound, *question);
  const auto objects = static_cast<std::int64_t>(answer.document["objects"].size());
  if (options.exact) {
    auto steps = exact(**bound, *question, kMaxSteps, context.communicator, context.job);
    if (!steps) return forward(steps.error());
    std::vector<std::int64_t> counts, begins;
    std::vector<double> values;
    for (const auto& of : *steps) {
      counts.push_back(static_cast<std::int64_t>(of.size()));
      for (const auto& step : of) begins.push_back(step.begin), values.push_back(step.value);
    }
    answer.add("step/count", std::move(counts));
    answer.add("step/begin", std::move(begins));
    answer.add("step/value", std::move(values));
    return answer;
  }
  auto count = options.columns;
  if (options.fit)
    count = std::min(count, std::max<std::int64_t>(kMaxCells / std::max<std::int64_t>(objects, 1), 1));
  answer.document["columns"] = count;
  if (count == 0) return answer;
  if (count < 0 || count > kMaxCells / std::max<std::int64_t>(objects, 1))
    return failure(ErrorKind::BadUse,
                   fmt::format("{} columns for each of {} objects exceed the limit of {} values", count,
                               objects, kMaxCells),
                   {}, "columns", "Request fewer columns or objects.");
  auto values = columns(**bound, *question, static_cast<int>(count), context.communicator, context.job);
  if (!values) return forward(values.error());
  std::vector<double> average, minimum, maximum;
  for (const auto& of : *values) {
    average.insert(average.end(), of.average.begin(), of.average.end());
    minimum.insert(minimum.end(), of.minimum.begin(), of.minimum.end());
    maximum.insert(maximum.end(), of.maximum.begin(), of.maximum.end());
  }
  answer.add("average", std::move(average));
  answer.add("minimum", std::move(minimum));
  answer.add("maximum", std::move(maximum));
  return answer;
}

/// metric_histogram → as metric, low, high, bins, edges: [limits of the bins], whole: whether every bin has
/// one whole number, its lower limit, logarithmic, data: {title, unit}; arrays by object, then by bin: time
/// [ns], bursts, and with data integral, minimum, maximum; by object: outside [ns].
Expected<Answer> metric_histogram(const Context& context, const MetricHistogramOptions& options) {
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
  Expected<std::shared_ptr<const Bound>> data = std::shared_ptr<const Bound>();
  if (!options.data.empty()) {
    data = bound_of(context, options.data);
    if (!data) {
      auto error = data.error();
      error.place = error.place.empty() ? "data" : "data, " + error.place;
      return forward(std::move(error));
    }
    bins.data = data->get();
  }
  Answer answer;
  answer.document = description(context, **bound, *question);
  if (static_cast<std::int64_t>(answer.document["objects"].size()) >
      kMaxCells / std::max(bins.bins, kMaxWholeNumbers))
    return failure(ErrorKind::BadUse, "the histogram has more than 16,000,000 cells", {}, "bins",
                   "Request fewer bins or objects.");
  auto found = histogram(**bound, *question, bins, context.communicator, context.job);
  if (!found) return forward(found.error());
  answer.document["bins"] = found->edges.size() - 1;
  answer.document["whole"] = found->whole;
  answer.document["low"] = found->edges.front();
  answer.document["high"] = found->edges.back();
  answer.document["edges"] = found->edges;
  answer.document["logarithmic"] = bins.logarithmic;
  const auto add = [&](const char* name, const auto& cells) {
    std::remove_cvref_t<decltype(cells.front())> all;
    for (const auto& of : cells) all.insert(all.end(), of.begin(), of.end());
    answer.add(name, std::move(all));
  };
  add("time", found->time);
  add("bursts", found->bursts);
  if (bins.data) {
    const auto& of = bins.data->definition();
    answer.document["data"] = {{"title", of.title}, {"unit", of.unit}};
    add("integral", found->integral);
    add("minimum", found->minimum);
    add("maximum", found->maximum);
  }
  answer.add("outside", std::move(found->outside));
  return answer;
}

/// export_metric → as metric with columns 0,
/// files, records, bytes: the metric as CSV (metrics/metric_csv.h).
Expected<Answer> export_metric(const Context& context, const ExportMetricOptions& options) {
  auto bound = bound_of(context, options.text);
  if (!bound) return forward(bound.error());
  auto question = question_of(options, **bound);
  if (!question) return forward(question.error());
  const auto& path = options.path;
  const auto written =
      export_metric_csv(**bound, *question, options.points, path, context.communicator, context.job);
  if (!written) return forward(written.error());
  Answer answer;
  answer.document = description(context, **bound, *question);
  answer.document["files"] = {path};
  answer.document["records"] = written->rows;
  answer.document["bytes"] = written->bytes;
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
