#include "app/engine/column_titles.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "app/engine/row_texts.h"
#include "core/causal/base/wording.h"

namespace jitterscope::app {
namespace {

struct Title {
  std::string_view column; ///< name without the suffix _ns, _bytes or _count
  const char* title;
};

// Titles of columns whose names are not self-explanatory; the same words as in sentences about causes
// (core/causal/wording.cpp), shortened for an axis.
constexpr std::array kTitles = {
    Title{"short_name", "kernel"},
    Title{"gap", "gap before launch"},
    Title{"queue_delay", "queue delay"},
    Title{"concurrency", "concurrent kernels"},
    Title{"burst_position", "position in series"},
    Title{"first_launch", "first launch"},
    Title{"graph_launch", "graph launch"},
    Title{"migration", "migration during launch"},
    Title{"window_migration", "migration since previous launch"},
    Title{"page_fault", "page faults"},
    Title{"linked_transfer", "memory operations"},
    Title{"linked_overlapped", "memory operations during launch"},
    Title{"linked_exposed", "memory operations before launch"},
    Title{"overlap_host_to_device", "host-to-device copies"},
    Title{"overlap_device_to_host", "device-to-host copies"},
    Title{"overlap_device_to_device", "device-to-device copies"},
    Title{"overlap_peer_to_peer", "peer-to-peer copies"},
    Title{"overlap_memset", "memory sets"},
    Title{"overlap_transfer", "copies during launch"},
    Title{"blocks", "blocks"},
    Title{"threads", "threads"},
    Title{"registers", "registers"},
    Title{"grid_x", "grid x"},
    Title{"grid_y", "grid y"},
    Title{"grid_z", "grid z"},
    Title{"block_x", "block x"},
    Title{"block_y", "block y"},
    Title{"block_z", "block z"},
    Title{"memory_stall", "memory-stall variability"},
    Title{"excess_clock", "excess due to clocks"},
    Title{"excess_copies", "excess due to copies"},
    Title{"excess_migrations", "excess due to migrations"},
    Title{"excess_other_kernels", "excess due to other kernels"},
    Title{"excess_place", "excess due to device, rank, stream or run"},
    Title{"excess_waiting", "excess due to waiting in collectives"},
    Title{"excess_first_launch", "excess due to first launches"},
    Title{"excess_other", "excess due to other causes"},
    Title{"excess_unexplained", "unexplained excess"},
};

QString spaced(std::string_view name) {
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace('_', ' ');
}

std::optional<QString> known_title(std::string_view name) {
  const auto title = [](std::string_view of) {
    return std::find_if(kTitles.begin(), kTitles.end(), [&](const Title& each) { return each.column == of; });
  };
  if (const auto found = title(name); found != kTitles.end()) return row_text(QString(found->title));
  for (const std::string_view ending : {"_ns", "_bytes", "_count"}) {
    if (!name.ends_with(ending)) continue;
    const auto found = title(name.substr(0, name.size() - ending.size()));
    if (found == kTitles.end()) return std::nullopt;
    return row_text(QString(found->title)) + (ending == "_ns" ? QString() : ", " + spaced(ending.substr(1)));
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
    // An occurrence has neither a time nor a number.
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
