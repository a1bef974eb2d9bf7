#include "core/analysis/export/chrome_export.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "core/analysis/columns/launch_reader.h"
#include "core/analysis/export/chrome_event.h"
#include "core/analysis/export/chrome_places.h"
#include "core/base/output_file.h"
#include "core/base/stop.h"
#include "core/store/format/analysis_rows.h"
#include "core/store/trace/event_kinds.h"

namespace jitterscope::analysis {
namespace {

using store::ResourceKind;
using store::TransferKind;

constexpr std::size_t kRowsOfBlock = 4'096; // 2 MB of text, a few milliseconds
/// The importer reads the text after this category as the domain of a range.
constexpr const char* kRangeCategory = "user_annotation,";

const char* copy_name(TransferKind kind) {
  switch (kind) {
  case TransferKind::HostToDevice:
  case TransferKind::MigrationHostToDevice:
    return "Memcpy HtoD";
  case TransferKind::DeviceToHost:
  case TransferKind::MigrationDeviceToHost:
    return "Memcpy DtoH";
  case TransferKind::DeviceToDevice:
  case TransferKind::MigrationDeviceToDevice:
    return "Memcpy DtoD";
  case TransferKind::HostToHost:
    return "Memcpy HtoH";
  case TransferKind::PeerToPeer:
    return "Memcpy PtoP";
  case TransferKind::Memset:
    return "Memset";
  case TransferKind::Unknown:
    break;
  }
  return "Memcpy";
}

// "cuLaunchKernel" belongs to the driver's interface, "cudaLaunchKernel" to that of the runtime.
const char* category_of_call(std::string_view name) {
  const bool driver =
      name.size() > 2 && name.starts_with("cu") && std::isupper(static_cast<unsigned char>(name[2]));
  return driver ? "cuda_driver" : "cuda_runtime";
}

// Categories of PyTorch's host ranges are kept as domains; any other may mean something else to a reader.
std::string category_of_range(std::string_view domain) {
  for (const auto* known : {"cpu_op", "user_annotation", "python_function", "Operator", "overhead"})
    if (domain == known) return std::string(domain);
  return kRangeCategory + std::string(domain);
}

/// A column that the source recorded, as an argument of kernels.
struct RecordedColumn {
  std::string key; ///< key of the argument, with the unit: "l2_hits [%]"
  LaunchReader reader;
  bool text = false;
  std::vector<std::string> texts;
  std::vector<double> values; ///< values of the current rows
};

class ChromeWriter {
public:
  ChromeWriter(const Session& session, const LaunchColumns& columns, BufferedOutput& output, const Job& job)
      : session_(session), columns_(columns), output_(output), job_(job), places_(session),
        shift_(std::max<std::int64_t>(-session.span().begin.count, 0)) {
    for (const auto& trace : session.traces())
      for (const auto* table : {"calls", "ranges", "messages", "launches", "transfers", "samples"})
        all_ += static_cast<std::int64_t>(trace.store.table(table).rows);
  }

  Expected<void> write() {
    if (auto done = find_links(); !done) return done;
    add_header();
    for (std::size_t trace = 0; trace < session_.traces().size(); ++trace) {
      trace_ = trace;
      shift_here_ = session_.traces()[trace].shift_ns + shift_;
      const auto done = write_trace();
      if (!done) return done;
    }
    text_ += "\n]}\n";
    return output_.add(text_);
  }

  ChromeReport report() const {
    ChromeReport report;
    report.events = events_;
    const auto note = [&](std::int64_t count, const char* what) {
      if (count > 0) report.left_out.push_back(fmt::format("{} {}", count, what));
    };
    note(migrations_, "migrations of unified memory are written as ranges of their device");
    note(messages_,
         "MPI calls are written as ranges of their thread: opened again, the file has no MPI efficiencies");
    note(transmissions_, "transmissions between ranks are left out: the format has no messages");
    note(not_finite_, "samples without a finite value are left out");
    note(bursts_, "bursts of host threads are left out; their states are written");
    return report;
  }

private:
  const store::Store& store() const { return session_.traces()[trace_].store; }
  const ChromePlace& place(std::uint32_t resource) const { return places_.of(trace_, resource); }
  std::string_view string(std::uint32_t id) const { return store().string({id}); }

  ChromeEvent event(char phase, std::string_view category, std::string_view name, const ChromePlace& place) {
    text_ += events_++ > 0 ? ",\n" : "\n";
    return {text_, phase, category, name, place};
  }

