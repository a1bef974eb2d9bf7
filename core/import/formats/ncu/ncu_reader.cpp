#include "core/import/formats/ncu/ncu_reader.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/import/records/left_out.h"
#include "core/import/text/csv/decimal_commas.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::ncu {
namespace {

template <class Use>
bool any_line(std::string_view text, Use&& use) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = line_end(text, at);
    if (use(text.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool is_profiler_line(std::string_view line) {
  return line.starts_with("==PROF==") || line.starts_with("==WARNING==") || line.starts_with("==ERROR==");
}

// Header of --page source: each of its rows is one instruction.
bool is_source_header(std::string_view line) {
  const auto has = [&](std::string_view title) { return line.find(title) != std::string_view::npos; };
  return (line.starts_with("\"#\"") || line.starts_with("#,")) && has("Source") &&
         (has("Warp Stall Sampling") || has("Instructions Executed"));
}

/// Number format of a table.
struct Locale {
  CommaMeaning commas = CommaMeaning::None;
  bool points_in_doubt = false; ///< DecimalCommas::points_may_be_of_thousands()
};

Locale locale_of(std::string_view head) {
  const auto stream = open_memory(head);
  CsvReader csv(*stream, {});
  char separator = ',';
  const auto found = csv.skip_to([&](std::string_view line) {
    if (!is_header(line)) return false;
    separator = separator_of(line);
    return true;
  });
  if (!found || !*found) return {};
  csv.set_separator(separator);
  if (const auto titles = csv.next(); !titles || !*titles) return {};
  const auto header = header_of(csv.fields());
  DecimalCommas commas(separator);
  for (auto more = csv.next(); more && *more; more = csv.next()) {
    if (header.is_long() && !commas.add(header.value, field(csv, header.value))) return {};
    for (const auto i : header.others)
      if (!header.is_long() && !commas.add(i, field(csv, i))) return {};
  }
  return {commas.meaning(), commas.points_may_be_of_thousands()};
}

Expected<void> read_table(const Input& input, Draft& draft, store::Source& source, RowIssues& issues,
                          Site& site, Reports& reports, const Progress& progress) {
  auto stream = input.open();
  if (!stream) return forward(stream.error());
  CsvReader csv(**stream, input.name());
  char separator = ',';
  const auto found = csv.skip_to([&](std::string_view line) {
    if (!is_header(line)) return false;
    separator = separator_of(line);
    return true;
  });
  if (!found) return forward(found.error());
  if (!*found && input.head.find("ERR_NVGPUCTRPERM") != std::string::npos)
    return failure(ErrorKind::BadInput,
                   "Nsight Compute was not allowed to read the GPU's counters and wrote no table",
                   input.name(), {},
                   "Allow access to the counters (ERR_NVGPUCTRPERM in NVIDIA's documentation) or profile as "
                   "administrator.");
  if (!*found && any_line(input.head, is_source_header))
    return failure(ErrorKind::BadInput,
                   "this is the source page of Nsight Compute: its rows are instructions, not launches",
                   input.name(), {},
                   "Export the launches: ncu --csv --page raw --print-units base --import REPORT.ncu-rep");
  if (!*found)
    return failure(
        ErrorKind::BadInput, "this is output of Nsight Compute, but it contains no table of metrics",
        input.name(), {},
        "Create a table: ncu --csv --page raw --print-units base PROGRAM, or with --import REPORT.ncu-rep.");
  csv.set_separator(separator);
  if (const auto titles = csv.next(); !titles) return forward(titles.error());
  const auto header = header_of(csv.fields());
  Launches launches(draft, issues, site);
  Table table{csv, draft, issues, launches, progress, input.disk_bytes};
  const auto [commas, points_in_doubt] = locale_of(input.head);
  table.decimal_comma = commas == CommaMeaning::Decimal || commas == CommaMeaning::PerhapsDecimal;
  if (commas == CommaMeaning::Decimal)
    issues.count(store::Severity::Repair, "decimal-comma", [&] {
      return fmt::format("{} writes numbers with a decimal comma, as in \"1.234,5\": they are read that way",
                         input.name());
    });
  else if (commas != CommaMeaning::None)
    issues.count(store::Severity::Doubt, "decimal-comma",
                 [&, meaning = commas] { return fmt::format("{}: {}", input.name(), doubt_of(meaning)); });
  else if (points_in_doubt)
    issues.count(store::Severity::Doubt, "decimal-comma", [&] {
      return fmt::format(
          "every number with a point in {} has three digits after the point, as in \"117.344\", and is read "
          "as a decimal fraction. If the points separate thousands, write the table again with LC_ALL=C",
          input.name());
    });
  auto done = header.is_long() ? read_long(table) : read_wide(table);
  if (!done) return done;
  if (launches.count() == 0)
    return failure(ErrorKind::BadInput, "the table contains no launches", input.name(), csv.place(),
                   "Check that a kernel was launched: see the messages of ncu before the table.");
  launches.finish();
  reports.add(input.name(), launches.first(), launches.identities());
  source.timeless = true;
  source.schema = header.is_summary() ? "summary" : header.is_long() ? "details page" : "raw page";
  if (header.is_summary())
    issues.count(store::Severity::Doubt, "sums-over-launches", [&] {
      return fmt::format(
          "{} contains means over the launches of a kernel, not individual launches: it cannot "
          "show how they vary",
          input.name());
    });
  return {};
}

} // namespace

std::string_view Table::value(std::string_view text) {
  if (!decimal_comma || !has_characters_of_numbers(trimmed(text))) return text;
  scratch.clear();
  for (const char c : text)
    if (c != '.') scratch += c == ',' ? '.' : c;
  return scratch;
}

bool recognises(const Input& input) {
  return any_line(input.head, [](std::string_view line) {
    return is_header(line) || is_profiler_line(line) || is_source_header(line);
  });
}

void end_column(Table& table, AttributeColumn& column) {
  column.ensure(table.draft);
  if (!column.has_numbers() || !column.has_texts()) return;
  table.issues.count(store::Severity::Doubt, "mixed-column", [&] {
    const auto& texts = table.draft.attributes.all()[column.text_column()];
    const auto text =
        std::find_if(texts.strings.begin(), texts.strings.end(), [](auto string) { return string != kNone; });
    return fmt::format("\"{}\" contains numbers, but also \"{}\": it was split into two columns, \"{}\" with "
                       "the numbers and \"{}\" with the texts",
                       column.title(),
                       text != texts.strings.end() ? table.draft.strings[StringId{*text}] : "",
                       table.draft.attributes.all()[column.number_column()].name, texts.name);
  });
}

Expected<void> tick(const Table& table) {
  if (table.progress.report(table.csv.consumed(), table.bytes, "metrics")) return {};
  return Job::cancelled_error();
}

Expected<void> read(std::span<const Input> inputs, Draft& draft, store::Source& source,
                    const Progress& progress) {
  Site site(draft);
  RowIssues joined;
  Reports reports(draft, joined);
  Error first_failure{ErrorKind::BadInput, {}, {}, {}, {}};
  std::size_t read = 0;
  for (const auto& input : inputs) {
    RowIssues issues;
    const auto before = draft.sizes();
    if (auto done = read_table(input, draft, source, issues, site, reports, progress); !done) {
      if (done.error().kind != ErrorKind::BadInput || input.named || inputs.size() == 1) return done;
      if (first_failure.message.empty()) first_failure = done.error();
      draft.shrink(before);
      add_left_out(done.error(), draft.report);
      continue;
    }
    ++read;
    issues.move_to(draft.report);
  }
  joined.move_to(draft.report);
  if (read == 0) return forward(first_failure);
  return {};
}

std::string group(const Input& input) {
  return input.folder();
}

} // namespace jitterscope::import::ncu
