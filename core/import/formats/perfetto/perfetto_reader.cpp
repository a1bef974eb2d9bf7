#include "core/import/formats/perfetto/perfetto_reader.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include <zlib.h>

#include <fmt/core.h>

#include "core/import/formats/chrome/event_text.h"
#include "core/import/formats/chrome/trace.h"
#include "core/import/formats/perfetto/fields.h"
#include "core/import/formats/perfetto/tracks.h"
#include "core/import/text/protobuf/wire.h"
#include "core/import/text/text.h"

namespace jitterscope::import::perfetto {
namespace {

using chrome::EventText;
using protobuf::bytes_of;
using protobuf::Field;
using protobuf::Fields;
using protobuf::number_of;
using store::Severity;

constexpr std::size_t kMaxPacket = std::size_t{256} << 20;   // maximum size of a packet [B]
constexpr std::size_t kMaxUnpacked = std::size_t{512} << 20; // maximum size of a decompressed packet [B]
constexpr std::uint64_t kMaxTime = std::uint64_t{1} << 61;
constexpr std::size_t kMaxInterned = 10'000'000;

/// The state that packets of one writer refer to.
struct Sequence {
  std::unordered_map<std::uint64_t, std::string> categories, names, annotation_names, annotation_texts;
  std::uint64_t default_track = 0, clock = 0;
  std::uint64_t own_clock = 0, own_unit = 1; ///< local clock: trace time of its snapshot (of the last event,
                                             ///< if the clock is incremental), and unit of the clock [ns]
  std::uint64_t own_number = 0;
  bool own_incremental = false;
  std::uint64_t legacy_time = 0; ///< value of the local clock at its snapshot, in units of own_unit
  std::unordered_map<std::uint64_t, double> counters; ///< latest values of incremental counters, by track
};

// "kernel_dispatch" of rocprofv3, "rocm_kernel_dispatch" of rocprofiler-systems: mapped to Chrome's names.
std::string_view category_of(std::string_view written) {
  const auto has = [&](std::string_view part) { return written.find(part) != std::string_view::npos; };
  if (has("kernel_dispatch") || written == "device_hip") return "kernel";
  if (has("memory_copy")) return "gpu_memcpy";
  if (has("hip_api") || has("hsa_api") || has("hip_runtime_api") || has("hip_compiler_api") ||
      written == "hip" || written == "hsa")
    return "hip_runtime";
  return written;
}

bool inflate_packet(std::string_view packed, std::string& out) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  out.clear();
  int state = Z_OK;
  while (state == Z_OK && out.size() < kMaxUnpacked) {
    const auto size = out.size();
    out.resize(size + (std::size_t{1} << 18));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    state = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out != 0) break;
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END || (state == Z_OK && !out.empty());
}

class Reading {
public:
  Reading(const Input& input, Draft& draft, const Progress& progress)
      : input_(input), progress_(progress), trace_(draft, progress, input) {}

