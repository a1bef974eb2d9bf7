#include "core/import/formats/ncu/header.h"

#include <algorithm>
#include <iterator>

#include "core/import/text/csv/number.h"

namespace jitterscope::import::ncu {
namespace {

struct Known {
  std::string_view title;
  std::size_t Header::*column; // null: known, but not used
};

constexpr Known kKnown[] = {
    {"ID", &Header::id},
    {"Process ID", &Header::process_id},
    {"Process Name", &Header::process_name},
    {"Host Name", nullptr},
    {"Kernel Name", &Header::kernel},
    {"Kernel Time", nullptr},
    {"Context", &Header::context},
    {"Stream", &Header::stream},
    {"Block Size", &Header::block},
    {"Grid Size", &Header::grid},
    {"Device", &Header::device},
    {"CC", &Header::compute_capability},
    {"Section Name", &Header::section},
    {"Metric Name", &Header::metric},
    {"Metric Unit", &Header::unit},
    {"Metric Value", &Header::value},
    {"Invocations", &Header::invocations},
    {"Minimum", &Header::minimum},
    {"Maximum", &Header::maximum},
    {"Average", &Header::value},
};

bool is_title(std::string_view field, std::string_view title) {
  return trimmed(field) == title;
}

} // namespace

bool is_header(std::span<const std::string_view> fields) {
  const auto has = [&](std::string_view title) {
    return std::any_of(fields.begin(), fields.end(), [&](auto field) { return is_title(field, title); });
  };
  return has("Kernel Name") && (has("ID") || (has("Invocations") && has("Average")));
}

// Column names contain neither commas nor quotes, so that a line can be examined without a CSV reader.
bool is_header(std::string_view line) {
  if (line.find("Kernel Name") == std::string_view::npos) return false;
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  const char separator = separator_of(line);
  bool id = false, name = false, invocations = false, average = false;
  for (std::size_t at = 0; at <= line.size() && !(id && name);) {
    const auto end = std::min(line.find(separator, at), line.size());
    auto title = trimmed(line.substr(at, end - at));
    if (title.size() >= 2 && title.front() == '"' && title.back() == '"')
      title = title.substr(1, title.size() - 2);
    id = id || title == "ID";
    name = name || title == "Kernel Name";
    invocations = invocations || title == "Invocations";
    average = average || title == "Average";
    at = end + 1;
  }
  return name && (id || (invocations && average));
}

char separator_of(std::string_view line) {
  for (const char separator : {',', '\t', ';'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

Header header_of(std::span<const std::string_view> titles) {
  Header header;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto title = trimmed(titles[i]);
    const auto known =
        std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& k) { return k.title == title; });
    if (known == std::end(kKnown)) {
      if (title.empty() && i == 0) continue; // a row number of pandas
      header.others.push_back(i);
      if (readable_title(title) != title) header.ranges.push_back(i);
      continue;
    }
    if (known->column && header.*(known->column) == Header::kAbsent) header.*(known->column) = i;
  }
  return header;
}

std::string_view readable_title(std::string_view title) {
  if (title.starts_with("thread Domain:Push/Pop")) return "NVTX push/pop ranges";
  if (title.starts_with("Id:Domain:Start/Stop")) return "NVTX start/stop ranges";
  return title;
}

} // namespace jitterscope::import::ncu
