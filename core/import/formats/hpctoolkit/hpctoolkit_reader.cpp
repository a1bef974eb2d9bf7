#include "core/import/formats/hpctoolkit/hpctoolkit_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/core.h>

#include "core/import/formats/hpctoolkit/database.h"
#include "core/import/records/events.h"
#include "core/import/records/kernel_names.h"
#include "core/import/records/places.h"
#include "core/import/records/row_issues.h"
#include "core/import/text/text.h"

namespace jitterscope::import::hpctoolkit {
namespace {

using namespace std::string_view_literals;
using store::Severity;
using store::TransferKind;

constexpr auto kMagic = "HPCTOOLKIT"sv, kMeta = "meta"sv, kProfile = "prof"sv, kContext = "ctxt"sv,
               kTrace = "trce"sv;
constexpr std::size_t kFormat = 10, kMajor = 14, kMinor = 15; // offsets in the header
constexpr unsigned char kVersion = 4;

// "trace.db version 4.0" in HPCToolkit's description of its formats; in B.
constexpr std::uint64_t kHeaders = 0x10, kProfileOfLine = 0x00, kStartOfLine = 0x08, kEndOfLine = 0x10,
                        kLine = 0x18;
constexpr std::uint64_t kElement = 12, kContextOfElement = 8;
constexpr std::uint64_t kElementsAtOnce = 1 << 16;

std::string_view format_of(const Input& input) {
  return std::string_view(input.head).substr(std::min(kFormat, input.head.size()), 4);
}

const Input* find(std::span<const Input> inputs, std::string_view format) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const Input& input) { return format_of(input) == format; });
  return found == inputs.end() ? nullptr : &*found;
}

/// The activity of a stream, from the placeholder "<gpu …>" on a path.
enum class Activity { None, Kernel, CopyIn, CopyOut, Copy, Memset, Other };

Activity activity_of(std::string_view name) {
  if (!name.starts_with("<gpu ") && !name.starts_with("<omp tgt ")) return Activity::None;
  const auto word = name.substr(name.rfind(' ') + 1);
  if (word == "kernel>") return Activity::Kernel;
  if (word == "copyin>") return Activity::CopyIn;
  if (word == "copyout>") return Activity::CopyOut;
  if (word == "copy>") return Activity::Copy;
  return word == "memset>" ? Activity::Memset : Activity::Other;
}

TransferKind transfer_of(Activity activity) {
  if (activity == Activity::CopyIn) return TransferKind::HostToDevice;
  if (activity == Activity::CopyOut) return TransferKind::DeviceToHost;
  return activity == Activity::Memset ? TransferKind::Memset : TransferKind::Unknown;
}

/// The placeholder of a path and the function below it, which is the kernel.
struct GpuPath {
  Activity activity = Activity::None;
  std::string name;
};

class Lines {
public:
  Lines(const Contexts& contexts, Draft& draft, RowIssues& issues)
      : contexts_(contexts), draft_(draft), issues_(issues), kernels_(draft),
        domain_(draft.strings.intern("functions").value) {}

  void set_base(std::int64_t base) { base_ = base; }

  void begin(const Place& place) {
    place_ = place;
    resource_ = kNone;
    open_.clear();
    last_ = kNone;
  }

  void add(std::uint64_t timestamp, std::uint64_t context) {
    if (timestamp > static_cast<std::uint64_t>(kLatestTime))
      return issues_.count(Severity::Drop, "impossible-time", [&] {
        return fmt::format("a sample has the timestamp {} ns, which is out of range", timestamp);
      });
    const auto time = static_cast<std::int64_t>(timestamp) - base_;
    const auto function = contexts_.function_of(context);
    if (context != 0 && function == kNone)
      issues_.count(Severity::Drop, "unknown-context", [&] {
        return fmt::format("the sample at {} ns has a calling context ({}) that meta.db does not list",
                           timestamp, context);
      });
    if (place_.on_gpu())
      end_activity(time);
    else
      move_to(function, time);
    last_ = function;
    last_time_ = time;
  }