  // Descriptions of tracks, processes and clocks may come after the events that need them.
  Expected<void> read(store::Source& source) {
    if (auto done = each_packet([&](std::string_view packet) { describe(packet); }); !done) return done;
    for (const auto& [pid, name] : tracks_.process_names())
      emit_name("process_name", fmt::format("{}", pid), {}, name);
    if (auto done = each_packet([&](std::string_view packet) { read_packet(packet); }); !done) return done;
    report_left_out();
    if (events_ == 0 && trace_.issues.rows_of("cut-off-file") > 0)
      return failure(ErrorKind::BadInput, "the file is damaged or truncated before its first track event",
                     input_.name(), {}, "Copy the file again, or record the trace again.");
    if (events_ == 0)
      return failure(
          ErrorKind::BadInput, "the trace contains no track events", input_.name(), {},
          "Scheduler events and system counters of Perfetto are not read. For GPUs, record with rocprofv3 "
          "--output-format pftrace, or instrument the program with Perfetto track events.");
    if (offset_to_realtime_) trace_.header.base_ns = *offset_to_realtime_;
    if (auto done = trace_.finish(); !done) return done;
    if (trace_.zero().absolute) source.utc_ns = trace_.zero().ns;
    return {};
  }

private:
  Expected<void> each_packet(const std::function<void(std::string_view)>& read_packet) {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    protobuf::MessageStream packets(**stream, kMaxPacket);
    ++passes_;
    for (std::int64_t number = 0;; ++number) {
      const auto field = packets.next();
      if (!field) return forward(field.error());
      if (!*field) break;
      if (number % 4096 == 0 &&
          !progress_.report(((*stream)->consumed() + (passes_ - 1) * input_.disk_bytes) / 2,
                            input_.disk_bytes, "packets"))
        return Job::cancelled_error();
      if ((*field)->number != kPacketOfTrace || !(*field)->is_bytes()) continue;
      const auto packed = bytes_of((*field)->bytes, packet::kCompressed);
      if (packed.empty()) {
        read_packet((*field)->bytes);
        continue;
      }
      if (!inflate_packet(packed, unpacked_)) {
        if (passes_ == 1)
          trace_.issues.count(Severity::Drop, "damaged-file",
                              [] { return "compressed packets cannot be unpacked and were left out"; });
        continue;
      }
      Fields inner(unpacked_);
      while (const auto one = inner.next())
        if (one->number == kPacketOfTrace && one->is_bytes()) read_packet(one->bytes);
    }
    if (packets.damaged() && passes_ == 1)
      trace_.issues.count(Severity::Drop, "cut-off-file", [&] {
        return fmt::format("{} is damaged or truncated at byte {}: the rest of it is lost",
                           input_.file_name(), packets.offset());
      });
    return {};
  }

  void describe(std::string_view bytes) {
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      if (!field->is_bytes()) continue;
      if (field->number == packet::kTrackDescriptor) tracks_.add(field->bytes);
      if (field->number == packet::kProcess) tracks_.add_process(field->bytes);
      if (field->number == packet::kClockSnapshot) read_clocks(field->bytes);
      if (field->number == packet::kFtraceEvents) ++left_out_["ftrace events"];
      if (field->number == packet::kGpuRenderStage) ++left_out_["GPU render stages"];
      if (field->number == packet::kGpuCounters) ++left_out_["GPU counters"];
    }
  }

  // Offset of realtime relative to the clock of the trace.
  void read_clocks(std::string_view snapshot) {
    std::optional<std::uint64_t> realtime, boottime;
    Fields fields(snapshot);
    while (const auto field = fields.next()) {
      if (field->number != clocks::kClock || !field->is_bytes()) continue;
      const auto number = number_of(field->bytes, clocks::kNumber),
                 time = number_of(field->bytes, clocks::kTimestamp);
      if (number == clocks::kRealtime) realtime = time;
      if (number == clocks::kBoottime) boottime = time;
    }
    if (!offset_to_realtime_ && realtime && boottime && *realtime < kMaxTime && *boottime < *realtime)
      offset_to_realtime_ = static_cast<std::int64_t>(*realtime - *boottime);
  }

  void read_packet(std::string_view bytes) {
    auto& sequence = sequences_[number_of(bytes, packet::kSequence)];
    if (number_of(bytes, packet::kStateCleared) != 0 ||
        (number_of(bytes, packet::kSequenceFlags) & packet::kFlagStateCleared) != 0)
      sequence = {};
    if (const auto snapshot = bytes_of(bytes, packet::kClockSnapshot); !snapshot.empty())
      read_own_clock(sequence, snapshot);
    if (const auto interned = bytes_of(bytes, packet::kInternedData); !interned.empty())
      intern(sequence, interned);
    if (const auto given = bytes_of(bytes, packet::kDefaults); !given.empty()) {
      sequence.clock = number_of(given, defaults::kTimestampClock, sequence.clock);
      if (const auto of_events = bytes_of(given, defaults::kTrackEvent); !of_events.empty())
        sequence.default_track = number_of(of_events, defaults::kTrack);
    }
    if (const auto event = bytes_of(bytes, packet::kTrackEvent); !event.empty())
      read_event(sequence, bytes, event);
  }

