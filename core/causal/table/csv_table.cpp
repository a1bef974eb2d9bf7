#include "core/causal/table/csv_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/base/similar_names.h"
#include "core/causal/base/text_file.h"
#include "core/causal/base/tiers.h"
#include "core/causal/groups/column_roles.h"

namespace jitterscope::causal {
namespace {

constexpr std::size_t kMaxColumns = 100'000;

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
         });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool is_missing(std::string_view text) {
  if (text.empty()) return true;
  for (const std::string_view word : {"na", "n/a", "nan", "null", "-", "inf", "-inf", "+inf", "infinity"})
    if (equals_ignoring_case(text, word)) return true;
  return false;
}

bool parse_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return value = kMissing, end == text.data() + text.size();
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (!std::isfinite(value)) value = kMissing;
  return true;
}

/// Iterates over the records of the text. A field is a view into the text, or into `owned` if it had quotes
/// to decode.
class Records {
public:
  Records(std::string_view text, char delimiter, const std::string& file)
      : text_(text), delimiter_(delimiter), file_(file) {}

  /// The next record; false at the end of the text.
  Expected<bool> next(std::vector<std::string_view>& fields) {
    fields.clear();
    owned_.clear();
    line_ = next_line_;
    if (at_ >= text_.size()) return false;
    for (;;) {
      auto field = at_ < text_.size() && text_[at_] == '"' ? quoted() : plain();
      if (!field) return forward(field.error());
      fields.push_back(*field);
      if (fields.size() > kMaxColumns) return bad("more than 100,000 columns");
      if (at_ >= text_.size()) return true;
      if (text_[at_] == delimiter_) {
        ++at_;
        if (at_ == text_.size()) return fields.emplace_back(), true;
        continue;
      }
      skip_line_end();
      return true;
    }
  }

  std::int64_t line() const { return line_; }
  tl::unexpected<Error> bad(std::string message) const {
    return failure(ErrorKind::BadInput, std::move(message), file_, fmt::format("line {}", line_));
  }

private:
  bool ends_field(char c) const { return c == delimiter_ || c == '\n' || c == '\r'; }

  Expected<std::string_view> plain() {
    const std::size_t first = at_;
    while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
    return trimmed(text_.substr(first, at_ - first));
  }

  Expected<std::string_view> quoted() {
    std::string value;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) return bad("a quoted field is not closed");
      if (text_[at_] == '\n') ++next_line_;
      if (text_[at_] != '"') {
        value += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        value += '"', ++at_;
      } else {
        ++at_;
        break;
      }
    }
    if (at_ < text_.size() && !ends_field(text_[at_]))
      return bad("text follows the closing quote of a field");
    owned_.push_back(std::make_unique<std::string>(std::move(value)));
    return std::string_view(*owned_.back());
  }

  void skip_line_end() {
    if (text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++next_line_;
  }

  std::string_view text_;
  char delimiter_;
  std::string file_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::int64_t next_line_ = 1;
  std::vector<std::unique_ptr<std::string>> owned_;
};

bool is_blank(const std::vector<std::string_view>& fields) {
  return fields.size() == 1 && fields[0].empty();
}

char delimiter_of(std::string_view text) {
  const auto header = text.substr(0, text.find_first_of("\r\n"));
  char best = ',';
  for (const char c : {';', '\t'})
    if (std::count(header.begin(), header.end(), c) > std::count(header.begin(), header.end(), best))
      best = c;
  return best;
}

Expected<std::vector<std::string>> read_header(Records& records) {
  std::vector<std::string_view> fields;
  auto more = records.next(fields);
  while (more && *more && is_blank(fields)) more = records.next(fields);
  if (!more) return forward(more.error());
  if (!*more) return records.bad("the table is empty");
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const auto field : fields) {
    std::string name = field.empty() ? fmt::format("column_{}", names.size() + 1) : std::string(field);
    if (!seen.insert(name).second) return records.bad(fmt::format("the column \"{}\" appears twice", name));
    names.push_back(std::move(name));
  }
  return names;
}

struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::vector<std::uint8_t> textual;
  std::vector<std::vector<std::string>> labels;
  std::size_t rows = 0;

  int find(std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return static_cast<int>(i);
    return -1;
  }
};

Expected<Columns> read_numbers(std::string_view text, char delimiter, const std::string& file) {
  Records records(text, delimiter, file);
  auto names = read_header(records);
  if (!names) return forward(names.error());
  Columns table;
  table.names = std::move(*names);
  const std::size_t width = table.names.size();
  table.values.resize(width);
  table.textual.assign(width, 0);
  table.labels.resize(width);
  std::vector<std::string_view> fields;
  for (;;) {
    const auto more = records.next(fields);
    if (!more) return forward(more.error());
    if (!*more) break;
    if (is_blank(fields)) continue;
    if (fields.size() > width)
      return records.bad(
          fmt::format("the record has {} fields, but the header has {} columns", fields.size(), width));
    for (std::size_t c = 0; c < width; ++c) {
      double value = kMissing;
      if (c < fields.size() && !is_missing(fields[c]) && !parse_number(fields[c], value))
        table.textual[c] = 1;
      table.values[c].push_back(value);
    }
    ++table.rows;
  }
  return table;
}

/// Turns the texts of textual columns into codes, numbered in alphabetical order.
Expected<void> read_labels(std::string_view text, char delimiter, const std::string& file, Columns& table) {
  if (std::count(table.textual.begin(), table.textual.end(), std::uint8_t{1}) == 0) return {};
  std::vector<std::map<std::string, double, std::less<>>> codes(table.names.size());
  for (const bool numbering : {true, false}) {
    Records records(text, delimiter, file);
    std::vector<std::string_view> fields;
    if (auto names = read_header(records); !names) return forward(names.error());
    for (std::size_t row = 0;;) {
      const auto more = records.next(fields);
      if (!more) return forward(more.error());
      if (!*more) break;
      if (is_blank(fields)) continue;
      for (std::size_t c = 0; c < fields.size(); ++c) {
        if (!table.textual[c] || is_missing(fields[c])) continue;
        if (numbering)
          codes[c].emplace(fields[c], 0.0);
        else
          table.values[c][row] = codes[c].find(fields[c])->second;
      }
      ++row;
    }
    if (!numbering) break;
    for (std::size_t c = 0; c < codes.size(); ++c) {
      for (auto& [label, code] : codes[c]) {
        code = static_cast<double>(table.labels[c].size());
        table.labels[c].push_back(label);
      }
    }
  }
  return {};
}

std::string unit_of(std::string_view name) {
  if (name.ends_with("_ns")) return "ns";
  if (name.ends_with("_bytes")) return "B";
  return {};
}

Expected<void> number_groups(const Columns& table, const TableOptions& options, const std::string& file,
                             MemoryRows& rows, std::set<int>& used_up) {
  std::vector<int> keys;
  for (const auto& name : options.group) {
    keys.push_back(table.find(name));
    if (keys.back() < 0)
      return failure(ErrorKind::BadUse, fmt::format("there is no column \"{}\"", name), file);
  }
  const int kernel = table.find(options.kernel.empty() ? "kernel" : options.kernel);
  if (keys.empty()) return {};
  std::map<std::vector<double>, std::uint32_t> numbers;
  std::map<double, std::uint32_t> kernels;
  for (std::size_t r = 0; r < table.rows; ++r) {
    std::vector<double> key;
    const auto value = [&](int c) {
      const double v = table.values[static_cast<std::size_t>(c)][r];
      return std::isnan(v) ? -0x1p300 : v;
    };
    for (const int c : keys) key.push_back(value(c));
    const double k = kernel < 0 ? 0.0 : value(kernel);
    key.push_back(k);
    const auto [entry, fresh] = numbers.emplace(std::move(key), static_cast<std::uint32_t>(numbers.size()));
    if (fresh) {
      const auto [kernel_entry, first_seen] = kernels.emplace(k, static_cast<std::uint32_t>(kernels.size()));
      rows.kernel_of_group.push_back(kernel_entry->second);
      if (first_seen) {
        const bool named = kernel >= 0 && k >= 0 &&
                           k < static_cast<double>(table.labels[static_cast<std::size_t>(kernel)].size());
        rows.kernel_names.push_back(
            named ? table.labels[static_cast<std::size_t>(kernel)][static_cast<std::size_t>(k)]
                  : std::string());
      }
    }
    rows.group.push_back(entry->second);
  }
  if (kernel >= 0) used_up.insert(kernel);
  return {};
}