  /// Ends the trace line: its last sample has no end.
  void end() {
    if (!place_.on_gpu()) {
      close(0, last_time_);
      return ended_.finish(draft_);
    }
    if (last_ != kNone)
      issues_.count(Severity::Drop, "no-end", [] { return "the last activity of a stream has no end"; });
  }

private:
  struct Open {
    std::uint32_t function;
    std::int64_t start;
  };

  // Keeps the functions open that both call paths share.
  void move_to(std::uint32_t function, std::int64_t time) {
    if (function == last_ && !open_.empty()) return;
    const auto path = contexts_.path_to(function);
    std::size_t shared = 0;
    while (shared < std::min(path.size(), open_.size()) && open_[shared].function == path[shared]) ++shared;
    close(shared, time);
    for (auto next = shared; next < path.size(); ++next) open_.push_back({path[next], time});
  }

  void close(std::size_t from, std::int64_t time) {
    for (; open_.size() > from; open_.pop_back())
      if (const auto times = checked(open_.back().start, time); times && times->duration > 0) {
        push_range(draft_, *times, draft_.strings.intern(contexts_[open_.back().function].name).value,
                   domain_, thread(), kPushPopRange);
        ended_.add(draft_);
      }
  }

  void end_activity(std::int64_t time) {
    if (last_ == kNone) return;
    const auto known = gpu_paths_.find(last_);
    const auto& path =
        known != gpu_paths_.end() ? known->second : gpu_paths_.emplace(last_, gpu_path(last_)).first->second;
    const auto times = path.activity == Activity::None ? std::nullopt : checked(last_time_, time);
    if (!times) return;
    if (path.activity == Activity::Other)
      return issues_.count(Severity::Info, "not-imported", [&] {
        return fmt::format("activities of streams such as \"{}\" are not imported", path.name);
      });
    if (path.activity != Activity::Kernel) {
      issues_.count(Severity::Info, "unknown-bytes",
                    [] { return "copies do not state how many bytes they moved: their size is unknown"; });
      return push_transfer(draft_, *times, transfer_of(path.activity), store::kUnknownBytes, stream(), 0);
    }
    Configuration configuration;
    configuration.kernel = kernels_.of(path.name).kernel;
    push_launch(draft_, *times, draft_.configuration(configuration), stream(), 0);
  }

  GpuPath gpu_path(std::uint32_t function) const {
    for (std::uint32_t below = kNone; function != kNone;
         below = function, function = contexts_[function].parent) {
      const auto& name = contexts_[function].name;
      const auto activity = activity_of(name);
      if (activity == Activity::None) continue;
      if (below != kNone) return {activity, contexts_[below].name};
      const std::string what(name.substr(1, name.size() - 2)); // without "<" and ">"
      const auto caller = contexts_[function].parent;
      return {activity, caller == kNone ? what : fmt::format("{} of {}", what, contexts_[caller].name)};
    }
    return {};
  }

  std::optional<Times> checked(std::int64_t start, std::int64_t end) {
    return checked_times(issues_, start, end, [] { return std::string("a sample of a trace line"); });
  }

  Places& node() {
    auto found = nodes_.find(place_.node);
    if (found != nodes_.end()) return found->second;
    found = nodes_.try_emplace(place_.node, draft_).first;
    if (place_.node != 0)
      draft_.resources[found->second.host()].name = fmt::format("node {:08x}", place_.node);
    return found->second;
  }

  std::uint32_t process() {
    const auto row =
        node().process(place_.rank.value_or(0), place_.rank ? fmt::format("rank {}", *place_.rank) : "");
    if (place_.rank && *place_.rank <= kMaxRank)
      draft_.resources[row].rank = static_cast<std::int32_t>(*place_.rank);
    return row;
  }

  std::uint32_t thread() {
    if (resource_ == kNone) resource_ = node().thread(process(), place_.thread.value_or(0));
    return resource_;
  }

  std::uint32_t stream() {
    if (resource_ == kNone)
      resource_ =
          node().stream(node().device(process(), place_.device.value_or(place_.gpu_context.value_or(0))),
                        place_.stream.value_or(0));
    return resource_;
  }

  static constexpr std::uint32_t kMaxRank = 1 << 30;

