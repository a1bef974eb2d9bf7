#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/efficiency/efficiency_json.h"
#include "core/efficiency/talp/talp.h"
#include "core/engine/messages/request_limits.h"
#include "core/engine/operations/derived_inputs.h"

namespace jitterscope::engine {
namespace {

using nlohmann::json;
using namespace efficiency;

/// The traces to analyse: those in `traces`, else all but those in `traces_except`; empty: all.
Expected<std::vector<std::string>> traces_of(const analysis::Session& session,
                                             const EfficiencyOptions& options) {
  std::vector<std::string> all;
  for (const auto& trace : session.traces()) all.push_back(trace.name);
  const auto &requested = options.traces, &except = options.traces_except;
  for (const auto* names : {&requested, &except})
    for (const auto& name : *names)
      if (std::ranges::find(all, name) == all.end())
        return failure(ErrorKind::BadUse, "\"" + name + "\" is not a trace of this session", {}, "traces",
                       fmt::format("Traces: {}.", fmt::join(all, ", ")));
  if (except.empty()) return requested;
  std::erase_if(all,
                [&](const std::string& name) { return std::ranges::find(except, name) != except.end(); });
  if (all.empty())
    return failure(
        ErrorKind::BadUse, "no trace remains to be analysed without " + except.front(), {}, {},
        "Several profiler files are read as one trace. Import each run with \"jitterscope import\" "
        "and open the stores.");
  return all;
}

} // namespace

Expected<Options> efficiency_options(const analysis::Session& session, const EfficiencyOptions& options) {
  Options requested;
  const auto& as = options.collectives_as;
  if (!as.empty() && as != "comm" && as != "useful")
    return failure(ErrorKind::BadUse, "collectives cannot count as \"" + as + "\"", {}, "collectives-as",
                   "Use comm or useful.");
  requested.collectives = as == "useful" ? Collectives::Useful : Collectives::Communication;
  requested.ranks = options.ranks;
  requested.devices = options.devices;
  auto traces = traces_of(session, options);
  if (!traces) return forward(traces.error());
  requested.traces = std::move(*traces);
  requested.ideal = options.ideal_ns;
  auto range = range_of(options.begin_ns, options.end_ns);
  if (!range) return forward(range.error());
  requested.range = *range;
  requested.parts = options.parts;
  return requested;
}

Expected<std::shared_ptr<const Activity>> activity_of(const Context& context) {
  auto& workspace = context.workspace;
  return kept_by_all(context.communicator, workspace.activity,
                     [&] { return Activity::make(*workspace.session, context.communicator, context.job); });
}

namespace {

/// Adds sums for a comparison with another run, and the comparison itself if a reference is given.
Expected<void> add_sums(const Context& context, const EfficiencyOptions& options, const Activity& activity,
                        const Result& result, json& document) {
  if (!options.sums && options.reference.empty()) return {};
  const auto& session = *context.workspace.session;
  auto counters = useful_counters(activity, session, result, context.communicator, context.job);
  if (!counters) return forward(counters.error());
  auto kernels = kernel_times(activity, session, result, context.communicator, context.job);
  if (!kernels) return forward(kernels.error());
  document["sums"] = sums_json(activity, session, result, *counters, *kernels);
  if (options.reference.empty()) return {};
  if (auto within = check_text(options.reference); !within) return forward(within.error());
  auto compared = scaling_json(result, document["sums"], json::parse(options.reference));
  if (!compared) return forward(compared.error());
  document["scaling"] = std::move(*compared);
  return {};
}

/// Adds the track of each device and host thread, null if there is none. Only rank 0 has tracks, and only its
/// answer is used.
void add_tracks(const Context& context, json& document) {
  if (!context.workspace.tracks) return;
  for (const char* rows : {"devices", "hosts"})
    for (auto& row : document[rows]) {
      const auto track = context.workspace.tracks->track_of_resource(row.at("trace"), row.at("resource"));
      row["track"] = track == kNone ? json() : json(track);
    }
}

/// `count` consecutive ranges of equal length (the last ones 1 ns shorter if it does not divide
/// evenly).
std::vector<Interval> equal_parts(const Interval& range, std::int64_t count) {
  const auto length = range.length().count;
  count = std::clamp<std::int64_t>(count, 1, std::max<std::int64_t>(length, 1));
  const auto border = [&](std::int64_t part) {
    return range.begin.count + length / count * part + std::min(part, length % count);
  };
  std::vector<Interval> parts;
  for (std::int64_t part = 0; part < count; ++part) parts.push_back({{border(part)}, {border(part + 1)}});
  return parts;
}

/// The parts of a timeline; together they cover the range of all other results.
Expected<std::vector<Interval>> timeline_parts(const Context& context, const Activity& activity,
                                               Options requested, std::int64_t count, bool fits) {
  const auto rows = static_cast<std::int64_t>(activity.devices().size() + activity.hosts().size());
  if (fits)
    count = std::min(count, std::max<std::int64_t>(kMaxCells / std::max<std::int64_t>(rows, 1) - 1, 1));
  if (count < 1 || count > kMaxCells)
    return failure(ErrorKind::BadUse, fmt::format("a timeline has 1 to {} parts", kMaxCells), {}, "timeline");
  if (!requested.range) {
    auto whole =
        efficiencies(activity, *context.workspace.session, requested, context.communicator, context.job);
    if (!whole) return forward(whole.error());
    requested.range = whole->range;
  }
  const auto recorded = recorded_time(activity, *context.workspace.session);
  const auto range = common_part(*requested.range, recorded);
  return equal_parts(range.empty() ? *requested.range : range, count);
}

/// The result as TALP's JSON, in which collectives count as useful.
Expected<json> talp_document(const Context& context, const Activity& activity, Options requested) {
  const auto& session = *context.workspace.session;
  requested.collectives = Collectives::Useful;
  requested.parts.clear();
  auto result = efficiencies(activity, session, requested, context.communicator, context.job);
  if (!result) return forward(result.error());
  auto counters = useful_counters(activity, session, *result, context.communicator, context.job);
  if (!counters) return forward(counters.error());
  TalpFacts facts;
  facts.version = JITTERSCOPE_VERSION;
  facts.mpi_calls = mpi_calls_in(activity, *result);
  const auto& first = session.traces().front();
  const auto origin = first.store.manifest().origin_utc_ns;
  if (origin >= 0) facts.begin_utc_ns = origin + result->range.begin.count - first.shift_ns;
  return talp_json(activity, session, *result, *counters, facts);
}

/// efficiency → efficiency_json.h, devices and hosts with their `track`; with by
/// "rank" `ranks`, with "device" `by_device`, with "step" `steps` {name, host, ranges: parts}, with parts
/// `parts`, with timeline `timeline`: parts, with talp `talp`: a document of TALP, with sums or reference
/// `sums` and `scaling`.
Expected<Answer> efficiency(const Context& context, const EfficiencyOptions& options) {
  if (auto open = require_session(context.workspace); !open) return forward(open.error());
  auto requested = efficiency_options(*context.workspace.session, options);
  if (!requested) return forward(requested.error());
  auto activity = activity_of(context);
  if (!activity) return forward(activity.error());
  const auto& session = *context.workspace.session;
  const auto& by = options.by;
  if (!by.empty() && by != "rank" && by != "device" && by != "step")
    return failure(ErrorKind::BadUse, "efficiencies cannot be divided by \"" + by + "\"", {}, "by",
                   "Use rank, device or step.");
  Steps steps;
  if (by == "step") {
    auto found = find_steps(**activity, session, options.step, requested->range, context.job);
    if (!found) return forward(found.error());
    steps = std::move(*found);
    requested->parts = steps.ranges;
  }
  const auto columns = options.timeline.value_or(0);
  if (options.timeline) {
    if (by == "step" || !requested->parts.empty())
      return failure(ErrorKind::BadUse,
                     "a timeline cannot be combined with steps or other parts of the range", {}, "timeline",
                     "Request either steps or a timeline.");
    auto parts = timeline_parts(context, **activity, *requested, columns, options.timeline_fits);
    if (!parts) return forward(parts.error());
    requested->parts = std::move(*parts);
  }
  auto result = efficiencies(**activity, session, *requested, context.communicator, context.job);
  if (!result) return forward(result.error());
  Answer answer;
  answer.document = to_json(**activity, session, *result, static_cast<std::size_t>(options.most_rows));
  add_tracks(context, answer.document);
  if (by == "rank") answer.document["ranks"] = ranks_json(**activity, *result);
  if (by == "device") answer.document["by_device"] = device_factors_json(**activity, *result);
  if (by == "step")
    answer.document["steps"] = {{"name", steps.name}, {"host", steps.host}, {"ranges", parts_json(*result)}};
  else if (!requested->parts.empty())
    answer.document[columns > 0 ? "timeline" : "parts"] = parts_json(*result);
  if (options.talp) {
    auto talp = talp_document(context, **activity, *requested);
    if (!talp) return forward(talp.error());
    answer.document["talp"] = std::move(*talp);
  }
  if (auto added = add_sums(context, options, **activity, *result, answer.document); !added)
    return forward(added.error());
  return answer;
}

} // namespace

std::vector<Operation> efficiency_operations() {
  return {{Reach::AllRanks, efficiency}};
}

} // namespace jitterscope::engine
