#include "core/store/format/analysis_rows.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace jitterscope::store {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"launches", "bursts", "ranges", "calls"};

} // namespace

std::string_view to_string(AnalysisRows rows) {
  return kNames[static_cast<std::size_t>(rows)];
}

std::optional<AnalysisRows> analysis_rows_from(std::string_view text) {
  const auto found = std::ranges::find(kNames, text);
  if (found == kNames.end()) return {};
  return static_cast<AnalysisRows>(found - kNames.begin());
}

AnalysisRows analysis_rows(const Store& store) {
  const auto* kind = store.table(kAnalysisRowsTable).find("kind");
  if (!kind || kind->rows != 1 || kind->type != ElementType::UInt8) return AnalysisRows::Launches;
  const auto number = Values<std::uint8_t>(*kind)[0];
  return number < kNames.size() ? static_cast<AnalysisRows>(number) : AnalysisRows::Launches;
}

bool is_running_state(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower == "running" || lower == "useful" || lower == "state 1";
}

} // namespace jitterscope::store
