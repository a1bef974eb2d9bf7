#include "core/import/formats/otf2/otf2_reader.h"

#ifdef JITTERSCOPE_OTF2

#include <algorithm>
#include <memory>

#include <otf2/otf2.h>

#include <fmt/core.h>

#include "core/import/formats/otf2/trace.h"
#include "core/import/text/text.h"

#endif

namespace jitterscope::import::otf2 {

bool recognises(const Input& input) {
  // 'B' little endian, '#' big endian
  return input.head.size() >= 7 && input.head[0] == 3 && (input.head[1] == 'B' || input.head[1] == '#') &&
         input.head.compare(2, 5, std::string_view("OTF2\0", 5)) == 0;
}

#ifndef JITTERSCOPE_OTF2

Expected<void> read(std::span<const Input> inputs, Draft&, store::Source&, const Progress&) {
  return failure(ErrorKind::BadInput,
                 "this is an OTF2 trace, and Jitterscope was built without the OTF2 library",
                 inputs.front().name(), {}, "Install libopen-trace-format2-dev and build Jitterscope again.");
}

#else

namespace {

using store::Severity;

constexpr std::uint64_t kMaxEvents = 65'536; // between two checks for cancellation
constexpr int kBinary = OTF2_BASE_BINARY;

// The library allocates chunks, locations and properties as stated in the anchor, without checking.
bool is_plausible(std::string_view anchor) {
  constexpr std::size_t kChunkOfEvents = 12, kChunkOfDefinitions = 20, kLocations = 30, kTexts = 46;
  constexpr std::uint64_t kMaxChunk = std::uint64_t{64} << 20, kMaxLocations = 50'000'000;
  if (anchor.size() < kTexts) return false;
  const auto at = [&](std::size_t place, std::size_t size) {
    std::uint64_t number = 0;
    for (std::size_t byte = 0; byte < size; ++byte)
      number = number << 8 |
               static_cast<unsigned char>(anchor[place + (anchor[1] == '#' ? byte : size - 1 - byte)]);
    return number;
  };
  std::size_t properties = kTexts;
  for (int text = 0; text < 3 && properties != 0; ++text) properties = anchor.find('\0', properties) + 1;
  return properties != 0 && properties + 4 <= anchor.size() && at(properties, 4) <= anchor.size() &&
         at(kChunkOfEvents, 8) <= kMaxChunk && at(kChunkOfDefinitions, 8) <= kMaxChunk &&
         at(kLocations, 8) <= kMaxLocations;
}

Trace& of(void* user) {
  return *static_cast<Trace*>(user);
}

// Callbacks of the OTF2 library for definitions.

OTF2_CallbackCode on_clock(void* user, std::uint64_t resolution, std::uint64_t offset, std::uint64_t,
                           std::uint64_t realtime) {
  auto& d = of(user).definitions;
  d.resolution = std::max<std::uint64_t>(resolution, 1);
  d.offset = offset;
  d.realtime = realtime == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  of(user).definitions.strings[self] = text ? clean_text(text) : std::string();
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_StringRef, OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag,
                            OTF2_StringRef, std::uint32_t, std::uint32_t) {
  auto& d = of(user).definitions;
  Region region{d.string(name), RegionKind::Function};
  if (paradigm == OTF2_PARADIGM_MPI) region.kind = RegionKind::Message;
  if (paradigm == OTF2_PARADIGM_CUDA || paradigm == OTF2_PARADIGM_HIP || paradigm == OTF2_PARADIGM_OPENCL)
    region.kind = role == OTF2_REGION_ROLE_DATA_TRANSFER ? RegionKind::Transfer : RegionKind::Call;
  d.regions[self] = std::move(region);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef,
                                    OTF2_LocationGroupRef creator) {
  auto& d = of(user).definitions;
  LocationGroup group;
  group.name = d.string(name);
  group.accelerator = type == OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
  group.has_creator = group.accelerator && creator != OTF2_UNDEFINED_LOCATION_GROUP;
  group.creator = creator;
  if (d.groups_of_locations.emplace(self, std::move(group)).second) d.group_order.push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                              std::uint64_t, OTF2_LocationGroupRef group) {
  auto& d = of(user).definitions;
  Location location;
  location.name = d.string(name);
  location.group = group;
  location.stream = type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
  location.metric = type == OTF2_LOCATION_TYPE_METRIC;
  if (d.locations.emplace(self, std::move(location)).second) d.location_order.push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                           OTF2_Paradigm paradigm, OTF2_GroupFlag, std::uint32_t count,
                           const std::uint64_t* members) {
  if (type != OTF2_GROUP_TYPE_COMM_LOCATIONS && type != OTF2_GROUP_TYPE_COMM_GROUP)
    return OTF2_CALLBACK_SUCCESS;
  Group group;
  group.members.assign(members, members + count);
  group.locations = type == OTF2_GROUP_TYPE_COMM_LOCATIONS && paradigm == OTF2_PARADIGM_MPI;
  of(user).definitions.groups[self] = std::move(group);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_comm(void* user, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
                          OTF2_CommFlag) {
  of(user).definitions.group_of_communicator[self] = group;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef,
                                   OTF2_MetricType, OTF2_MetricMode, OTF2_Type, OTF2_Base base,
                                   std::int64_t exponent, OTF2_StringRef unit) {
  auto& d = of(user).definitions;
  MetricMember member{d.string(name), d.string(unit), 1};
  if (exponent != 0 && std::abs(exponent) < 64)
    member.factor = std::pow(base == kBinary ? 2.0 : 10.0, static_cast<double>(exponent));
  d.metric_members[self] = std::move(member);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_class(void* user, OTF2_MetricRef self, std::uint8_t count,
                                  const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence,
                                  OTF2_RecorderKind) {
  of(user).definitions.metric_classes[self].assign(members, members + count);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_instance(void* user, OTF2_MetricRef self, OTF2_MetricRef of_class,
                                     OTF2_LocationRef, OTF2_MetricScope, std::uint64_t) {
  of(user).definitions.class_of_instance[self] = of_class;
  return OTF2_CALLBACK_SUCCESS;
}

// Callbacks of the OTF2 library for events.

OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                           OTF2_RegionRef region) {
  of(user).enter(location, time, region);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                           OTF2_RegionRef region) {
  of(user).leave(location, time, region);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_message(OTF2_LocationRef location, void* user, std::uint32_t peer, OTF2_CommRef comm,
                             std::uint32_t tag, std::uint64_t bytes) {
  of(user).message(location, kPointToPoint, of(user).definitions.rank_of(comm, peer), tag, bytes);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp, void* user, OTF2_AttributeList*,
                          std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes) {
  return on_message(location, user, peer, comm, tag, bytes);
}
OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp, void* user, OTF2_AttributeList*,
                           std::uint32_t peer, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                           std::uint64_t) {
  return on_message(location, user, peer, comm, tag, bytes);
}
OTF2_CallbackCode on_collective(OTF2_LocationRef location, OTF2_TimeStamp, void* user, OTF2_AttributeList*,
                                OTF2_CollectiveOp, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                                std::uint64_t) {
  of(user).message(location, kCollective,
                   root == OTF2_UNDEFINED_UINT32 ? kNone : of(user).definitions.rank_of(comm, root), kNone,
                   sent);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_move(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                          OTF2_RmaWinRef, std::uint32_t, std::uint64_t bytes, std::uint64_t id) {
  of(user).move(location, time, bytes, id);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_moved(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                           OTF2_RmaWinRef, std::uint64_t id) {
  of(user).moved(location, time, id);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                            OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types,
                            const OTF2_MetricValue* values) {
  of(user).metric(location, time, metric, count, types, values);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_unknown(OTF2_LocationRef, OTF2_TimeStamp, void* user, OTF2_AttributeList*) {
  of(user).other();
  return OTF2_CALLBACK_SUCCESS;
}

// Suppresses the library's error messages, which would go to the terminal.
OTF2_ErrorCode quiet(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                     va_list) {
  return code;
}

using ReaderPointer = std::unique_ptr<OTF2_Reader, void (*)(OTF2_Reader*)>;

class Archive {
public:
  Archive(const Input& input, Trace& trace, const Progress& progress)
      : input_(input), trace_(trace), progress_(progress),
        reader_(OTF2_Reader_Open(input.path.c_str()),
                [](OTF2_Reader* reader) { OTF2_Reader_Close(reader); }) {}

  Expected<void> read(Draft& draft, store::Source& source) {
    std::uint64_t locations = 0;
    if (!reader_ || OTF2_Reader_SetSerialCollectiveCallbacks(reader_.get()) != OTF2_SUCCESS ||
        OTF2_Reader_GetNumberOfLocations(reader_.get(), &locations) != OTF2_SUCCESS)
      return bad("the OTF2 archive cannot be opened");
    std::uint8_t major = 0, minor = 0, patch = 0;
    if (OTF2_Reader_GetVersion(reader_.get(), &major, &minor, &patch) == OTF2_SUCCESS)
      source.schema = fmt::format("{}.{}.{}", major, minor, patch);
    if (auto done = read_definitions(); !done) return done;
    trace_.definitions.find_ranks();
    trace_.definitions.make_resources(draft);
    return read_events();
  }

private:
  tl::unexpected<Error> bad(const char* message) const {
    return failure(ErrorKind::BadInput, message, input_.name(), {},
                   "Keep the whole archive together: traces.otf2, traces.def and the folder traces. Copy or "
                   "record it again.");
  }

  Expected<void> read_definitions() {
    auto* definitions = OTF2_Reader_GetGlobalDefReader(reader_.get());
    if (!definitions) return bad("the definitions of the OTF2 archive (traces.def) are missing or damaged");
    auto* callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
    const auto registered =
        OTF2_Reader_RegisterGlobalDefCallbacks(reader_.get(), definitions, callbacks, &trace_);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    std::uint64_t read = 0;
    if (registered != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllGlobalDefinitions(reader_.get(), definitions, &read) != OTF2_SUCCESS)
      return bad("the definitions of the OTF2 archive (traces.def) cannot be read");
    OTF2_Reader_CloseGlobalDefReader(reader_.get(), definitions);
    return {};
  }

  Expected<void> read_events() {
    for (const auto location : trace_.definitions.location_order)
      OTF2_Reader_SelectLocation(reader_.get(), location);
    const bool local = OTF2_Reader_OpenDefFiles(reader_.get()) == OTF2_SUCCESS;
    if (OTF2_Reader_OpenEvtFiles(reader_.get()) != OTF2_SUCCESS)
      return bad("the events of the OTF2 archive are missing");
    for (const auto location : trace_.definitions.location_order) {
      if (local)
        if (auto* definitions = OTF2_Reader_GetDefReader(reader_.get(), location)) {
          std::uint64_t read = 0;
          OTF2_Reader_ReadAllLocalDefinitions(reader_.get(), definitions, &read);
          OTF2_Reader_CloseDefReader(reader_.get(), definitions);
        }
      if (!OTF2_Reader_GetEvtReader(reader_.get(), location))
        trace_.issues.count(Severity::Drop, "missing-location",
                            [] { return "the events of a location are missing"; });
    }
    if (local) OTF2_Reader_CloseDefFiles(reader_.get());
    auto* events = OTF2_Reader_GetGlobalEvtReader(reader_.get());
    if (!events) return bad("the events of the OTF2 archive cannot be read");
    auto* callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective);
    OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(callbacks, on_move);
    OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(callbacks, on_move);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_moved);
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(callbacks, on_metric);
    const auto registered = OTF2_Reader_RegisterGlobalEvtCallbacks(reader_.get(), events, callbacks, &trace_);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    if (registered != OTF2_SUCCESS) return bad("the events of the OTF2 archive cannot be read");
    for (std::uint64_t read = kMaxEvents; read == kMaxEvents;) {
      const auto code = OTF2_Reader_ReadGlobalEvents(reader_.get(), events, kMaxEvents, &read);
      if (code != OTF2_SUCCESS) {
        trace_.issues.count(Severity::Drop, "damaged-file", [&] {
          return fmt::format("the events of {} are damaged; all events after the damage are lost: {}",
                             input_.file_name(), OTF2_Error_GetDescription(code));
        });
        break;
      }
      events_ += read;
      if (!progress_.report(0, 1, "events")) return Job::cancelled_error();
    }
    OTF2_Reader_CloseGlobalEvtReader(reader_.get(), events);
    OTF2_Reader_CloseEvtFiles(reader_.get());
    return {};
  }

  const Input& input_;
  Trace& trace_;
  const Progress& progress_;
  ReaderPointer reader_;
  std::uint64_t events_ = 0;
};

} // namespace

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  const auto& input = inputs.front();
  if (input.packed || input.memory || !input.member.empty())
    return failure(ErrorKind::BadInput, "this is an OTF2 trace inside an archive or compressed", input.name(),
                   {}, "Unpack it and open traces.otf2.");
  if (!recognises(input) || !is_plausible(input.head))
    return failure(ErrorKind::BadInput, "the anchor file of the OTF2 archive is damaged", input.name(), {},
                   "Copy or record it again.");
  OTF2_Error_RegisterCallback(quiet, nullptr);
  Trace trace(draft, input);
  if (auto done = Archive(input, trace, progress).read(draft, source); !done) return done;
  return trace.finish(source);
}

#endif

} // namespace jitterscope::import::otf2
