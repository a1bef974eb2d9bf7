#include "app/session/session_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "app/engine/store_cache.h"
#include "core/base/output_file.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr qint64 kLargest = 16 << 20; // bytes; a session file has a few thousand

json interval_json(const Interval& interval) {
  return {interval.begin.count, interval.end.count};
}
Interval interval_of(const json& j) {
  return {{j.at(0).get<std::int64_t>()}, {j.at(1).get<std::int64_t>()}};
}
QString text(const json& j, const char* key, const QString& fallback = {}) {
  return QString::fromStdString(j.value(key, fallback.toStdString()));
}

json files_json(const QStringList& files, const QDir& folder) {
  json list = json::array();
  for (const auto& file : files) {
    const QString absolute = QFileInfo(file).absoluteFilePath();
    const QString relative = folder.relativeFilePath(absolute);
    json item = {{"path", absolute.toStdString()}};
    if (!relative.startsWith("..") && !QDir::isAbsolutePath(relative))
      item["relative"] = relative.toStdString();
    list.push_back(std::move(item));
  }
  return list;
}

QStringList files_of(const json& list, const QDir& folder) {
  QStringList files;
  for (const auto& item : list) {
    const QString relative = text(item, "relative");
    const QString sibling = relative.isEmpty() ? QString() : folder.absoluteFilePath(relative);
    files << (!sibling.isEmpty() && QFileInfo::exists(sibling) ? sibling : text(item, "path"));
  }
  return files;
}

SessionFile session_of(const json& document, const QDir& folder) {
  SessionFile session;
  session.files = files_of(document.at("files"), folder);
  session.mapping = mapping_list(document.value("mapping", std::vector<std::string>()));
  if (const auto column = text(document, "kernel_column"); !column.isEmpty())
    session.mapping << "kernel=" + column; // format of older files
  session.selection = selection_from_json(document.value("selection", json::object()));
  session.filter = text(document, "filter");
  for (const auto& interval : document.value("intervals_ns", json::array()))
    session.intervals.push_back(interval_of(interval));
  const auto bins = document.value("bins", json::object());
  session.bins = {bins.value("metric", session.bins.metric), bins.value("rank_by", session.bins.rank_by),
                  bins.value("width_ns", session.bins.width_ns),
                  bins.value("top_count", session.bins.top_count),
                  bins.value("top_share", session.bins.top_share)};
  const auto causal = document.value("causal", json::object());
  session.causal.target = causal.value("target", session.causal.target);
  session.causal.reading = causal.value("reading", session.causal.reading);
  session.causal.against = causal.value("against", session.causal.against);
  session.causal.rows = static_cast<CausalRows>(std::clamp(causal.value("rows", 0), 0, 2));
  const auto shown = document.value("distribution", json::object());
  auto& d = session.distribution;
  d = {shown.value("column", d.column), shown.value("log", d.log), shown.value("log_heights", d.log_heights),
       shown.value("time", d.time), shown.value("group_by", d.group_by)};
  session.views = document.value("views", json::object());
  session.layout = QByteArray::fromBase64(QByteArray::fromStdString(document.value("layout", std::string())));
  return session;
}

} // namespace

json to_json(const SelectionState& state) {
  json out = {{"where", state.where.toStdString()}, {"kernels", state.kernels}};
  if (state.window) out["window_ns"] = interval_json(*state.window);
  if (state.brush) out["brush_ns"] = interval_json(*state.brush);
  if (state.bin)
    out["bin"] = {{"index", state.bin->index}, {"interval_ns", interval_json(state.bin->interval)}};
  if (state.reason) {
    out["reason"] = {{"cause", state.reason->cause.toStdString()}, {"times_ns", json::array()}};
    if (state.reason->moments) out["reason"]["moments"] = true;
    for (const auto& interval : state.reason->times)
      out["reason"]["times_ns"].push_back(interval_json(interval));
  }
  if (state.launch)
    out["launch"] = {{"track", state.launch->track},
                     {"row", state.launch->row},
                     {"interval_ns", interval_json(state.launch->interval)}};
  json brushes = json::object();
  for (const auto& [column, ranges] : state.brushes)
    for (const auto& range : ranges)
      brushes[column.toStdString()].push_back(range.isMissing() ? json() : json{range.low, range.high});
  out["brushes"] = std::move(brushes);
  for (const auto& interval : state.bin_times) out["bin_times_ns"].push_back(interval_json(interval));
  out["brush_logic"] = {{"any", state.brush_logic.any}, {"inverted", state.brush_logic.inverted}};
  return out;
}

