#include "core/import/formats/chrome/chrome_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "core/base/pieces_in_order.h"
#include "core/import/assemble/ranks.h"
#include "core/import/formats/chrome/trace.h"
#include "core/import/text/json/cursor.h"
#include "core/import/text/json/elements_piece.h"
#include "core/import/text/json/loose_objects.h"

namespace jitterscope::import::chrome {
namespace {

using json::Cursor;
using store::Severity;

constexpr std::size_t kMaxHeaderMember = std::size_t{8} << 20; // maximum size of a member [B]
constexpr int kExaminedElements = 64;
constexpr std::size_t kMaxTraces = 4096; // maximum number of traces in a file
// Maximum readings of a file in which names of devices or lanes follow their events.
constexpr std::size_t kMaxReadings = 4;
// Text and parsed events of a piece both fit into the second-level cache.
constexpr std::size_t kPiece = std::size_t{256} << 10; // B

// Whether the opened object is an event: it has a phase, and a timestamp or a process.
bool is_event(Cursor& cursor) {
  bool phase = false, time = false;
  for (;;) {
    const auto key = cursor.member();
    if (!key || !*key) return false;
    phase = phase || **key == "ph";
    time = time || **key == "ts" || **key == "pid";
    if (phase && time) return true;
    if (!cursor.skip()) return false;
  }
}

// True when one of the first elements of an array is an event.
bool begins_with_event(Cursor& cursor) {
  for (int element = 0; element < kExaminedElements; ++element) {
    const auto more = cursor.element();
    if (!more || !*more) return false;
    const auto kind = cursor.kind();
    if (!kind || *kind != Cursor::Kind::Object || !cursor.open()) return false;
    if (is_event(cursor)) return true;
  }
  return false;
}

// True when the events are not in an array.
bool has_loose_events(const Input& input) {
  const auto stream = open_memory(input.head);
  Cursor cursor(*stream, input.name());
  const auto kind = cursor.kind();
  return kind && *kind == Cursor::Kind::Object && cursor.open() && is_event(cursor);
}

// Members next to the events that do not identify the format alone. They are accepted if the events start
// beyond the first bytes, which are all that is available here.
constexpr std::array<std::string_view, 16> kKnownMembers = {
    "schemaVersion",       "record_shapes", "with_stack",    "with_flops",        "with_modules",
    "profile_memory",      "trace_id",      "traceName",     "displayTimeUnit",   "otherData",
    "systemTraceEvents",   "stackFrames",   "cupti_version", "roctracer_version", "cuda_driver_version",
    "cuda_runtime_version"};

bool has_event_members(Cursor& cursor) {
  bool known = false;
  for (;;) {
    const auto key = cursor.member();
    if (!key) return false;
    if (!*key) return known && cursor.cut_off();
    if (**key == "traceEvents" || **key == "baseTimeNanoseconds" || **key == "distributedInfo" ||
        **key == "deviceProperties")
      return true;
    known = known || std::find(kKnownMembers.begin(), kKnownMembers.end(), **key) != kKnownMembers.end();
    if (!cursor.skip()) return false;
  }
}

// Prefetches an event before it is overwritten: reused memory may be in the cache of another processor.
void prefetch_to_write(const Event& event) {
  constexpr std::size_t kCacheLine = 64;
  const auto* bytes = reinterpret_cast<const char*>(&event);
  for (std::size_t at = 0; at < sizeof(Event); at += kCacheLine) __builtin_prefetch(bytes + at, 1);
}

/// Some consecutive events, parsed without knowledge of the preceding events.
struct ParsedEvents {
  json::ElementsPiece text;
  json::ElementIssues issues;
  Trace::KnownKeys keys; ///< keys of the thread's parser, by number

