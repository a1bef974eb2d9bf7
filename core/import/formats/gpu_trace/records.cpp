#include "core/import/formats/gpu_trace/records.h"

#include <utility>

#include <fmt/core.h>

#include "core/import/text/csv/decimal_commas.h"
#include "core/import/text/csv/number.h"
#include "core/import/text/text.h"

namespace jitterscope::import::gpu_trace {

using store::Severity;

// Recognises numbers of a spreadsheet in a German or French locale.
void Records::judge_numbers(std::string_view head) {
  if (separator_ == ',') return;
  const auto stream = open_memory(head);
  CsvReader csv(*stream, {}, separator_);
  DecimalCommas commas(separator_);
  for (auto more = csv.next(); more && *more; more = csv.next())
    if (!commas.add(csv.fields())) return;
  const auto meaning = commas.meaning();
  if (meaning == CommaMeaning::Decimal)
    tables_.issues.count(Severity::Info, "decimal-comma", [&] {
      return fmt::format("{} writes numbers with a decimal comma, as in \"1.234,5\": they are read that way",
                         name_);
    });
  else if (meaning != CommaMeaning::None)
    tables_.issues.count(Severity::Doubt, "decimal-comma",
                         [&] { return fmt::format("{}: {}", name_, doubt_of(meaning)); });
  decimal_comma_ = meaning == CommaMeaning::Decimal || meaning == CommaMeaning::PerhapsDecimal;
}

Repeated Records::read(const CsvReader& csv) {
  const auto fields = csv.fields();
  const auto& first = fields[0];
  if (const auto process = process_in(first)) tables_.process_number = *process;
  if (!expects_units_ && !first.empty() && (first[0] == '-' || (first[0] >= '0' && first[0] <= '9')))
    return add(csv);
  if (fields.size() >= 3 && begin_table(csv)) return {};
  if (expects_units_) {
    expects_units_ = false;
    if (parse_number(first)) {
      tables_.issues.count(Severity::Doubt, "no-units", [&] {
        return fmt::format(
            "{} directly follows the header, without a row of units: ns is assumed for times, B for sizes",
            csv.place());
      });
      return add(csv);
    }
    nvprof_titles_.set_units(fields);
    begin_activities(nvprof_titles_, true);
    return {};
  }
  // A kernel's times may be missing, its name and launch parameters are not.
  if (fields.size() >= titles_ && titles_ > 0) return add(csv);
  if (fields.size() == 1 || first.starts_with("==") || first.starts_with("Processing"))
    return {}; // status lines
  tables_.issues.count(Severity::Drop, "not-a-row", [&] {
    return fmt::format("{} is not a row of the table: \"{}\"", csv.place(), clean_text(first.substr(0, 80)));
  });
  return {};
}

Repeated Records::add(const CsvReader& csv) {
  if (auto* activities = std::get_if<ActivityRows>(&rows_)) return activities->read(csv);
  if (auto* host = std::get_if<HostRows>(&rows_)) return host->read(csv);
  return {};
}

bool Records::begin_table(const CsvReader& csv) {
  Titles titles(csv.fields());
  const auto kind = kind_of(titles);
  if (kind == Kind::None) return false;
  finish_rows();
  expects_units_ = kind == Kind::NvprofActivities;
  titles_ = titles.size();
  if (is_sums(kind))
    tables_.issues.count(Severity::Info, "summary-not-read", [&] {
      return fmt::format("{} begins a table of sums over launches. The table is not read, because the file "
                         "lists the launches one by one",
                         csv.place());
    });
  else
    begin_rows(kind, std::move(titles));
  return true;
}

void Records::begin_rows(Kind kind, Titles titles) {
  switch (kind) {
  case Kind::NvprofActivities:
    nvprof_titles_ = std::move(titles);
    return begin_activities(nvprof_titles_, true);
  case Kind::Activities:
    return begin_activities(std::move(titles), false);
  case Kind::Ranges:
    return begin_host_rows(std::move(titles), HostRows::Kind::Range);
  case Kind::Calls:
  case Kind::NamedTimes:
    return begin_host_rows(std::move(titles), HostRows::Kind::Call);
  case Kind::Messages:
    return begin_host_rows(std::move(titles), HostRows::Kind::Message);
  case Kind::LaunchAndExecution:
    return begin_host_rows(std::move(titles), HostRows::Kind::LaunchAndExecution);
  default:
    return;
  }
}

void Records::begin_activities(Titles titles, bool of_nvprof) {
  const auto& rows = rows_.emplace<ActivityRows>(tables_, std::move(titles), of_nvprof);
  set_plan(rows.plan(separator_, decimal_comma_));
}

void Records::begin_host_rows(Titles titles, HostRows::Kind kind) {
  const auto& rows = rows_.emplace<HostRows>(tables_, std::move(titles), kind);
  set_plan(rows.plan(separator_, decimal_comma_));
}

void Records::set_plan(const std::optional<RecordPlan>& plan) {
  plan_ = plan ? std::make_shared<const RecordPlan>(*plan) : nullptr;
}

void Records::finish_rows() {
  if (auto* activities = std::get_if<ActivityRows>(&rows_)) activities->finish();
  rows_.emplace<std::monostate>();
  plan_ = nullptr;
}

} // namespace jitterscope::import::gpu_trace