SelectionState selection_from_json(const json& j) {
  SelectionState state;
  state.where = text(j, "where");
  state.kernels = j.value("kernels", state.kernels);
  std::sort(state.kernels.begin(), state.kernels.end());
  if (j.contains("window_ns")) state.window = interval_of(j.at("window_ns"));
  if (j.contains("brush_ns")) state.brush = interval_of(j.at("brush_ns"));
  if (j.contains("bin"))
    state.bin = BinChoice{j.at("bin").at("index"), interval_of(j.at("bin").at("interval_ns"))};
  if (j.contains("reason")) {
    state.reason = ReasonChoice{text(j.at("reason"), "cause"), {}, j.at("reason").value("moments", false)};
    for (const auto& interval : j.at("reason").at("times_ns"))
      state.reason->times.push_back(interval_of(interval));
    if (state.reason->times.empty()) state.reason.reset();
  }
  if (j.contains("launch")) {
    const auto& launch = j.at("launch");
    state.launch = LaunchChoice{launch.at("track"), launch.at("row"), interval_of(launch.at("interval_ns"))};
  }
  const auto brushes = j.value("brushes", json::object());
  for (const auto& [column, ranges] : brushes.items())
    for (const auto& range : ranges)
      state.brushes[QString::fromStdString(column)].push_back(
          range.is_null() ? views::ValueRange::missing()
                          : views::ValueRange{range.at(0).get<double>(), range.at(1).get<double>()});
  for (const auto& interval : j.value("bin_times_ns", json::array()))
    state.bin_times.push_back(interval_of(interval));
  const auto logic = j.value("brush_logic", json::object());
  state.brush_logic.any = logic.value("any", false);
  state.brush_logic.inverted = logic.value("inverted", false);
  return state;
}

bool looks_like_session(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.read(256).contains("\"jitterscope_session\"");
}

Expected<SessionFile> read_session(const QString& path) {
  const std::string name = path.toStdString();
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly))
    return failure(ErrorKind::Io, "the session cannot be read: " + file.errorString().toStdString(), name);
  if (file.size() > kLargest)
    return failure(ErrorKind::BadInput, "the file is larger than 16 MiB, the limit of a session", name);
  try {
    const auto document = json::parse(file.readAll().toStdString());
    const int version = document.at("jitterscope_session").get<int>();
    if (version > kVersion)
      return failure(ErrorKind::BadInput, "this session was saved by a newer Jitterscope", name,
                     "jitterscope_session", "Open its files separately, or use that version.");
    return session_of(document, QFileInfo(path).absoluteDir());
  } catch (const json::parse_error& problem) {
    return failure(ErrorKind::BadInput, "this session file is damaged: it is not valid JSON", name,
                   "byte " + std::to_string(problem.byte), "Open the traces themselves.");
  } catch (const json::exception& problem) {
    return failure(ErrorKind::BadInput, std::string("this session file cannot be read: ") + problem.what(),
                   name, {}, "Open the traces themselves.");
  }
}

std::string session_text(const SessionFile& session, const QString& path) {
  json intervals = json::array();
  for (const auto& interval : session.intervals) intervals.push_back(interval_json(interval));
  const auto& d = session.distribution;
  // The first key identifies the file.
  nlohmann::ordered_json document = {{"jitterscope_session", kVersion}};
  document["files"] = files_json(session.files, QFileInfo(path).absoluteDir());
  document["mapping"] = mapping_entries(session.mapping);
  document["selection"] = to_json(session.selection);
  document["filter"] = session.filter.toStdString();
  document["intervals_ns"] = intervals;
  document["bins"] = {{"metric", session.bins.metric},
                      {"rank_by", session.bins.rank_by},
                      {"width_ns", session.bins.width_ns},
                      {"top_count", session.bins.top_count},
                      {"top_share", session.bins.top_share}};
  document["causal"] = {{"target", session.causal.target},
                        {"reading", session.causal.reading},
                        {"against", session.causal.against},
                        {"rows", static_cast<int>(session.causal.rows)}};
  document["distribution"] = {{"column", d.column},
                              {"log", d.log},
                              {"log_heights", d.log_heights},
                              {"time", d.time},
                              {"group_by", d.group_by}};
  document["views"] = session.views;
  document["layout"] = session.layout.toBase64().toStdString();
  return document.dump(1) + "\n";
}

Expected<void> write_session(const SessionFile& session, const QString& path) {
  return write_output(QFile::encodeName(path).toStdString(), session_text(session, path));
}

} // namespace jitterscope::app
