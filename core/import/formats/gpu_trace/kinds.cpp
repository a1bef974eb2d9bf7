#include "core/import/formats/gpu_trace/kinds.h"

#include <algorithm>
#include <array>

#include "core/import/formats/gpu_trace/file_readers.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {

namespace {

// Tables of nsys stats on unified memory: by address, in total, or by cause.
bool is_of_unified_memory(const Titles& titles) {
  return titles.has("htodmigrationsize") || titles.has("totalhtodmigrationsize") ||
         (titles.has("cpupagefaults") && titles.has("cpuinstructionaddress"));
}

bool is_summary(const Titles& titles) {
  const auto has = [&](std::string_view name) { return titles.has(name); };
  return (has("time") && (has("totaltime") || has("calls")) &&
          (has("name") || has("operation") || has("range"))) ||
         (has("total") && has("count") && has("operation")) ||
         (has("kernelname") && (has("aavg") || has("kerninst"))) || (has("range") && has("totalprojtime")) ||
         (has("kernelname") && has("count") && has("sum") &&
          has("mean")) || // rocprof-compute's pmc_kernel_top.csv
         is_of_unified_memory(titles);
}

// Pre-check: lines of other tables hardly ever contain one of these.
bool may_hold_titles(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords = {"Start", "Time",           "Total",      "Avg",
                                                      "Mean",  "Correlation_ID", "Page Faults"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool has_gpu_place(const Titles& titles) {
  return titles.find({"device",  "deviceid",  "devid",  "dev",       "gpu",     "gpuid",    "agent",
                      "agentid", "strm",      "stream", "streamid",  "queue",   "queueid",  "ctx",
                      "context", "contextid", "grdx",   "gridx",     "grid",    "gridsize", "gridxyz",
                      "blkx",    "blockx",    "block",  "blocksize", "blockxyz"}) != kAbsent;
}

// Examines the names below the header of a table, as far as present.
bool holds_calls(std::string_view text, char separator, std::size_t name_column) {
  constexpr int kMaxExamined = 50;
  const auto stream = open_memory(text);
  CsvReader csv(*stream, {}, separator);
  int functions = 0, names = 0;
  for (auto more = csv.next(); more && *more && names < kMaxExamined; more = csv.next()) {
    const auto name = field(csv, name_column);
    if (name.empty()) continue;
    ++names;
    functions += names_function(name);
  }
  return names > 0 && functions * 10 >= names * 9;
}

} // namespace

bool names_function(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto of_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (!std::all_of(name.begin(), name.end(), of_name)) return false;
  if (name.starts_with("hsa_")) return true;
  constexpr std::array<std::string_view, 8> kPrefixes = {"cuda", "cu", "hip",  "__hip",
                                                         "hggc", "hg", "musa", "mu"};
  const bool prefixed = std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
    return name.starts_with(prefix) && name.size() > prefix.size() && upper(name[prefix.size()]);
  });
  // A prefix is not enough: names of users' kernels may have it, too ("cudaVectorAdd").
  constexpr std::array<std::string_view, 24> kWords = {
      "Malloc", "Alloc",  "Free",     "Mem",      "Launch", "Synchronize", "Stream", "Event",
      "Query",  "Create", "Destroy",  "Init",     "Get",    "Set",         "Module", "Load",
      "Graph",  "Ctx",    "Profiler", "Register", "Device", "Host",        "Func",   "CallConfiguration"};
  return prefixed && std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return name.find(word) != std::string_view::npos;
         });
}

std::string_view rows_of_sums(const Titles& titles) {
  const auto has = [&](std::string_view name) { return titles.has(name); };
  if (has("kernelname")) return {};
  if (is_of_unified_memory(titles)) return "unified-memory operations";
  if (has("category") || (has("type") && has("calls"))) return kMixedRows;
  if (has("operation")) return "copies and memsets";
  if (has("range")) return "ranges";
  return has("instances") || has("calls") ? "" : "calls";
}

Kind kind_of(const Titles& titles) {
  const auto has = [&](std::string_view name) { return titles.has(name); };
  if (has("kernelstart") && has("kernelname")) return Kind::LaunchAndExecution;
  if (has("origstart") && has("origduration") && has("name")) return Kind::Ranges;
  if (has("start") && has("duration") && has("event") && has("peerrank")) return Kind::Messages;
  if (has("start") && has("duration") && has("name")) {
    if (has("gridx") && (has("staticsmem") || has("registersperthread"))) return Kind::NvprofActivities;
    if (has("grdx") || has("srcmemkd") || (has("strm") && has("ctx"))) return Kind::Activities;
    if (has("durchild") || has("rangestack") || has("rangeid")) return Kind::Ranges;
    if (has("end") && (has("tid") || has("pid"))) return Kind::Ranges;
    if (has("correlationid") && titles.size() <= 5) return Kind::NvprofActivities; // only calls
    if (has("corrid") || (has("result") && has("tid"))) return Kind::Calls;
    if (!has_gpu_place(titles)) return Kind::NamedTimes;
  }
  if (is_summary(titles)) return Kind::Summary;
  if (is_nvprof_sums(titles)) return Kind::NvprofSums;
  if (has("device") && has("context") && has("kernel") && has("correlationid")) return Kind::NvprofMetrics;
  return Kind::None;
}

bool is_sums(Kind kind) {
  return kind == Kind::Summary || kind == Kind::NvprofSums || kind == Kind::NvprofMetrics;
}

char separator_of(std::string_view line) {
  if (line.find(',') != std::string_view::npos) return ',';
  return line.find('\t') != std::string_view::npos  ? '\t'
         : line.find(';') != std::string_view::npos ? ';'
                                                    : ',';
}

Titles titles_of(std::string_view line) {
  const char separator = separator_of(line);
  std::vector<std::string_view> titles;
  for (std::size_t at = 0; at <= line.size() && titles.size() < 100;) {
    const auto end = std::min(line.find(separator, at), line.size());
    auto title = trimmed(line.substr(at, end - at));
    if (title.size() >= 2 && title.front() == '"' && title.back() == '"')
      title = title.substr(1, title.size() - 2);
    titles.push_back(title);
    at = end + 1;
  }
  return Titles(titles);
}

Kind kind_of_line(std::string_view line) {
  if (!may_hold_titles(line)) return Kind::None;
  const auto titles = titles_of(line);
  return titles.size() < 2 ? Kind::None : kind_of(titles);
}

bool is_timed(Kind kind) {
  return kind == Kind::Activities || kind == Kind::Ranges || kind == Kind::Calls || kind == Kind::Messages ||
         kind == Kind::LaunchAndExecution;
}

Kind kind_of_head(std::string_view head) {
  Kind first = Kind::None;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  if (!may_hold_titles(head)) return first;
  for (std::size_t at = 0; at < head.size();) {
    const auto end = line_end(head, at);
    const auto line = head.substr(at, end - at);
    const auto kind = kind_of_line(line);
    at = end + 1;
    if (kind == Kind::NamedTimes) {
      if (holds_calls(head.substr(std::min(at, head.size())), separator_of(line),
                      titles_of(line).find({"name"})))
        return Kind::Calls;
      continue;
    }
    if (kind != Kind::None && !is_sums(kind)) return kind;
    if (first == Kind::None) first = kind;
  }
  return first;
}

std::optional<std::int64_t> process_in(std::string_view line) {
  if (!line.starts_with("==")) return {};
  const auto end = line.find("==", 2);
  return end == std::string_view::npos ? std::nullopt : parse_integer(line.substr(2, end - 2));
}

} // namespace jitterscope::import::gpu_trace
