#include "app/engine/column_titles.h"

#include <optional>
#include <string_view>

#include "app/engine/row_texts.h"
#include "core/causal/base/wording.h"
#include "core/columns/column_spec.h"

namespace jitterscope::app {
namespace {

QString spaced(std::string_view name) {
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace('_', ' ');
}

std::optional<QString> known_title(std::string_view name) {
  const auto title = [](std::string_view of) -> std::optional<QString> {
    for (const auto& each : column_words())
      if (each.column == of && !each.title.empty())
        return row_text(QString::fromUtf8(each.title.data(), static_cast<qsizetype>(each.title.size())));
    return std::nullopt;
  };
  if (auto found = title(name)) return found;
  for (const std::string_view ending : {"_ns", "_bytes", "_count"}) {
    if (!name.ends_with(ending)) continue;
    const auto found = title(name.substr(0, name.size() - ending.size()));
    if (!found) return std::nullopt;
    return *found + (ending == "_ns" ? QString() : ", " + spaced(ending.substr(1)));
  }
  if (name.starts_with("mean_"))
    return QString::fromStdString(causal::words_for(name)); // clocks and other counters
  return std::nullopt;
}

} // namespace

QString words(const std::string& column) {
  return known_title(column).value_or(spaced(column));
}

QString feature_title(const std::string& feature, const std::string& label) {
  constexpr std::string_view kEvent = " > 0";
  std::string_view name = feature;
  if (name.ends_with(kEvent)) {
    name.remove_suffix(kEvent.size());
    // Omits the measure of an event: "memory operations, count" becomes "memory operations".
    if (const auto title = known_title(name)) return title->section(',', 0, 0);
  }
  if (const auto title = known_title(name)) return *title;
  return label.empty() ? spaced(feature) : QString::fromStdString(label);
}

QString distinct_feature_title(const std::string& feature) {
  constexpr std::string_view kEvent = " > 0";
  std::string_view name = feature;
  const bool event = name.ends_with(kEvent);
  if (event) name.remove_suffix(kEvent.size());
  auto title = known_title(name);
  if (!title) return spaced(feature);
  if (name.ends_with("_ns")) *title += ", time";
  return event ? *title + " > 0" : *title;
}

} // namespace jitterscope::app