  // Correlation numbers link calls to launches and copies. Keeps the recorded ones if there is one process
  // and each launch or copy has the number of its call; otherwise new numbers are assigned.
  Expected<void> find_links() {
    renumbered_ = places_.processes() > 1;
    Stop stop(job_);
    for (const auto& trace : session_.traces())
      for (const auto* table : {"launches", "transfers"}) {
        const auto calls = trace.store.column<std::uint32_t>(table, "call"),
                   own = trace.store.column<std::uint32_t>(table, "correlation"),
                   of_calls = trace.store.column<std::uint32_t>("calls", "correlation");
        for (std::size_t row = 0; row < calls.size() && !renumbered_; ++row) {
          if (stop.at(row)) return Job::cancelled_error();
          if (calls[row] >= of_calls.size()) continue;
          renumbered_ = own[row] == 0 || own[row] != of_calls[calls[row]];
        }
      }
    return {};
  }

  std::uint32_t correlation(std::uint32_t call, std::uint32_t own) const {
    if (!renumbered_) return own;
    return call < store().table("calls").rows ? static_cast<std::uint32_t>(calls_before_) + call + 1 : 0;
  }

  void add_header() {
    text_ += "{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\"";
    const auto& first = session_.traces().front();
    if (const auto utc = first.store.manifest().origin_utc_ns; utc >= 0)
      fmt::format_to(std::back_inserter(text_), ",\"baseTimeNanoseconds\":{}", utc - first.shift_ns - shift_);
    add_rank();
    add_devices();
    text_ += ",\n\"traceEvents\":[";
  }

  void add_rank() {
    if (places_.processes() != 1) return;
    for (const auto& resource : session_.traces().front().store.resources())
      if (resource.kind == ResourceKind::Process && resource.rank >= 0)
        fmt::format_to(std::back_inserter(text_), ",\"distributedInfo\":{{\"rank\":{}}}", resource.rank);
  }

  void add_devices() {
    std::set<std::int64_t> known;
    std::string list;
    for (const auto& trace : session_.traces())
      for (const auto& device : trace.store.manifest().devices) {
        if (device.resource >= trace.store.resources().size()) continue;
        const auto number = trace.store.resources()[device.resource].number;
        if (!known.insert(number).second) continue;
        fmt::format_to(std::back_inserter(list), "{}{{\"id\":{},\"name\":", list.empty() ? "" : ",", number);
        append_json_text(list, device.name);
        if (device.multiprocessors > 0)
          fmt::format_to(std::back_inserter(list), ",\"numSms\":{}", device.multiprocessors);
        list += '}';
      }
    text_ += ",\"deviceProperties\":[" + list + "]";
  }

  Expected<void> write_trace() {
    const auto& of_trace = store();
    add_names();
    auto done = rows("calls", [&](std::size_t row) { add_call(row); });
    calls_ = Named(of_trace, "calls", "thread");
    if (done) done = rows("ranges", [&](std::size_t row) { add_range(row); });
    if (done) done = write_messages();
    if (done) done = write_launches();
    if (done) done = rows("transfers", [&](std::size_t row) { add_copy(row); });
    if (done) done = write_samples();
    calls_before_ += of_trace.table("calls").rows;
    return done ? of_trace.check_intact() : done;
  }

  template <class Each>
  Expected<void> rows(const char* table, Each&& each) {
    const auto count = store().table(table).rows;
    return rows_from(0, count, each);
  }

  template <class Each>
  Expected<void> rows_from(std::size_t first, std::size_t last, Each&& each) {
    for (auto row = first; row < last; ++row) {
      if ((row - first) % kRowsOfBlock == 0)
        if (auto done = flush(); !done) return done;
      each(row);
      ++done_;
    }
    return {};
  }

  Expected<void> flush() {
    if (job_.cancelled()) return Job::cancelled_error();
    job_.progress(done_, all_, "rows");
    auto done = output_.add(text_);
    text_.clear();
    return done;
  }

  void add_names() {
    const auto& resources = store().resources();
    for (std::uint32_t r = 0; r < resources.size(); ++r) {
      const auto& resource = resources[r];
      const auto& at = place(r);
      const auto name = [&](const char* what, std::string_view text) {
        auto named = event('M', {}, what, at);
        named.argument("name", text);
        named.end();
      };
      switch (resource.kind) {
      case ResourceKind::Host:
        break;
      case ResourceKind::Process:
        if (!resource.name.empty()) name("process_name", resource.name);
        break;
      case ResourceKind::Device: {
        const auto title = fmt::format("GPU {}", at.device);
        const bool ranks = places_.processes() > 1 && at.rank >= 0;
        name("process_name", ranks ? fmt::format("{} rank {}", title, at.rank) : title);
        auto label = event('M', {}, "process_labels", at);
        label.argument("labels", std::string_view(title));
        label.end();
        break;
      }
      case ResourceKind::Stream:
        name("thread_name", resource.name.empty() ? fmt::format("stream {}", at.stream) : resource.name);
        break;
      case ResourceKind::Thread:
        if (!resource.name.empty()) name("thread_name", resource.name);
      }
    }
  }