  const Contexts& contexts_;
  Draft& draft_;
  RowIssues& issues_;
  KernelNames kernels_;
  std::uint32_t domain_;
  std::map<std::uint64_t, Places> nodes_;
  Place place_;
  std::uint32_t resource_ = kNone; ///< thread or stream of the trace line, created on first use
  std::vector<Open> open_;
  EndedRanges ended_;
  std::uint32_t last_ = kNone;
  std::int64_t base_ = 0, last_time_ = 0;
  std::unordered_map<std::uint32_t, GpuPath>
      gpu_paths_; ///< by innermost function of a path (row of Contexts)
};

class Trace {
public:
  Trace(const File& file, const std::vector<std::optional<Place>>& places, Lines& lines, RowIssues& issues,
        const Progress& progress)
      : file_(file), places_(places), lines_(lines), issues_(issues), progress_(progress) {}

  Expected<void> read(store::Source& source) {
    const auto headers = file_.section(kHeaders);
    if (!headers) return forward(headers.error());
    const auto begin = headers->begin();
    const auto traces = headers->number_or(begin, 8, 0), count = headers->number_or(begin + 8, 4, 0),
               stride = headers->number_or(begin + 12, 1, 0), first = headers->number_or(begin + 16, 8, 0);
    if (first <= static_cast<std::uint64_t>(kLatestTime) && first >= kEpoch) {
      lines_.set_base(static_cast<std::int64_t>(first));
      source.utc_ns = static_cast<std::int64_t>(first);
    }
    std::uint64_t listed = 0;
    for (; listed < count && stride >= kLine && headers->holds(traces + listed * stride, kLine); ++listed)
      if (auto done = read_line(*headers, traces + listed * stride); !done) return done;
    if (listed < count) lose("the list of trace lines is damaged: the rest of it is lost");
    return {};
  }

private:
  static constexpr std::uint64_t kEpoch = 1'000'000'000'000'000'000; // in 2001; larger times count from 1970

  void lose(const char* what) {
    issues_.count(Severity::Drop, "damaged-file", [&] { return std::string(what); });
  }

  Expected<void> read_line(const Bytes& headers, std::uint64_t at) {
    const auto profile = headers.number_or(at + kProfileOfLine, 4, 0);
    const auto begin = headers.number_or(at + kStartOfLine, 8, 0),
               end = headers.number_or(at + kEndOfLine, 8, 0);
    if (begin > end || end > file_.size()) {
      lose("a trace line is outside trace.db and is lost");
      return {};
    }
    if (elements_ += (end - begin) / kElement; elements_ > file_.size() / kElement) {
      lose("trace lines overlap: the later lines are lost");
      return {};
    }
    const bool known = profile < places_.size() && places_[profile];
    if (!known)
      issues_.count(Severity::Doubt, "unknown-thread", [] {
        return "profile.db does not state the thread or stream of a trace line: it is shown as a separate "
               "thread";
      });
    Place place;
    place.thread = static_cast<std::uint32_t>(profile);
    lines_.begin(known ? *places_[profile] : place);
    for (auto from = begin; from + kElement <= end; from += kElementsAtOnce * kElement)
      if (auto done = read_elements(from, std::min(end, from + kElementsAtOnce * kElement)); !done)
        return done;
    lines_.end();
    return {};
  }

  Expected<void> read_elements(std::uint64_t from, std::uint64_t end) {
    if (!progress_.report(static_cast<std::int64_t>(from), static_cast<std::int64_t>(file_.size()),
                          "samples"))
      return Job::cancelled_error();
    const auto bytes = file_.read(from, end - from);
    if (!bytes) return forward(bytes.error());
    for (auto at = from; bytes->holds(at, kElement); at += kElement)
      lines_.add(bytes->number_or(at, 8, 0), bytes->number_or(at + kContextOfElement, 4, 0));
    return {};
  }

  const File& file_;
  const std::vector<std::optional<Place>>& places_;
  Lines& lines_;
  RowIssues& issues_;
  const Progress& progress_;
  std::uint64_t elements_ = 0;
};