  // Clocks local to one sequence count from a snapshot, often by differences.
  void read_own_clock(Sequence& sequence, std::string_view snapshot) {
    std::uint64_t trace_time = 0;
    std::string_view own;
    Fields fields(snapshot);
    while (const auto field = fields.next()) {
      if (field->number != clocks::kClock || !field->is_bytes()) continue;
      const auto number = number_of(field->bytes, clocks::kNumber);
      if (number == clocks::kBoottime) trace_time = number_of(field->bytes, clocks::kTimestamp);
      if (number >= clocks::kFirstOfSequence && number <= clocks::kLastOfSequence && own.empty())
        own = field->bytes;
    }
    if (own.empty() || trace_time == 0) return;
    sequence.own_number = number_of(own, clocks::kNumber);
    sequence.own_unit = std::clamp<std::uint64_t>(number_of(own, clocks::kUnit, 1), 1, 1'000'000'000);
    sequence.own_incremental = number_of(own, clocks::kIncremental) != 0;
    sequence.own_clock = trace_time;
    sequence.legacy_time = number_of(own, clocks::kTimestamp);
  }

  void intern(Sequence& sequence, std::string_view data) {
    Fields fields(data);
    while (const auto field = fields.next()) {
      if (!field->is_bytes()) continue;
      auto* into = field->number == interned::kCategories        ? &sequence.categories
                   : field->number == interned::kNames           ? &sequence.names
                   : field->number == interned::kAnnotationNames ? &sequence.annotation_names
                   : field->number == interned::kAnnotationTexts ? &sequence.annotation_texts
                                                                 : nullptr;
      if (into && into->size() < kMaxInterned)
        (*into)[number_of(field->bytes, interned::kNumber)] =
            std::string(bytes_of(field->bytes, interned::kText));
    }
  }

  std::optional<std::int64_t> time_of(Sequence& sequence, std::string_view bytes, std::string_view event) {
    Fields fields(bytes);
    std::optional<std::uint64_t> time;
    auto clock = sequence.clock;
    while (const auto field = fields.next()) {
      if (field->number == packet::kTimestamp && field->is_number()) time = field->value;
      if (field->number == packet::kTimestampClock && field->is_number()) clock = field->value;
    }
    if (!time) { // used by old traces, µs
      if (const auto absolute = number_of(event, event::kTimestampAbsolute); absolute != 0)
        time = absolute * 1000;
    } else if (clock == sequence.own_number && clock != 0) {
      const auto step = sequence.own_incremental ? *time : *time - sequence.legacy_time;
      if (step > kMaxTime / sequence.own_unit) return {};
      const auto here = sequence.own_clock + step * sequence.own_unit;
      if (sequence.own_incremental) sequence.own_clock = here;
      time = here;
    }
    if (!time || *time > kMaxTime) return {};
    return static_cast<std::int64_t>(*time);
  }

  static std::string_view text_of(const std::unordered_map<std::uint64_t, std::string>& texts,
                                  std::uint64_t number) {
    const auto found = texts.find(number);
    return found == texts.end() ? std::string_view() : std::string_view(found->second);
  }

  void read_event(Sequence& sequence, std::string_view bytes, std::string_view event) {
    ++events_;
    const auto time = time_of(sequence, bytes, event);
    if (!time)
      return trace_.issues.count(Severity::Drop, "missing-time",
                                 [] { return "track events without a usable time were left out"; });
    std::uint64_t type = 0, uuid = sequence.default_track;
    std::string_view name, category;
    double value = 0;
    annotations_.clear();
    Fields fields(event);
    while (const auto field = fields.next()) {
      switch (field->number) {
      case event::kType:
        type = field->value;
        break;
      case event::kTrack:
        uuid = field->value;
        break;
      case event::kName:
        name = field->bytes;
        break;
      case event::kNameNumber:
        name = text_of(sequence.names, field->value);
        break;
      case event::kCategories:
        if (category.empty()) category = field->bytes;
        break;
      case event::kCategoryNumbers:
        if (category.empty()) category = text_of(sequence.categories, first_number(*field));
        break;
      case event::kAnnotation:
        if (field->is_bytes()) annotations_.push_back(field->bytes);
        break;
      case event::kCounterValue:
        value = static_cast<double>(field->integer());
        break;
      case event::kDoubleCounterValue:
        value = field->real();
        break;
      default:
        break;
      }
    }
    if (fields.damaged())
      return trace_.issues.count(Severity::Drop, "broken-events",
                                 [] { return "events that cannot be decoded were left out"; });
    const auto& lane = tracks_.lane(uuid);
    if (named_.emplace(uuid).second && !lane.name.empty())
      emit_name("thread_name", lane.pid, lane.tid, lane.name);
    if (type == event::kCounter) return add_counter(sequence, uuid, lane, *time, name, value);
    const char phase = type == event::kBegin     ? 'B'
                       : type == event::kEnd     ? 'E'
                       : type == event::kInstant ? 'i'
                                                 : '\0';
    if (phase == '\0')
      return trace_.issues.count(Severity::Drop, "other-events", [] {
        return "track events other than slices, instants and counters were left out";
      });
    text_.begin(phase, phase == 'E' ? std::string_view() : category_of(category));
    if (!name.empty()) text_.set_name(name);
    text_.set_lane(lane.pid, lane.tid);
    text_.set_time(*time);
    if (phase == 'B') add_arguments(sequence, lane);
    trace_.add(text_.event(), keys_);
  }

  // A repeated number may be packed.
  static std::uint64_t first_number(const Field& field) {
    if (field.is_number()) return field.value;
    std::string as_field("\x08");
    as_field += field.bytes.substr(0, 10);
    Fields fields(as_field);
    const auto first = fields.next();
    return first ? first->value : 0;
  }

  // The key of the value is its unit, as in Chrome's traces.
  void add_counter(Sequence& sequence, std::uint64_t uuid, const Lane& lane, std::int64_t time,
                   std::string_view name, double value) {
    const auto* track = tracks_.find(uuid);
    const auto values = track ? track->counter : CounterValues();
    if (values.incremental) value = sequence.counters[uuid] += value;
    text_.begin('C', {});
    text_.set_name(!name.empty()                   ? name
                   : track && !track->name.empty() ? std::string_view(track->name)
                                                   : "counter");
    text_.set_lane(lane.pid, lane.tid);
    text_.set_time(time);
    text_.add_real(values.unit.empty() ? "value" : values.unit, value * values.factor);
    trace_.add(text_.event(), keys_);
  }

  // Annotations of rocprofv3's dispatches and copies have other names in Chrome's traces.
  void add_arguments(const Sequence& sequence, const Lane& lane) {
    std::int64_t items = 0, group = 0;
    bool has_device = false;
    for (const auto annotation : annotations_) {
      std::string_view key, text;
      std::optional<std::int64_t> number;
      std::optional<double> real;
      Fields fields(annotation);
      while (const auto field = fields.next()) switch (field->number) {
        case annotation::kName:
          key = field->bytes;
          break;
        case annotation::kNameNumber:
          key = text_of(sequence.annotation_names, field->value);
          break;
        case annotation::kBool:
        case annotation::kUnsigned:
        case annotation::kSigned:
          if (field->is_number()) number = field->integer();
          break;
        case annotation::kDouble:
          if (field->is_number()) real = field->real();
          break;
        case annotation::kText:
          text = field->bytes;
          break;
        case annotation::kTextNumber:
          text = text_of(sequence.annotation_texts, field->value);
          break;
        default:
          break;
        }
      if (key == "grid_size" && number)
        items = *number;
      else if (key == "workgroup_size" && number)
        group = *number;
      else if (key == "corr_id" && number)
        text_.add_number("correlation", *number);
      else if (key == "copy_bytes" && number)
        text_.add_number("bytes", *number);
      else if (key == "group_segment_size" && number)
        text_.add_number("shared memory", *number);
      else if (is_internal(key))
        continue;
      else if (number)
        text_.add_number(key, *number), has_device |= key == "device";
      else if (real)
        text_.add_real(key, *real);
      else if (!text.empty())
        text_.add_text(key, text);
    }
    if (!has_device && lane.device) text_.add_number("device", *lane.device);
    if (!has_device && lane.device) text_.add_number("stream", lane.stream.value_or(0));
    if (items > 0 && group > 0) text_.set_extents({(items + group - 1) / group, 1, 1}, {group, 1, 1});
  }

  static bool is_internal(std::string_view key) {
    constexpr std::array<std::string_view, 12> kInternal = {
        "begin_ns", "end_ns", "delta_ns",  "kind",      "operation", "tid",
        "agent",    "queue",  "kernel_id", "stream_ID", "stack_id",  "parent_stack_id"};
    return std::find(kInternal.begin(), kInternal.end(), key) != kInternal.end();
  }

  void emit_name(std::string_view what, std::string_view pid, std::string_view tid, std::string_view name) {
    text_.begin('M', {});
    text_.set_name(what);
    text_.set_lane(pid, tid);
    text_.add_text("name", name);
    trace_.add(text_.event(), keys_);
  }

  void report_left_out() {
    std::int64_t packets = 0;
    std::string text;
    for (const auto& [what, count] : left_out_) {
      packets += count;
      text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, what);
    }
    if (packets > 0)
      trace_.issues.count(
          Severity::Info, "not-imported", [&] { return "packets not imported: " + text; }, packets);
  }

