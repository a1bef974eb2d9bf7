#include "core/import/formats/paraver/paraver_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/core.h>

#include "core/import/formats/paraver/trace.h"

namespace jitterscope::import::paraver {
namespace {

enum class Kind { None, Body, Labels, Rows };

constexpr std::array<std::string_view, 7> kSections = {
    "DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES",        "STATES_COLOR",
    "EVENT_TYPE",      "GRADIENT_COLOR",   "GRADIENT_NAMES"};
constexpr std::int64_t kLinesBetweenReports = 4096;
constexpr std::int64_t kBytesOfEstimate = std::int64_t{8} << 20;

std::string_view first_line(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find('\n', first) - first);
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

Kind kind_of(const Input& input) {
  const auto line = first_line(input.head);
  if (is_header(line)) return Kind::Body;
  if (std::find(kSections.begin(), kSections.end(), line) != kSections.end()) return Kind::Labels;
  if (line.starts_with("LEVEL ") && line.find(" SIZE ") != std::string_view::npos) return Kind::Rows;
  return Kind::None;
}

// "…/run.chop1.prv.gz" → "…/run.chop1"
std::string stem(std::string name) {
  for (const std::string_view ending : {".prv", ".pcf", ".row"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

template <class Names>
Expected<void> read_names(std::span<const Input> inputs, Kind kind, Names& names) {
  for (const auto& input : inputs) {
    if (kind_of(input) != kind) continue;
    auto stream = input.open();
    if (!stream) return forward(stream.error());
    Lines lines(**stream);
    if (auto done = names.read(lines); !done) return done;
  }
  return {};
}

Expected<void> read_body(const Input& input, const Labels& labels, const Rows& rows, Draft& draft,
                         store::Source& source, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  Lines lines(**stream);
  Expected<std::optional<std::string_view>> line = lines.next();
  while (line && *line && first_line(**line).empty()) line = lines.next();
  if (!line) return forward(line.error());
  const auto header = *line ? parse_header(first_line(**line)) : std::nullopt;
  if (!header)
    return failure(ErrorKind::BadInput, "the header of the trace cannot be read", input.name(), "line 1",
                   "It must begin with #Paraver (date):duration:… — merge the trace again.");
  Trace trace(draft, *header, labels, rows, progress);
  bool estimated = false;
  for (std::string_view text;;) {
    if (!lines.next_in_memory(text)) {
      line = lines.next();
      if (!line) return forward(line.error());
      if (!*line) break;
      text = **line;
    }
    trace.read_line(text, lines.number());
    if (lines.number() % kLinesBetweenReports != 0) continue;
    const auto consumed = (*stream)->consumed();
    if (!progress.report(consumed, input.disk_bytes, "records")) return Job::cancelled_error();
    if (!estimated && consumed >= kBytesOfEstimate) {
      trace.reserve(static_cast<double>(input.disk_bytes) / static_cast<double>(consumed));
      estimated = true;
    }
  }
  if (trace.records() == 0)
    return failure(ErrorKind::BadInput, "the trace contains no records", input.name(), {},
                   "It has only a header: merge the trace again.");
  if (labels.empty())
    trace.issues.count(store::Severity::Doubt, "no-names", [&] {
      return fmt::format("there is no .pcf next to {}: names of the trace are unknown; built-in names or "
                         "numbers are shown instead",
                         input.file_name());
    });
  if (rows.empty())
    trace.issues.count(store::Severity::Doubt, "no-rows", [&] {
      return fmt::format("there is no .row next to {}: which of its threads are GPU streams is unknown, so "
                         "no thread is treated as a stream",
                         input.file_name());
    });
  source.end_ns = trace.end_after_records();
  return trace.finish(input.file_name());
}

bool recognises(const Input& input) {
  return kind_of(input) != Kind::None;
}

std::string group(const Input& input) {
  return fmt::format("{}/{}", input.folder(), stem(input.file_name()));
}

std::vector<std::string> companions(const Input& input) {
  if (!input.member.empty() || input.memory || kind_of(input) != Kind::Body) return {};
  const auto base = (std::filesystem::path(input.path).parent_path() / stem(input.file_name())).string();
  std::vector<std::string> paths;
  for (const std::string_view ending : {".pcf", ".row"})
    for (const std::string_view packing : {"", ".gz", ".bz2", ".xz", ".zst"})
      paths.push_back(fmt::format("{}{}{}", base, ending, packing));
  return paths;
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  // The header's date has no seconds and no time zone: no absolute time.
  const auto body = std::find_if(inputs.begin(), inputs.end(),
                                 [](const Input& input) { return kind_of(input) == Kind::Body; });
  if (body == inputs.end())
    return failure(ErrorKind::BadInput, "this file contains only the labels of a Paraver trace, no events",
                   inputs.front().name(), {}, "Open the .prv (or .prv.gz) next to it.");
  Labels labels;
  Rows rows;
  auto done = read_names(inputs, Kind::Labels, labels);
  if (done) done = read_names(inputs, Kind::Rows, rows);
  if (done) done = read_body(*body, labels, rows, draft, source, progress);
  if (!done && done.error().file.empty()) done.error().file = body->name();
  return done;
}

} // namespace

const Reader kReader = {"Paraver trace", recognises, read, group, companions};

} // namespace jitterscope::import::paraver
