#include "core/analysis/session/session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "core/analysis/session/trace_names.h"
#include "core/analysis/session/trace_span.h"
#include "core/store/trace/collective_kernels.h"

namespace jitterscope::analysis {
namespace {

// Concatenates tables: the first row of each follows the last row of the previous one.
Expected<bool> align_tables(std::vector<Trace>& traces) {
  // Descriptions of machines (OSU, MT4G, BabelStream) have no times, so they can join any session.
  const auto machine = [](const Trace& t) {
    const auto& of = t.store.manifest().machine;
    return t.launches() == 0 && !(of.gpus.empty() && of.networks.empty() && of.bandwidths.empty());
  };
  const bool only_machines = std::all_of(traces.begin(), traces.end(), machine);
  const auto table = [&](const Trace& t) {
    return t.store.manifest().launch_order && (only_machines || !machine(t));
  };
  if (std::none_of(traces.begin(), traces.end(), table)) return false;
  std::int64_t before = 0;
  for (auto& trace : traces) {
    if (!only_machines && machine(trace)) continue;
    if (!table(trace))
      return failure(ErrorKind::BadUse, "traces with times and tables without times cannot share a time axis",
                     trace.store.path(), {}, "Open them separately.");
    trace.shift_ns = before;
    trace.alignment = "launch order: the rows of each table follow those of the previous table";
    before += trace.launches();
  }
  return true;
}

// Shifts every store so that equal absolute times coincide; without absolute times, all begin at 0.
void align(std::vector<Trace>& traces) {
  if (traces.size() == 1) {
    traces.front().alignment = "the only trace: its own time axis";
    return;
  }
  const bool absolute = std::all_of(traces.begin(), traces.end(),
                                    [](const Trace& t) { return t.store.manifest().origin_utc_ns >= 0; });
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const auto& trace : traces) earliest = std::min(earliest, trace.store.manifest().origin_utc_ns);
  for (auto& trace : traces) {
    trace.shift_ns = absolute ? trace.store.manifest().origin_utc_ns - earliest : 0;
    trace.alignment = absolute
                          ? "aligned by the absolute start time of each capture"
                          : "not aligned: at least one trace has no absolute time, so all traces start at 0";
  }
}

void widen(Interval& span, bool& any, std::int64_t begin, std::int64_t end) {
  if (!any) span = {{begin}, {end}};
  span.begin.count = std::min(span.begin.count, begin);
  span.end.count = std::max(span.end.count, end);
  any = true;
}

std::vector<std::string> inputs_of(const std::vector<Trace>& traces) {
  std::vector<std::string> paths;
  for (const auto& trace : traces) {
    paths.push_back(trace.store.path());
    for (const auto& source : trace.store.manifest().sources) paths.push_back(source.path);
  }
  return paths;
}

} // namespace

Expected<Session> Session::open(const std::vector<std::string>& paths, const Job& job, KernelNames names) {
  Session session;
  session.kernel_names_ = names;
  if (paths.empty()) return failure(ErrorKind::BadUse, "no store was given");
  for (const auto& path : paths) {
    std::error_code ignored;
    const auto type = std::filesystem::status(path, ignored).type();
    using enum std::filesystem::file_type;
    if (type == character || type == block || type == fifo || type == socket) // reading one may never end
      return failure(ErrorKind::BadInput, "this is a device or a pipe, not a store", path, {},
                     "Copy its content into a file first.");
    auto opened = store::Store::open(path, store::Access::Mapped, job);
    if (!opened) return forward(opened.error());
    session.traces_.push_back({std::move(*opened), {}, 0, 0, {}, {}, {}});
  }
  session.inputs_ = InputFiles(inputs_of(session.traces_));
  session.name_traces();
  const auto tables = align_tables(session.traces_);
  if (!tables) return forward(tables.error());
  session.launch_order_ = *tables;
  if (!*tables) align(session.traces_);
  for (auto& trace : session.traces_) {
    if (job.cancelled()) return Job::cancelled_error();
    session.join(trace);
  }
  session.prepare();
  return session;
}

void Session::name_traces() {
  std::vector<TraceOrigin> origins;
  for (const auto& trace : traces_) {
    const auto& sources = trace.store.manifest().sources;
    origins.push_back({sources.empty() ? std::string() : sources.front().path, trace.store.path()});
  }
  auto names = names_of_traces(origins);
  for (std::size_t t = 0; t < traces_.size(); ++t) traces_[t].name = std::move(names[t]);
}