  const Input& input_;
  const Progress& progress_;
  chrome::Trace trace_;
  chrome::Trace::KnownKeys keys_;
  EventText text_;
  Tracks tracks_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
  std::set<std::uint64_t> named_; ///< tracks whose names have been passed on
  std::vector<std::string_view> annotations_;
  std::map<std::string, std::int64_t> left_out_;
  std::optional<std::int64_t> offset_to_realtime_;
  std::string unpacked_;
  std::int64_t events_ = 0;
  int passes_ = 0;
};

bool is_of_packet(std::uint32_t field) {
  using namespace packet;
  constexpr std::array kKnown = {kFtraceEvents, kProcessTree, kClockSnapshot, kSequence,
                                 kTrackEvent,   kTraceConfig, kProcess,       kThread,
                                 kSystemInfo,   kCompressed,  kDefaults,      kTrackDescriptor};
  return std::find(kKnown.begin(), kKnown.end(), field) != kKnown.end();
}

// True when the first packet is undamaged and contains a known packet field.
bool recognises(const Input& input) {
  const std::string_view head = input.head;
  if (head.size() < 4 || head[0] != (kPacketOfTrace << 3 | 2)) return false;
  Fields packets(head);
  const auto first = packets.next();
  if (!first) return false;
  bool known = false;
  Fields fields(first->bytes);
  while (const auto field = fields.next()) {
    if (field->number > 10'000) return false;
    known = known || is_of_packet(field->number);
  }
  return known && !fields.damaged() && !first->bytes.empty();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  return Reading(inputs.front(), draft, progress).read(source);
}

} // namespace

const Reader kReader = {"Perfetto trace", recognises, read};

} // namespace jitterscope::import::perfetto