  void parse() {
    issues = {};
    count_ = 0;
    const auto chunk = text.chunk();
    if (!chunk || !*chunk) return;
    elements_.for_each(
        **chunk, issues,
        [&](json::Elements::Value& value) {
          if (parsed_.size() == count_) parsed_.emplace_back();
          if (count_ + kAhead < parsed_.size()) prefetch_to_write(parsed_[count_ + kAhead]);
          return parser_.parse(value, parsed_[count_]);
        },
        [&] { ++count_; });
  }
  std::span<const Event> events() const { return {parsed_.data(), count_}; }

private:
  static constexpr std::size_t kAhead = 2; // prefetch distance [events]

  json::Elements elements_;
  EventParser parser_;
  std::vector<Event>
      parsed_; ///< the first `count_` elements are events; the others are kept to reuse their memory
  std::size_t count_ = 0;
};

/// Reads the traces of a file, one after the other: members and events of each in any order.
class Reading {
public:
  Reading(ByteStream& stream, const std::string& name) : stream_(stream), cursor_(stream, name, kPiece) {}

  Expected<void> read(Trace& trace) {
    trace_ = &trace;
    broken_ = {};
    auto done = read_text();
    another_ = false;
    if (!done) {
      // Data before the damage are as valid as in a file that ends there.
      if (done.error().kind != ErrorKind::BadInput || trace.events == 0) return done;
      trace.issues.count(Severity::Drop, "damaged-file", [&] {
        return fmt::format("the file is damaged; the rest of it is lost: {}", describe(done.error()));
      });
    }
    if (done && !cursor_.cut_off()) examine_rest();
    if (cursor_.cut_off())
      trace.issues.count(Severity::Drop, "cut-off-file", [&] {
        return fmt::format("the file is truncated after {} events, or an unescaped quote hides the rest; the "
                           "last event may be lost. Copy or record it again",
                           trace.events);
      });
    note_elements();
    return {};
  }

  /// Another trace follows the last one, at this byte offset.
  bool another() const { return another_; }
  std::int64_t offset() const { return cursor_.offset(); }
  std::int64_t broken() const { return broken_.broken; }
  bool cut_off() const { return cursor_.cut_off(); }

private:
  // Determines whether another trace follows the last one; other text, such as a superfluous bracket, is
  // reported.
  void examine_rest() {
    const auto kind = cursor_.kind();
    if (kind && *kind == Cursor::Kind::End) return;
    another_ = kind && (*kind == Cursor::Kind::Object || *kind == Cursor::Kind::Array);
    if (!another_)
      trace_->issues.count(Severity::Doubt, "text-behind-the-end", [&] {
        return fmt::format("the trace ends at byte {}, before the end of its file: the rest is not read",
                           cursor_.offset());
      });
  }

  // Reads all arrays of events as one trace: some programs write events in portions, one array each.
  Expected<void> read_arrays() {
    for (;;) {
      if (auto done = read_events(); !done || cursor_.cut_off()) return done;
      const auto next = cursor_.kind();
      if (!next || *next != Cursor::Kind::Array) return {};
      const auto behind = cursor_.offset();
      trace_->issues.count(Severity::Info, "several-arrays", [&] {
        return fmt::format("another array of events begins at byte {}: all are read as one trace", behind);
      });
      if (auto opened = cursor_.open(); !opened) return opened;
    }
  }

  Expected<void> read_text() {
    const auto kind = cursor_.kind();
    if (!kind) return forward(kind.error());
    if (*kind != Cursor::Kind::Array)
      return json::each_member(cursor_, [&](const std::string& key) { return read_member(key); });
    if (auto opened = cursor_.open(); !opened) return opened;
    return read_arrays();
  }

  Expected<void> read_member(const std::string& key) {
    const auto kind = cursor_.kind();
    if (!kind) return forward(kind.error());
    if (key == "traceEvents" && *kind == Cursor::Kind::Array) {
      if (auto opened = cursor_.open(); !opened) return opened;
      return read_events();
    }
    if (!is_header_member(key)) return cursor_.skip();
    const auto value = cursor_.value(kMaxHeaderMember);
    if (!value) return forward(value.error());
    if (*value) read_header_member(trace_->header, key, **value);
    return {};
  }

