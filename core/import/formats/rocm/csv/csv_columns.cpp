#include "core/import/formats/rocm/csv/csv_columns.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "core/import/text/csv/csv_reader.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::rocm {
namespace {

// Column names of rocprof v1 and v2, Omniperf, rocprof-compute, rocprofv3 and rocpd for the same content.
struct KnownTitles {
  Role role;
  std::string_view titles; // as plain_title() returns them, separated by '|'
};
constexpr KnownTitles kKnownTitles[] = {
    {Role::Dispatch, "index|dispatchid"},
    {Role::Kernel, "kernelname"},
    {Role::Gpu, "gpuid|agentid"},
    {Role::Queue, "queueid"},
    {Role::Stream, "streamid"},
    {Role::Process, "pid|processid"},
    {Role::Thread, "tid|threadid"},
    {Role::Grid, "grd|gridsize"},
    {Role::GridX, "gridsizex"},
    {Role::GridY, "gridsizey"},
    {Role::GridZ, "gridsizez"},
    {Role::Group, "wgr|workgroupsize"},
    {Role::GroupX, "workgroupsizex"},
    {Role::GroupY, "workgroupsizey"},
    {Role::GroupZ, "workgroupsizez"},
    {Role::Lds, "lds|ldsperworkgroup|ldsblocksize|groupsegmentsize"},
    {Role::Scratch, "scr|scratchperworkitem|scratchsize|privatesegmentsize"},
    {Role::Vgpr, "vgpr|archvgpr|vgprcount|archvgprcount"},
    {Role::AccumVgpr, "accumvgpr|accumvgprcount"},
    {Role::Sgpr, "sgpr|sgprcount"},
    {Role::WaveSize, "wavesize"},
    {Role::Start, "beginns|starttimestamp"},
    {Role::End, "endns|endtimestamp|stoptimestamp"},
    {Role::Correlation, "correlationid"},
    {Role::Guid, "guid"},
    {Role::Kind, "kind"},
    {Role::CounterName, "countername"},
    {Role::CounterValue, "countervalue"},
    {Role::Domain, "domain"},
    {Role::Function, "function"},
    {Role::Direction, "direction"},
    {Role::SourceAgent, "sourceagentid"},
    {Role::TargetAgent, "destinationagentid"},
    {Role::Operation, "operation"},
    {Role::AllocationSize, "allocationsize"},
    {Role::AllocationFlags, "allocflags"},
    {Role::SampleTime, "sampletimestamp"},
    {Role::StallReason, "stallreason"},
    {Role::Calls, "calls"},
    {Role::TotalDuration, "totaldurationns"},
    {Role::MeanDuration, "averagens"},
    {Role::Name, "name"},
    {Role::Ignored, "queueindex|kernelid|fbar|sig|obj|xccindex|durationns|duration|address|execmask|"
                    "instruction|instructioncomment|waveissuedinstruction|instructiontype|wavecount|"
                    "nodeid|marker"},
    {Role::Dispatched, "dispatchns"},
    {Role::Completed, "completens"},
};

Role known_role(std::string_view title) {
  static const auto kRoles = [] {
    std::unordered_map<std::string_view, Role> roles;
    for (auto [role, titles] : kKnownTitles)
      while (!titles.empty()) {
        const auto end = std::min(titles.find('|'), titles.size());
        roles.emplace(titles.substr(0, end), role);
        titles.remove_prefix(std::min(end + 1, titles.size()));
      }
    return roles;
  }();
  const auto found = kRoles.find(plain_title(title));
  return found == kRoles.end() ? Role::Counter : found->second;
}

bool has_title(const Header& header, std::string_view plain) {
  return std::any_of(header.titles.begin(), header.titles.end(),
                     [&](const std::string& title) { return plain_title(title) == plain; });
}

TableKind kind_of(const Header& h) {
  using enum Role;
  const bool timed = h.has(Start) && h.has(End);
  if (h.has(Kernel) && h.has(CounterName) && h.has(CounterValue)) return TableKind::Long;
  if (h.has(Kernel) && has_title(h, "testname")) return TableKind::ErrorLog;
  if (h.has(Kernel) && timed && (h.has(GridX) || h.has(Kind) || (h.has(Domain) && h.has(Operation))))
    return TableKind::KernelTrace;
  if (h.has(SampleTime) && h.has(Dispatch)) return TableKind::PcSampling;
  if (has_title(h, "hitcount") && has_title(h, "instruction") && has_title(h, "latency"))
    return TableKind::Instructions;
  if (h.has(Direction) && timed) return TableKind::CopyTrace;
  const bool of_memory = h.has(AllocationSize) || h.has(AllocationFlags);
  if (h.has(Domain) && h.has(Operation) && timed && !h.has(Function) && !of_memory)
    return TableKind::CopyTrace;
  if (h.has(Domain) && has_title(h, "roctxid") && has_title(h, "message") && has_title(h, "timestamp"))
    return TableKind::MarkerEvents;
  if (h.has(Operation) && h.has(AllocationSize) && timed) return TableKind::Allocations;
  if (h.has(Operation) && timed && (h.has(AllocationFlags) || h.has(Kind))) return TableKind::Scratch;
  const bool of_thread = h.has(Process) && h.has(Thread) && h.has(Correlation);
  if ((h.has(Domain) || h.has(Kind) || of_thread) && h.has(Function) && timed) return TableKind::ApiTrace;
  if (h.has(Kernel) && h.has(Dispatch)) {
    const bool names_only = !timed && h.counters.empty() && h.has(Gpu) && !h.has(Grid);
    return names_only ? TableKind::DispatchList : TableKind::Wide;
  }
  if (h.has(Kernel) && timed && h.counters.empty() && (h.has(Gpu) || h.has(Queue) || h.has(Correlation)))
    return TableKind::KernelTrace;
  if (h.has(Name) && h.has(Calls) && h.has(TotalDuration)) return TableKind::Statistics;
  if (has_title(h, "workloadname") &&
      (has_title(h, "ipblocks") || has_title(h, "gpusoc") || has_title(h, "gpumodel")))
    return TableKind::SystemInfo;
  if (has_title(h, "device") && has_title(h, "hbmbw")) return TableKind::Roofline;
  if (has_title(h, "nodeid") && has_title(h, "agenttype")) return TableKind::AgentInfo;
  return TableKind::None;
}

} // namespace

