#include "core/import/formats/gpu_trace/file_readers.h"

#include <map>
#include <string>

#include <fmt/core.h>

#include "core/import/formats/gpu_trace/activity_rows.h"
#include "core/import/records/csv_rows.h"
#include "core/import/text/csv/decimal_commas.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {
namespace {

using store::Severity;

struct Value {
  double number = 0;
  std::string unit;
};

// "0.55", "101.2GB/s", "93.20%", "Low (2)": a level from 0 to 10.
std::optional<Value> value_of(std::string_view text) {
  if (const auto number = parse_number(text)) return Value{*number, {}};
  if (const auto open = text.rfind('('); open != std::string_view::npos && text.ends_with(')'))
    if (const auto level = parse_number(text.substr(open + 1, text.size() - open - 2)))
      return Value{*level, {}};
  const auto end = text.find_last_of("0123456789.");
  if (end == std::string_view::npos) return {};
  const auto unit = normalised_unit(text.substr(end + 1));
  if (const auto number = parse_number(text.substr(0, end + 1), unit.factor))
    return Value{*number, unit.base};
  return {};
}

bool has_decimal_commas(const Input& input, char separator) {
  if (separator == ',') return false;
  const auto stream = open_memory(input.head);
  CsvReader csv(*stream, {}, separator);
  DecimalCommas commas(separator);
  for (auto more = csv.next(); more && *more; more = csv.next())
    if (!commas.add(csv.fields())) return false;
  return commas.meaning() == CommaMeaning::Decimal || commas.meaning() == CommaMeaning::PerhapsDecimal;
}

} // namespace

bool is_nvprof_sums(const Titles& titles) {
  return titles.has("device") && titles.has("kernel") && titles.has("invocations") && titles.has("avg") &&
         (titles.has("metricname") || titles.has("eventname"));
}

Expected<void> read_nvprof_sums(const Input& input, char separator, Draft& draft, RowIssues& issues,
                                const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  CsvReader csv(**stream, input.name(), separator);
  csv.set_decimal_comma(has_decimal_commas(input, separator));
  if (const auto more = csv.next(); !more) return forward(more.error());
  const Titles titles(csv.fields());
  const auto device = titles.find({"device"}), kernel = titles.find({"kernel"}),
             invocations = titles.find({"invocations"}), name = titles.find({"metricname", "eventname"}),
             about = titles.find({"metricdescription"});
  constexpr const char* kWhich[] = {"avg", "min", "max", "total"};
  Tables tables(draft, issues);
  std::map<std::pair<std::string, std::string>, std::uint32_t> rows;
  auto done = each_row(csv, progress, input.disk_bytes, "metrics", [&] {
    const auto metric = clean_text(field(csv, name));
    if (field(csv, kernel).empty() || metric.empty()) return; // a row of units
    const auto [place, added] =
        rows.try_emplace({std::string(field(csv, device)), std::string(field(csv, kernel))}, 0);
    if (added) {
      Configuration configuration;
      configuration.kernel = tables.names.of(field(csv, kernel)).kernel;
      place->second =
          draft.add_untimed_launch(draft.configuration(configuration),
                                   tables.stream(0, field(csv, device), 0, "0"), store::kMissingDuration);
      if (const auto count = parse_number(field(csv, invocations)))
        draft.attributes.set(draft.attributes.number("invocations", "", "Number of executions"),
                             place->second, *count);
    }
    for (const std::string_view which : kWhich) {
      const auto column = titles.find({which});
      const auto text = field(csv, column);
      if (column == kAbsent || is_missing(text)) continue;
      const auto value = value_of(text);
      if (!value) {
        issues.count(Severity::Drop, "not-a-number", [&] {
          return fmt::format("{}: \"{}\" of {} is not a number; it is treated as missing", csv.place(),
                             clean_text(text.substr(0, 80)), metric);
        });
        continue;
      }
      const auto title = which == "avg" ? metric : fmt::format("{} {}", metric, which);
      draft.attributes.set(draft.attributes.number(title, value->unit, clean_text(field(csv, about))),
                           place->second, value->number);
    }
  });
  if (!done) return done;
  report_truncation(csv, issues);
  if (rows.empty())
    return failure(ErrorKind::BadInput, "the table has a header, but no rows", input.name(), {},
                   "Export the table again.");
  return {};
}

} // namespace jitterscope::import::gpu_trace