  // Events are cut and parsed on all processors, then used in order.
  Expected<void> read_events() {
    PiecesInOrder<ParsedEvents> pieces(
        reading_threads(trace_->draft.options),
        [&](ParsedEvents& piece) { return piece.text.cut(cursor_, stream_); },
        [](ParsedEvents& piece) { piece.parse(); });
    while (auto* piece = pieces.next()) {
      const auto chunk = piece->text.chunk();
      if (!chunk) return forward(chunk.error());
      for (const auto& event : piece->events()) trace_->add(event, piece->keys);
      broken_.broken += piece->issues.broken;
      broken_.not_utf8 += piece->issues.not_utf8;
      if (!trace_->progress.report(piece->text.consumed(), trace_->input.disk_bytes, "events"))
        return Job::cancelled_error();
    }
    return {};
  }

  void note_elements() {
    if (broken_.broken > 0)
      trace_->issues.count(
          Severity::Drop, "broken-events", [] { return "events that are not valid JSON were left out"; },
          broken_.broken);
    if (broken_.not_utf8 > 0)
      trace_->issues.count(
          Severity::Repair, "bad-text",
          [] { return "events contain bytes that are not valid UTF-8; they are shown as \xEF\xBF\xBD"; },
          broken_.not_utf8);
  }

  Trace* trace_ = nullptr; ///< the trace that is being read
  ByteStream& stream_;
  Cursor cursor_;
  json::ElementIssues broken_;
  bool another_ = false;
};

void note_rank(Trace& trace) {
  auto& header = trace.header;
  if (!header.rank) {
    header.rank = rank_of(trace.input);
    if (header.rank)
      trace.issues.count(Severity::Info, "rank-from-name", [&] {
        return fmt::format("{} does not state its rank; rank {} is taken from the name of the file or folder",
                           trace.input.file_name(), *header.rank);
      });
  }
  if (header.world_size && *header.world_size > 1)
    trace.issues.count(Severity::Info, "world-size", [&] {
      return fmt::format("{} is the trace of one of {} ranks", trace.input.file_name(), *header.world_size);
    });
}

Error no_events(const Input& input, const Reading& reading) {
  if (reading.broken() > 0)
    return {ErrorKind::BadInput,
            fmt::format("none of its {} events can be read: they are not valid JSON", reading.broken()),
            input.name(),
            {},
            "Record it again, or repair the text where it was changed."};
  if (reading.cut_off())
    return {ErrorKind::BadInput,
            "the file is truncated before the end of its first event",
            input.name(),
            {},
            "Copy the file again, or record it again."};
  return {ErrorKind::BadInput,
          "the trace contains no events",
          input.name(),
          {},
          "Record again with the profiler switched on while the program runs."};
}

/// The rows of one trace of a file, and the position of its zero.
struct TracePart {
  DraftSizes from, to;
  Trace::Zero zero;
};

void shift(Draft& draft, const TracePart& part, std::int64_t by) {
  const auto move = [by](auto& times, std::size_t from, std::size_t to) {
    for (auto row = from; row < to; ++row) times[row] += by;
  };
  move(draft.launches.start, part.from.launches, part.to.launches);
  move(draft.transfers.start, part.from.transfers, part.to.transfers);
  move(draft.calls.start, part.from.calls, part.to.calls);
  move(draft.ranges.start, part.from.ranges, part.to.ranges);
  move(draft.samples.time, part.from.samples, part.to.samples);
}

// Traces of one file share the earliest of their zeros. Traces whose zeros cannot be compared start at the
// same time.
void align(const std::vector<TracePart>& parts, Draft& draft, store::Source& source, const Input& input) {
  const bool comparable = std::all_of(parts.begin(), parts.end(), [&](const TracePart& part) {
    return part.zero.absolute == parts.front().zero.absolute;
  });
  if (!comparable)
    draft.report.add(
        Severity::Doubt, "alignment-unknown",
        fmt::format("not all traces in {} state when they were recorded: all start at the same time",
                    input.file_name()));
  const auto first = std::min_element(parts.begin(), parts.end(), [](const TracePart& a, const TracePart& b) {
    return a.zero.ns < b.zero.ns;
  });
  if (comparable && first->zero.absolute) source.utc_ns = first->zero.ns;
  for (const auto& part : parts)
    if (comparable && part.zero.ns > first->zero.ns) shift(draft, part, part.zero.ns - first->zero.ns);
}

/// By trace of a file: names that a reading found after the events that need them.
using NamesOfTraces = std::vector<std::vector<Trace::Name>>;

// False if names of devices or lanes followed the events that need them: `names` has them now, and the file
// must be read again.
Expected<bool> read_traces(const Input& input, Draft& draft, store::Source& source, const Progress& progress,
                           NamesOfTraces& names) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  const bool loose = has_loose_events(input);
  if (loose) *stream = json::as_array(std::move(*stream));
  Reading reading(**stream, input.name());
  std::vector<TracePart> parts;
  std::uint32_t host = kNone;
  std::int64_t empty = 0, begin = 0;
  do {
    Trace trace(draft, progress, input, host);
    const auto number = parts.size() + static_cast<std::size_t>(empty);
    if (number < names.size()) trace.use_names(names[number]);
    if (loose)
      trace.issues.count(Severity::Info, "loose-events", [&] {
        return fmt::format("the events of {} are not in an array: they are read as one trace",
                           input.file_name());
      });
    if (!parts.empty())
      trace.issues.count(Severity::Info, "several-traces", [&] {
        return fmt::format("another trace begins at byte {} of {}: all are read", begin, input.file_name());
      });
    if (auto done = reading.read(trace); !done) {
      if (parts.empty() || done.error().kind != ErrorKind::BadInput) return forward(done.error());
      draft.report.add(
          Severity::Drop, "damaged-file",
          fmt::format("the file is damaged; the rest of it is lost: {}", describe(done.error())));
      break;
    }
    begin = reading.offset();
    if (trace.events == 0) {
      if (parts.empty() && !reading.another()) return forward(no_events(input, reading));
      trace.issues.move_to(draft.report);
      ++empty;
      continue;
    }
    if (parts.size() >= kMaxTraces) {
      draft.report.add(Severity::Drop, "too-many-traces",
                       fmt::format("{} contains more than {} traces: the rest are not read",
                                   input.file_name(), kMaxTraces));
      break;
    }
    if (trace.named_late() && number >= names.size() && names.size() < kMaxReadings) {
      names.resize(number + 1);
      names[number] = trace.names_read();
      return false;
    }
    note_rank(trace);
    if (trace.header.libkineto && !trace.header.paddle) source.format = "PyTorch Chrome trace";
    source.tool = trace.header.tool;
    source.schema = trace.header.schema;
    if (auto done = trace.finish(); !done) return forward(done.error());
    host = trace.host;
    parts.push_back({trace.before, draft.sizes(), trace.zero()});
  } while (reading.another());
  if (parts.empty()) return forward(no_events(input, reading));
  if (empty > 0)
    draft.report.add(
        Severity::Info, "empty-traces",
        fmt::format("other JSON values in {} contain no events and were left out", input.file_name()), empty);
  align(parts, draft, source, input);
  return true;
}

bool recognises(const Input& input) {
  const auto stream = open_memory(input.head);
  Cursor cursor(*stream, input.name());
  const auto kind = cursor.kind();
  if (!kind || (*kind != Cursor::Kind::Object && *kind != Cursor::Kind::Array) || !cursor.open())
    return false;
  return *kind == Cursor::Kind::Array ? begins_with_event(cursor)
                                      : has_event_members(cursor) || has_loose_events(input);
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  NamesOfTraces names;
  const auto mark = draft.mark();
  const auto report = draft.report;
  for (;;) {
    auto done = read_traces(inputs.front(), draft, source, progress, names);
    if (!done) {
      if (done.error().file.empty()) done.error().file = inputs.front().name();
      return forward(done.error());
    }
    if (*done) return {};
    draft.rewind(mark);
    draft.report = report;
  }
}

} // namespace

const Reader kReader = {"Chrome trace", recognises, read};

} // namespace jitterscope::import::chrome