std::string plain_title(std::string_view title) {
  std::string plain;
  for (const char c : title)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

bool is_join_double(std::string_view title) {
  const auto digits = title.find_last_not_of("0123456789") + 1;
  if (digits == title.size() || digits < 2 || title[digits - 1] != '_') return false;
  return known_role(title.substr(0, digits - 1)) != Role::Counter;
}

Role role_of(std::string_view title) {
  const auto role = known_role(title);
  return role == Role::Counter && is_join_double(title) ? Role::Ignored : role;
}

Header header_of(std::span<const std::string_view> titles) {
  Header header;
  header.first.fill(-1);
  for (const auto field : titles) {
    const auto title = clean_text(trimmed(field));
    // "L2CacheHit[0]" keeps its index; a column without name is a row number that some tools prepend.
    const auto role = plain_title(title).empty() ? Role::Ignored : role_of(title);
    const auto column = header.titles.size();
    header.joined = header.joined || is_join_double(title);
    auto& first = header.first[static_cast<std::size_t>(role)];
    if (first < 0) first = static_cast<int>(column);
    if (role == Role::Counter) header.counters.push_back(column);
    header.titles.push_back(title);
    header.roles.push_back(role);
  }
  header.kind = kind_of(header);
  return header;
}

bool is_separator_line(std::span<const std::string_view> fields) {
  return !fields.empty() && fields.size() <= 2 && fields[0].starts_with("sep=") && fields[0].size() <= 5;
}

Header header_in(std::string_view head, bool whole) {
  Header best;
  best.first.fill(-1);
  for (const char separator : {',', ';', '\t'}) {
    auto text = head;
    // A header of thousands of counters may be longer than the available head of the file.
    if (!whole && text.find_first_of("\r\n") == std::string_view::npos)
      text = text.substr(0, std::min(text.size(), text.rfind(separator)));
    const auto stream = open_memory(text);
    CsvReader reader(*stream, {}, separator);
    auto got = reader.next();
    if (got && *got && is_separator_line(reader.fields())) got = reader.next();
    auto header = header_of(got && *got ? reader.fields() : std::span<const std::string_view>());
    header.separator = separator;
    if (header.kind != TableKind::None) return header;
    if (separator == ',') best = std::move(header);
  }
  return best;
}

} // namespace jitterscope::import::rocm