  /// The columns that calls, ranges and messages have.
  struct Named {
    Named() = default;
    Named(const store::Store& store, const char* table, const char* place)
        : starts(store.starts(table)), durations(store.column<std::int64_t>(table, "duration")),
          places(store.column<std::uint32_t>(table, place)) {}
    std::span<const std::int64_t> starts;
    store::Values<std::int64_t> durations;
    store::Values<std::uint32_t> places;
  };

  void add_times(ChromeEvent& event, std::int64_t start, std::int64_t duration) const {
    event.time(start + shift_here_);
    event.duration(duration);
  }

  void add_call(std::size_t row) {
    const auto& of = store();
    const auto name = string(of.column<std::uint32_t>("calls", "name")[row]);
    const auto& at = place(of.column<std::uint32_t>("calls", "thread")[row]);
    auto call = event('X', category_of_call(name), name, at);
    add_times(call, of.starts("calls")[row], of.column<std::int64_t>("calls", "duration")[row]);
    const auto number =
        correlation(static_cast<std::uint32_t>(row), of.column<std::uint32_t>("calls", "correlation")[row]);
    if (number != 0) call.argument("correlation", std::int64_t{number});
    if (const auto result = of.column<std::uint32_t>("calls", "result")[row]; result != 0)
      call.argument("result", std::int64_t{result});
    if (renumbered_ && at.rank >= 0) call.argument("rank", std::int64_t{at.rank});
    call.end();
  }

  void add_range(std::size_t row) {
    const auto& of = store();
    const auto name = string(of.column<std::uint32_t>("ranges", "name")[row]);
    const auto domain = string(of.column<std::uint32_t>("ranges", "domain")[row]);
    const auto& at = place(of.column<std::uint32_t>("ranges", "thread")[row]);
    const auto start = of.starts("ranges")[row];
    const auto duration = of.column<std::int64_t>("ranges", "duration")[row];
    const auto kind = of.column<std::uint8_t>("ranges", "kind")[row];
    const auto category =
        kind == store::kStateRange ? "thread_state," + std::string(domain) : category_of_range(domain);
    if (kind == store::kMark) {
      auto mark = event('i', category, name, at);
      mark.time(start + shift_here_);
      mark.member("s", std::string_view("t"));
      return mark.end();
    }
    if (kind != store::kStartEndRange) {
      auto range = event('X', category, name, at);
      add_times(range, start, duration);
      return range.end();
    }
    const auto id = ++asynchronous_;
    for (const char phase : {'b', 'e'}) {
      auto end = event(phase, category, name, at);
      end.time(start + shift_here_ + (phase == 'e' ? duration : 0));
      end.member("id", id);
      end.end();
    }
  }

  // Where calls include those of MPI, messages repeat them.
  Expected<void> write_messages() {
    const auto* names = store().table("calls").find("name");
    const bool repeated = std::any_of(names->distinct->begin(), names->distinct->end(),
                                      [&](std::uint32_t name) { return string(name).starts_with("MPI_"); });
    const auto kinds = store().column<std::uint8_t>("messages", "kind");
    return rows("messages", [&](std::size_t row) {
      if (kinds[row] == store::kTransmission)
        ++transmissions_;
      else if (!repeated)
        add_message(row);
    });
  }

  void add_message(std::size_t row) {
    const auto& of = store();
    ++messages_;
    auto message = event('X', std::string(kRangeCategory) + "MPI",
                         string(of.column<std::uint32_t>("messages", "name")[row]),
                         place(of.column<std::uint32_t>("messages", "thread")[row]));
    add_times(message, of.starts("messages")[row], of.column<std::int64_t>("messages", "duration")[row]);
    if (const auto bytes = of.column<std::int64_t>("messages", "bytes")[row]; bytes >= 0)
      message.argument("bytes", bytes);
    for (const auto* key : {"peer", "tag"})
      if (const auto value = of.column<std::uint32_t>("messages", key)[row]; value != kNone)
        message.argument(key, std::int64_t{value});
    message.end();
  }