Expected<void> check_version(const Input& input, store::Source& source) {
  if (input.head.size() <= kMinor)
    return failure(ErrorKind::BadInput, "the file is truncated inside its header", input.name(), {},
                   "Copy the whole database again, or create it again with hpcprof.");
  const auto major = static_cast<unsigned char>(input.head[kMajor]),
             minor = static_cast<unsigned char>(input.head[kMinor]);
  source.schema = fmt::format("{}.{}", major, minor);
  if (major == kVersion) return {};
  return failure(
      ErrorKind::BadInput,
      fmt::format("this HPCToolkit database has version {}; only version {} is supported", source.schema,
                  kVersion),
      input.name(), {},
      "Create the database again from the measurements with hpcprof of HPCToolkit 2022.10 or later.");
}

tl::unexpected<Error> missing(const Input& input, const char* what, const char* hint) {
  return failure(ErrorKind::BadInput, fmt::format("{} is missing", what), input.name(), {}, hint);
}

bool recognises(const Input& input) {
  constexpr std::array kFormats = {kMeta, kProfile, kContext, kTrace};
  return input.head.starts_with(kMagic) &&
         std::find(kFormats.begin(), kFormats.end(), format_of(input)) != kFormats.end();
}

std::string group(const Input& input) {
  return input.folder();
}

std::vector<std::string> companions(const Input& input) {
  const auto folder = std::filesystem::path(input.path).parent_path();
  if (!input.member.empty()) return {};
  std::vector<std::string> files;
  for (const auto* name : {"meta.db", "profile.db", "trace.db"})
    if (const auto file = folder / name; file != std::filesystem::path(input.path))
      files.push_back(file.string());
  return files;
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  source.tool = "HPCToolkit";
  for (const auto& input : inputs)
    if (auto done = check_version(input, source); !done) return done;
  const auto *meta = find(inputs, kMeta), *trace = find(inputs, kTrace), *profile = find(inputs, kProfile);
  if (!trace)
    return missing(
        inputs.front(), "trace.db, which contains the times,",
        "Record with traces (hpcrun -t …), then create the database with hpcprof and open its folder.");
  if (!meta)
    return missing(*trace, "meta.db, which contains the names of functions,",
                   "Keep the whole database together and open its folder.");
  const auto names = File::open(*meta, progress.job);
  if (!names) return forward(names.error());
  Contexts contexts;
  if (auto done = contexts.read(*names, meta->name()); !done) return done;
  const auto kinds = identifier_kinds(*names);
  if (!kinds) return forward(kinds.error());
  std::vector<std::optional<Place>> places;
  if (profile) {
    const auto threads = File::open(*profile, progress.job);
    if (!threads) return forward(threads.error());
    auto found = places_of(*threads, *kinds);
    if (!found) return forward(found.error());
    places = std::move(*found);
  }
  const auto samples = File::open(*trace, progress.job);
  if (!samples) return forward(samples.error());
  RowIssues issues;
  if (contexts.damaged())
    issues.count(Severity::Drop, "damaged-file",
                 [] { return std::string("the tree of calling contexts is damaged: part of it is lost"); });
  const auto before = draft.sizes();
  Lines lines(contexts, draft, issues);
  if (auto done = Trace(*samples, places, lines, issues, progress).read(source); !done) return done;
  const auto after = draft.sizes();
  if (after.launches == before.launches && after.transfers == before.transfers &&
      after.ranges == before.ranges)
    return failure(ErrorKind::BadInput, "trace.db contains no activity", trace->name(), {},
                   "Record a longer run with hpcrun -t.");
  if (after.ranges > before.ranges)
    issues.count(
        Severity::Info, "sampled",
        [] {
          return std::string("host functions are derived from samples: they begin and end at sample times");
        },
        static_cast<std::int64_t>(after.ranges - before.ranges));
  if (after.launches == before.launches)
    issues.count(Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} contains no GPU kernels", trace->name()); });
  issues.move_to(draft.report);
  return {};
}

} // namespace

const Reader kReader = {"HPCToolkit database", recognises, read, group, companions};

} // namespace jitterscope::import::hpctoolkit