std::string target_of(const Columns& table, const TableOptions& options) {
  if (!options.target.empty()) return options.target;
  std::vector<std::string> numbers, varying;
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (table.textual[c]) continue;
    double first = kMissing;
    const bool varies = std::any_of(table.values[c].begin(), table.values[c].end(), [&](double v) {
      if (std::isnan(first)) first = v;
      return !std::isnan(v) && v != first;
    });
    numbers.push_back(table.names[c]);
    if (varies) varying.push_back(table.names[c]);
  }
  return guess_target(numbers, varying);
}

Expected<MemoryRows> assemble(Columns table, const TableOptions& options, const std::string& file) {
  if (table.rows == 0)
    return failure(ErrorKind::BadInput, "the table has a header but no rows", file, "line 2",
                   "Export the table again.");
  MemoryRows rows;
  std::set<int> used_up;
  if (auto done = number_groups(table, options, file, rows, used_up); !done) return forward(done.error());
  const int duration = table.find(options.duration.empty() ? "duration_ns" : options.duration);
  if (!options.duration.empty() && duration < 0)
    return failure(ErrorKind::BadUse, fmt::format("there is no column \"{}\"", options.duration), file, {},
                   did_you_mean(options.duration, table.names));
  if (duration >= 0 && !rows.group.empty()) {
    rows.duration_ns = table.values[static_cast<std::size_t>(duration)];
    used_up.insert(duration);
  }
  rows.target = rows.duration_ns.empty() ? target_of(table, options) : options.target;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table.names.size(); ++c)
    if (!used_up.contains(static_cast<int>(c))) kept.push_back(c);
  rows.values.resize(static_cast<Eigen::Index>(table.rows), static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t c = kept[k];
    FeatureInfo info;
    info.name = table.names[c];
    info.unit = unit_of(info.name);
    info.tier = options.all_in_one_tier ? 0 : -1, info.of_plain_table = true;
    if (!table.labels[c].empty()) info.role = FeatureRole::category, info.labels = std::move(table.labels[c]);
    rows.columns.push_back(std::move(info));
    rows.values.col(static_cast<Eigen::Index>(k)) =
        Eigen::Map<const Eigen::VectorXd>(table.values[c].data(), static_cast<Eigen::Index>(table.rows));
    table.values[c] = {};
  }
  return rows;
}

} // namespace

Expected<MemoryRows> parse_csv_table(const std::string& text, const TableOptions& options,
                                     const std::string& file) {
  std::string_view view = text;
  if (view.starts_with("\xEF\xBB\xBF")) view.remove_prefix(3);
  if (view.find('\0') != std::string_view::npos)
    return failure(ErrorKind::BadInput, "this is not a text table: it contains NUL bytes", file, {},
                   "Save it as CSV UTF-8.");
  const char delimiter = delimiter_of(view);
  auto table = read_numbers(view, delimiter, file);
  if (!table) return forward(table.error());
  if (auto done = read_labels(view, delimiter, file, *table); !done) return forward(done.error());
  return assemble(std::move(*table), options, file);
}

Expected<MemoryRows> read_csv_table(const std::string& file, const TableOptions& options) {
  auto text = read_text_file(file);
  if (!text) return forward(text.error());
  return parse_csv_table(*text, options, file);
}

} // namespace jitterscope::causal