  Expected<void> write_launches() {
    if (store::analysis_rows(store()) != store::AnalysisRows::Launches) {
      bursts_ += session_.traces()[trace_].launches();
      return {};
    }
    std::vector<RecordedColumn> recorded;
    for (const auto& column : columns_.list()) {
      if (!column.stored || !column.recorded) continue;
      recorded.push_back(
          {column.unit.empty() ? column.name : fmt::format("{} [{}]", column.name, column.unit),
           LaunchReader(session_, columns_, column.name),
           column.kind == ColumnKind::Text,
           {},
           {}});
      if (recorded.back().text) recorded.back().texts = columns_.texts(column.name);
    }
    const auto launches = session_.traces()[trace_].launches();
    const auto block = static_cast<std::int64_t>(kRowsOfBlock);
    for (std::int64_t first = 0; first < launches; first += block) {
      const Segment segment{trace_, first, std::min(first + block, launches)};
      for (auto& column : recorded) {
        column.values.resize(static_cast<std::size_t>(segment.rows()));
        column.reader.read(segment, column.values.data());
      }
      const auto done = rows_from(
          static_cast<std::size_t>(segment.first), static_cast<std::size_t>(segment.last),
          [&](std::size_t row) { add_launch(row, row - static_cast<std::size_t>(first), recorded); });
      if (!done) return done;
    }
    return {};
  }

  void add_place(ChromeEvent& event, const ChromePlace& at) const {
    event.argument("device", at.device);
    event.argument("context", at.context);
    event.argument("stream", at.stream);
    if (renumbered_ && at.rank >= 0) event.argument("rank", std::int64_t{at.rank});
  }

  void add_launch(std::size_t row, std::size_t in_block, const std::vector<RecordedColumn>& recorded) {
    const auto& trace = session_.traces()[trace_];
    const auto& c = session_.configurations()[trace.configuration[trace.configurations()[row]]];
    const auto& name = session_.kernels()[c.kernel].name;
    const auto& at = place(store().column<std::uint32_t>("launches", "stream")[row]);
    const auto start = trace.starts()[row];
    const auto call = store().column<std::uint32_t>("launches", "call")[row];
    const auto number = correlation(call, store().column<std::uint32_t>("launches", "correlation")[row]);
    auto launch = event('X', "kernel", name.empty() ? "(unnamed)" : std::string_view(name), at);
    add_times(launch, start, trace.durations()[row]);
    add_place(launch, at);
    if (number != 0) launch.argument("correlation", std::int64_t{number});
    if (c.registers > 0) launch.argument("registers per thread", std::int64_t{c.registers});
    const auto shared = std::int64_t{c.static_shared_memory} + c.dynamic_shared_memory;
    launch.argument("shared memory", shared); // the sum, as in PyTorch's traces
    if (c.static_shared_memory > 0)
      launch.argument("kernel_details", fmt::format("static_shared:{}", c.static_shared_memory));
    if (c.grid[0] > 0) launch.argument("grid", c.grid);
    if (c.block[0] > 0) launch.argument("block", c.block);
    if ((store().column<std::uint8_t>("launches", "flags")[row] & store::kLaunchGraph) != 0)
      launch.argument("graph launch", std::int64_t{1});
    for (const auto& column : recorded) {
      const double value = column.values[in_block];
      if (!std::isfinite(value)) continue;
      if (!column.text)
        launch.argument(column.key, value);
      else if (value < static_cast<double>(column.texts.size()))
        launch.argument(column.key, column.texts[static_cast<std::size_t>(value)]);
    }
    launch.end();
    add_flow(call, at, start);
  }

  void add_copy(std::size_t row) {
    const auto& of = store();
    const auto kind = static_cast<TransferKind>(of.column<std::uint8_t>("transfers", "kind")[row]);
    const auto& at = place(of.column<std::uint32_t>("transfers", "stream")[row]);
    const auto start = of.starts("transfers")[row];
    const auto duration = of.column<std::int64_t>("transfers", "duration")[row];
    const auto bytes = of.column<std::int64_t>("transfers", "bytes")[row];
    if (store::is_migration(kind)) {
      ++migrations_;
      auto migration =
          event('X', "gpu_user_annotation", fmt::format("Unified Memory {}", copy_name(kind)), at);
      add_times(migration, start, duration);
      if (bytes >= 0) migration.argument("bytes", bytes);
      return migration.end();
    }
    const auto call = of.column<std::uint32_t>("transfers", "call")[row];
    const auto number = correlation(call, of.column<std::uint32_t>("transfers", "correlation")[row]);
    auto copy = event('X', kind == TransferKind::Memset ? "gpu_memset" : "gpu_memcpy", copy_name(kind), at);
    add_times(copy, start, duration);
    add_place(copy, at);
    if (number != 0) copy.argument("correlation", std::int64_t{number});
    if (bytes >= 0) {
      copy.argument("bytes", bytes);
      if (duration > 0)
        copy.argument("memory bandwidth (GB/s)", static_cast<double>(bytes) / static_cast<double>(duration));
    }
    copy.end();
    add_flow(call, at, start);
  }