void Session::join(Trace& trace) {
  const auto& store = trace.store;
  trace.first_launch = launches_;
  launches_ += trace.launches();
  std::map<std::string, std::uint32_t, std::less<>> known_kernels;
  for (std::size_t k = 0; k < kernels_.size(); ++k)
    known_kernels.emplace(kernels_[k].name, static_cast<std::uint32_t>(k));
  const auto names = store.column<std::uint32_t>("kernels", "name");
  const auto short_names = store.column<std::uint32_t>("kernels", "short_name");
  const store::CollectiveKernels is_collective(store.manifest().collective_kernels);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto short_name = store.string({short_names[k]});
    const bool is_short = kernel_names_ == KernelNames::Short && !short_name.empty();
    const auto name = is_short ? short_name : store.string({names[k]});
    const auto [place, added] =
        known_kernels.emplace(std::string(name), static_cast<std::uint32_t>(kernels_.size()));
    if (added) kernels_.push_back({std::string(name), std::string(short_name)});
    kernels_[place->second].collective |= is_collective(store.string({names[k]}));
    trace.kernel.push_back(place->second);
  }
  using Key = std::pair<std::array<std::uint32_t, 10>, std::string>;
  const auto key_of = [](const Configuration& c) {
    return Key{{c.kernel, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                c.static_shared_memory, c.dynamic_shared_memory, c.registers},
               c.variant};
  };
  std::map<Key, std::uint32_t> known;
  for (std::size_t c = 0; c < configurations_.size(); ++c)
    known.emplace(key_of(configurations_[c]), static_cast<std::uint32_t>(c));
  const auto field = [&](const char* name) { return store.column<std::uint32_t>("configurations", name); };
  const auto kernel = field("kernel"), gx = field("grid_x"), gy = field("grid_y"), gz = field("grid_z"),
             bx = field("block_x"), by = field("block_y"), bz = field("block_z"),
             fixed = field("static_shared_memory"), dynamic = field("dynamic_shared_memory"),
             registers = field("registers"), variant = field("variant");
  for (std::size_t c = 0; c < kernel.size(); ++c) {
    const Configuration configuration{trace.kernel[kernel[c]],
                                      {gx[c], gy[c], gz[c]},
                                      {bx[c], by[c], bz[c]},
                                      fixed[c],
                                      dynamic[c],
                                      registers[c],
                                      std::string(store.string({variant[c]})),
                                      0,
                                      0,
                                      0};
    const auto [place, added] =
        known.emplace(key_of(configuration), static_cast<std::uint32_t>(configurations_.size()));
    if (added) configurations_.push_back(configuration);
    trace.configuration.push_back(place->second);
  }
}

// Sums per configuration come from the stores: no launch is read.
void Session::prepare() {
  bool any = false, any_event = false;
  for (const auto& trace : traces_) {
    const auto totals = trace.store.totals();
    for (std::size_t c = 0; c < trace.configuration.size(); ++c) {
      auto& configuration = configurations_[trace.configuration[c]];
      configuration.launches += totals.launches[c];
      configuration.measured += totals.measured[c];
      configuration.duration_sum_ns += totals.duration_sum[c];
      has_durations_ = has_durations_ || totals.measured[c] > 0;
    }
    if (const auto span = span_of(trace.store))
      widen(span_, any_event, span->begin.count + trace.shift_ns, span->end.count + trace.shift_ns);
    if (const auto& launches = trace.store.table("launches"); launches.rows > 0)
      widen(launch_span_, any, launches.extent.begin.count + trace.shift_ns,
            launches.extent.end.count + trace.shift_ns);
  }
}

std::vector<Segment> Session::segments(std::int64_t first, std::int64_t last) const {
  std::vector<Segment> found;
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    const auto begin = std::max(first - traces_[t].first_launch, std::int64_t{0});
    const auto end = std::min(last - traces_[t].first_launch, traces_[t].launches());
    if (begin < end) found.push_back({t, begin, end});
  }
  return found;
}

std::vector<Segment> Session::launches_in(Interval interval) const {
  std::vector<Segment> found;
  for (std::size_t t = 0; t < traces_.size(); ++t) {
    const auto starts = traces_[t].starts();
    const auto at = [&](Nanoseconds time) {
      return std::lower_bound(starts.begin(), starts.end(), time.count - traces_[t].shift_ns) -
             starts.begin();
    };
    const auto first = at(interval.begin), last = at(interval.end);
    if (first < last) found.push_back({t, first, last});
  }
  return found;
}

} // namespace jitterscope::analysis
