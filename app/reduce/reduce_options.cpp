#include "app/reduce/reduce_options.h"

#include <algorithm>

#include <fmt/core.h>

#include "app/controllers/efficiency_text.h"
#include "app/engine/number_list.h"
#include "app/engine/time_text.h"
#include "views/base/format.h"
#include "views/base/text.h"

namespace jitterscope::app {
namespace {

using views::Text;

using nlohmann::json;

Expected<void> add_lists(const ReduceTexts& texts, engine::ReduceOptions& options) {
  auto added = add_numbers(texts.ranks, "--ranks", options.ranks);
  return added ? add_numbers(texts.devices, "--devices", options.devices) : added;
}

Expected<void> add_thresholds(const ReduceTexts& texts, engine::ReduceOptions& options) {
  for (const auto& [threshold, option, text] :
       {std::tuple{&options.kernels_above_ns, "--kernels-above", &texts.kernels_above},
        {&options.bursts_above_ns, "--bursts-above", &texts.bursts_above}}) {
    if (text->empty()) continue;
    auto time = parse_time(*text, option);
    if (!time) return forward(time.error());
    if (*time < 0) return failure(ErrorKind::BadUse, "the threshold " + *text + " is negative", {}, option);
    *threshold = *time;
  }
  return {};
}

// Words separated by commas are kinds, anything else is a condition; no kind contains "_".
void add_keep(const ReduceTexts& texts, engine::ReduceOptions& options) {
  if (texts.keep.empty()) return;
  const bool words = texts.keep.find_first_not_of("abcdefghijklmnopqrstuvwxyz-, ") == std::string::npos;
  if (!words) {
    options.where = texts.where.empty() ? texts.keep : fmt::format("({}) and ({})", texts.where, texts.keep);
    return;
  }
  for (const auto& part : QString::fromStdString(texts.keep).split(','))
    options.keep.push_back(part.trimmed().toStdString());
}

QString three_columns(const QString& name, const QString& before, const QString& after) {
  return "  " + name.leftJustified(28) + before.rightJustified(16) + after.rightJustified(16);
}

QStringList efficiency_lines(const json& efficiency) {
  QStringList lines;
  const auto value = [&](const char* when, const char* object, const char* key) {
    const auto& of = efficiency.at(when);
    return of.is_null() ? json() : of.at(object).at(key);
  };
  for (const auto& [object, key, depth] : {std::tuple{"device", "parallel", 0},
                                           {"device", "load_balance", 1},
                                           {"device", "communication", 1},
                                           {"device", "orchestration", 1},
                                           {"host", "parallel", 0},
                                           {"mpi", "parallel", 0},
                                           {"mpi", "load_balance", 1},
                                           {"mpi", "communication", 1}}) {
    const auto before = value("before", object, key), after = value("after", object, key);
    if (before.is_null() && after.is_null()) continue;
    const auto title = efficiency_text::title_in_tree(QString("%1.%2").arg(object, key), depth);
    lines << three_columns(title, efficiency_text::percent(before), efficiency_text::percent(after));
  }
  if (!lines.empty())
    lines.prepend(three_columns(Text::tr("efficiency"), Text::tr("before"), Text::tr("after")));
  return lines;
}

bool keeps_no_states(const json& tables) {
  return std::ranges::any_of(tables, [](const json& table) {
    return table.at("table") == "ranges" && table.at("before").get<std::int64_t>() > 0 &&
           table.at("kept").get<std::int64_t>() == 0;
  });
}

/// Whether launches, bursts or states were dropped for other reasons than their place in time or on tracks.
bool drops_useful_time(const json& tables) {
  return std::ranges::any_of(tables, [](const json& table) {
    const auto& dropped = table.at("dropped");
    return (table.at("table") == "launches" || table.at("table") == "ranges") &&
           dropped.at("kind").get<std::int64_t>() + dropped.at("short").get<std::int64_t>() +
                   dropped.at("where").get<std::int64_t>() >
               0;
  });
}

} // namespace

Expected<engine::ReduceOptions> reduce_options(const ReduceTexts& texts) {
  engine::ReduceOptions options{.output = texts.output,
                                .overwrite = texts.overwrite,
                                .clip = texts.clip,
                                .from_zero = texts.from_zero,
                                .tracks = texts.tracks,
                                .where = texts.where,
                                .software_counters = texts.software_counters};
  if (!texts.range.empty()) {
    auto range = parse_range(texts.range);
    if (!range) return forward(range.error());
    options.begin_ns = range->at(0), options.end_ns = range->at(1);
  }
  if (auto added = add_lists(texts, options); !added) return forward(added.error());
  if (auto added = add_thresholds(texts, options); !added) return forward(added.error());
  add_keep(texts, options);
  return options;
}

bool leaves_out(const engine::ReduceOptions& options) {
  return options.begin_ns || !options.ranks.empty() || !options.devices.empty() || !options.tracks.empty() ||
         drops_rows(options);
}

bool drops_rows(const engine::ReduceOptions& options) {
  return !options.keep.empty() || !options.where.empty() || options.kernels_above_ns > 0 ||
         options.bursts_above_ns > 0;
}

QStringList reduce_summary(const json& d) {
  const auto size = [](const json& bytes) { return views::formatValue(bytes.get<double>(), "B"); };
  const auto& files = d.at("files");
  const auto output = QString::fromStdString(files[0].get<std::string>());
  // A store is compared with the store; other formats with the files that the trace was imported from.
  const auto sizes =
      output.endsWith(".jts")
          ? QString("%1: %2 → %3").arg(output, size(d.at("bytes_before")), size(d.at("bytes_after")))
          : (d.at("sources_compressed").get<bool>() ? Text::tr("%1: %2, from %3 of compressed source files")
                                                    : Text::tr("%1: %2, from %3 of source files"))
                .arg(files.size() > 1 ? Text::tr("%1, .pcf and .row").arg(output) : output,
                     size(d.at("bytes_after")), size(d.at("bytes_of_sources")));
  QStringList lines{sizes, QString(), three_columns(Text::tr("rows"), Text::tr("before"), Text::tr("after"))};
  for (const auto& table : d.at("tables"))
    if (table.at("before").get<std::int64_t>() > 0)
      lines << three_columns(QString::fromStdString(table.at("rows").get<std::string>()),
                             QString::number(table.at("before").get<std::int64_t>()),
                             QString::number(table.at("kept").get<std::int64_t>()));
  if (const auto efficiencies = efficiency_lines(d.at("efficiency")); !efficiencies.empty()) {
    lines << QString() << efficiencies;
    if (drops_useful_time(d.at("tables")))
      lines
          << (keeps_no_states(d.at("tables"))
                  ? Text::tr(
                        "note: without states, all time of a thread outside its kept calls counts as useful")
                  : Text::tr(
                        "note: the time of dropped kernels, bursts and states does not count as useful"));
  }
  if (const auto& note = d.at("efficiency").at("note"); note.is_string())
    lines << Text::tr("note: %1").arg(QString::fromStdString(note.get<std::string>()));
  lines << QString();
  for (const auto& entry : d.at("report"))
    lines << QString::fromStdString(entry.at("text").get<std::string>());
  if (const auto counters = d.at("software_counters").get<std::int64_t>(); counters > 0)
    lines << Text::tr("%1 software counters count the dropped events").arg(counters);
  for (const auto& text : d.value("left_out", json::array()))
    lines << Text::tr("note: %1").arg(QString::fromStdString(text.get<std::string>()));
  return lines;
}

} // namespace jitterscope::app