  void add_flow(std::uint32_t call, const ChromePlace& to, std::int64_t start) {
    if (call >= calls_.starts.size()) return;
    const auto id = ++flows_;
    auto begin = event('s', "ac2g", "ac2g", place(calls_.places[call]));
    begin.time(calls_.starts[call] + shift_here_);
    begin.member("id", id);
    begin.end();
    auto end = event('f', "ac2g", "ac2g", to);
    end.time(start + shift_here_);
    end.member("id", id);
    end.member("bp", std::string_view("e"));
    end.end();
  }

  /// Names of the counters, made unique in each process of the file.
  std::vector<std::string> counter_names() {
    const auto& of = store();
    const auto names = of.column<std::uint32_t>("counters", "name"),
               resources = of.column<std::uint32_t>("counters", "device");
    std::map<std::pair<std::int64_t, std::string>, int> count;
    for (std::size_t c = 0; c < names.size(); ++c)
      ++count[{place(resources[c]).pid, std::string(string(names[c]))}];
    std::vector<std::string> unique;
    std::set<std::pair<std::int64_t, std::string>> taken;
    for (std::size_t c = 0; c < names.size(); ++c) {
      const auto pid = place(resources[c]).pid;
      std::string name(string(names[c]));
      if (count[{pid, name}] > 1)
        name = fmt::format("{} ({})", name,
                           of.resources()[resources[c]].name.empty()
                               ? fmt::format("thread {}", of.resources()[resources[c]].number)
                               : of.resources()[resources[c]].name);
      for (int n = 2; !taken.emplace(pid, name).second; ++n) name += fmt::format(" {}", n);
      unique.push_back(std::move(name));
    }
    return unique;
  }

  Expected<void> write_samples() {
    const auto& of = store();
    const auto names = counter_names();
    const auto resources = of.column<std::uint32_t>("counters", "device"),
               units = of.column<std::uint32_t>("counters", "unit"),
               counters = of.column<std::uint32_t>("samples", "counter");
    const auto values = of.column<double>("samples", "value");
    const auto times = of.starts("samples");
    return rows("samples", [&](std::size_t row) {
      const double value = values[row];
      const auto counter = counters[row];
      if (counter >= names.size()) return;
      if (!std::isfinite(value)) {
        ++not_finite_;
        return;
      }
      auto sample = event('C', {}, names[counter], place(resources[counter]));
      sample.time(times[row] + shift_here_);
      const auto unit = string(units[counter]);
      sample.argument(unit.empty() ? "value" : unit, value);
      sample.end();
    });
  }

  const Session& session_;
  const LaunchColumns& columns_;
  BufferedOutput& output_;
  const Job& job_;
  ChromePlaces places_;
  std::int64_t shift_;    ///< added to the session's times, so that none is negative
  std::size_t trace_ = 0; ///< the trace that is being written; shift_here_ and calls_ belong to it
  std::int64_t shift_here_ = 0;
  std::size_t calls_before_ = 0; ///< number of calls in the traces before trace_
  Named calls_;
  std::string text_;
  bool renumbered_ = false;
  std::int64_t events_ = 0, flows_ = 0, asynchronous_ = 0, done_ = 0, all_ = 0;
  std::int64_t migrations_ = 0, messages_ = 0, transmissions_ = 0, not_finite_ = 0, bursts_ = 0;
};

} // namespace

Expected<ChromeReport> export_chrome(const Session& session, const LaunchColumns& columns,
                                     const std::string& path, const Job& job) {
  if (session.launch_order())
    return failure(ErrorKind::BadUse, "tables without times cannot be written as a Chrome trace", path, {},
                   "Open a trace that records when kernels and calls ran.");
  auto file = OutputFile::create(path);
  if (!file) return forward(file.error());
  BufferedOutput output(std::move(*file));
  ChromeWriter writer(session, columns, output, job);
  auto done = writer.write();
  if (done) done = output.finish(job);
  if (!done) return forward(done.error());
  auto report = writer.report();
  report.bytes = output.bytes();
  return report;
}

} // namespace jitterscope::analysis
