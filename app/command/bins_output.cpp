#include "app/command/bins_output.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "app/command/text_fields.h"
#include "core/analysis/statistics/statistics.h"

namespace jitterscope::app {
namespace {

using Text = fmt::memory_buffer;

void put(Text& text, std::string_view piece) {
  text.append(piece.data(), piece.data() + piece.size());
}

void put_number(Text& text, double value, std::string_view otherwise) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(text), "{}", value);
  else
    put(text, otherwise);
}

/// The arrays of an answer to "bins", one per column of the output, indexed by bin.
class Columns {
public:
  explicit Columns(const engine::Answer& answer)
      : index(answer.get<std::int64_t>("index")), start(answer.get<std::int64_t>("start_ns")),
        launches(answer.get<std::int64_t>("launches")), rank(answer.get<std::int64_t>("rank")),
        n(answer.get<std::int64_t>("n")), kept(answer.get<std::uint8_t>("kept")),
        group(answer.get<double>("group")) {
    size = std::min({index.size(), start.size(), launches.size(), rank.size(), n.size(), kept.size()});
    for (const auto& [name, field] : analysis::kStatisticFields) {
      const auto& values = answer.get<double>(name);
      size = std::min(size, values.size());
      statistics.emplace_back(name, values);
    }
    divided = answer.document.contains("groups") && group.size() >= size;
    if (divided) groups = answer.document.at("groups").get<std::vector<std::string>>();
  }
  nlohmann::json group_name(std::size_t i) const {
    if (std::isnan(group[i])) return nullptr;
    const auto number = static_cast<std::size_t>(group[i]);
    if (groups.empty()) return number;
    return number < groups.size() ? nlohmann::json(groups[number]) : nlohmann::json();
  }
  const std::vector<std::int64_t>&index, &start, &launches, &rank, &n;
  const std::vector<std::uint8_t>& kept;
  const std::vector<double>& group;
  bool divided = false; ///< true if the bins are divided into groups
  std::vector<std::string> groups;
  std::vector<std::pair<const char*, const std::vector<double>&>> statistics;
  std::size_t size = 0;
};

// Fields that only kept bins have, as JSON text to insert into their objects.
std::vector<std::string> details_by_rank(const nlohmann::json& kept_bins) {
  std::vector<std::string> details;
  for (const auto& bin : kept_bins) {
    nlohmann::json own;
    for (const char* key : {"last_end_ns", "top_launch", "top_kernel", "top_kernel_share"})
      own[key] = bin.at(key);
    const auto text = own.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    details.push_back("," + text.substr(1, text.size() - 2));
  }
  return details;
}

/// If reasons were requested, replaces the entries of "kept" by objects.
void add_reasons(nlohmann::json& head) {
  const auto& bins = head.at("kept_bins");
  if (bins.empty() || !bins.front().contains("reason")) return;
  auto kept = nlohmann::json::array();
  for (const auto& bin : bins) {
    auto& entry = kept.emplace_back();
    for (const char* key : {"index", "rank", "start_ns", "excess_ns", "excess_percent", "reason"})
      entry[key] = bin.at(key);
    for (const char* key : {"reason_note", "differs_only_here", "associated"})
      if (bin.contains(key)) entry[key] = bin.at(key);
  }
  head["kept"] = std::move(kept);
}

void put_bin(Text& text, const Columns& columns, std::size_t i, const std::vector<std::string>& details) {
  const auto rank = columns.rank[i];
  fmt::format_to(std::back_inserter(text), R"({{"index":{},"start_ns":{},"n":{})", columns.index[i],
                 columns.start[i], columns.n[i]);
  for (const auto& [name, values] : columns.statistics) {
    fmt::format_to(std::back_inserter(text), R"(,"{}":)", name);
    put_number(text, values[i], "null");
  }
  fmt::format_to(std::back_inserter(text), R"(,"launches":{},"rank":{},"kept":{})", columns.launches[i], rank,
                 columns.kept[i] != 0);
  if (columns.divided)
    put(text,
        ",\"group\":" + columns.group_name(i).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  if (columns.kept[i] && rank >= 1 && static_cast<std::size_t>(rank) <= details.size())
    put(text, details[static_cast<std::size_t>(rank) - 1]);
  put(text, "}");
}

} // namespace

std::string bins_json(const engine::Answer& answer) {
  auto head = answer.document;
  const auto details = details_by_rank(head.at("kept_bins"));
  add_reasons(head);
  head.erase("kept_bins");
  const auto dumped = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Columns columns(answer);
  Text text;
  put(text, std::string_view(dumped).substr(0, dumped.size() - 1));
  put(text, ",\n\"bins\":[");
  for (std::size_t i = 0; i < columns.size; ++i) {
    put(text, i == 0 ? "\n" : ",\n");
    put_bin(text, columns, i, details);
  }
  put(text, "]}\n");
  return fmt::to_string(text);
}

void write_bins_csv(std::ostream& out, const engine::Answer& answer) {
  const Columns columns(answer);
  Text text;
  put(text, "index,start_ns,launches,n");
  for (const auto& [name, values] : columns.statistics) fmt::format_to(std::back_inserter(text), ",{}", name);
  put(text, columns.divided ? ",rank,kept,group\n" : ",rank,kept\n");
  for (std::size_t i = 0; i < columns.size; ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{}", columns.index[i], columns.start[i],
                   columns.launches[i], columns.n[i]);
    for (const auto& [name, values] : columns.statistics) {
      put(text, ",");
      put_number(text, values[i], "");
    }
    fmt::format_to(std::back_inserter(text), ",{},{}", columns.rank[i], int{columns.kept[i]});
    if (columns.divided) put(text, "," + csv_field(columns.group_name(i)));
    put(text, "\n");
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace jitterscope::app
