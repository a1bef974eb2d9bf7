#include "core/import/formats/table/json_records.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/import/records/row_issues.h"
#include "core/import/text/json/records.h"
#include "core/import/text/text.h"

namespace jitterscope::import::table {
namespace {

using store::Severity;

// Requires a duration: lists of people and of packages are records, too.
bool is_duration_key(const std::string& key) {
  const auto words = slug(key);
  constexpr std::array<std::string_view, 6> kWithin = {"time",    "duration", "latency",
                                                       "elapsed", "runtime",  "cycles"};
  constexpr std::array<std::string_view, 3> kAtEnd = {"_ns", "_us", "_ms"};
  return words == "dur" || words == "ms" || words == "us" || words == "ns" ||
         std::any_of(kWithin.begin(), kWithin.end(),
                     [&](std::string_view part) { return words.find(part) != std::string::npos; }) ||
         std::any_of(kAtEnd.begin(), kAtEnd.end(),
                     [&](std::string_view end) { return words.ends_with(end); });
}

/// The input, converted to the CSV table of its records.
Expected<Input> as_table(const Input& input, std::shared_ptr<const json::Records> records) {
  auto table = input;
  table.records = std::move(records);
  auto stream = table.open();
  if (!stream) return forward(stream.error());
  std::string head(kHeadBytes, '\0');
  const auto got = read_fully(**stream, head);
  if (!got) return forward(got.error());
  head.resize(*got);
  table.head = std::move(head);
  return table;
}

} // namespace

bool recognises_json_records(const Input& input, ChooseReader choose) {
  if (input.records || !json::begins_like_json(input.head)) return false;
  const auto open = [&] { return Expected<ByteStreamPointer>(open_memory(input.head)); };
  const auto records = json::records_in(open, input.name());
  if (!records || !*records ||
      std::none_of((*records)->columns.begin(), (*records)->columns.end(), is_duration_key))
    return false;
  const auto stream =
      json::as_csv(open_memory(input.head), input.name(), std::make_shared<const json::Records>(**records));
  std::string text(kHeadBytes, '\0');
  const auto got = read_fully(*stream, text);
  if (!got) return false;
  text.resize(*got);
  return choose(Input::from_memory(input.path, std::move(text))).has_value();
}

Expected<std::optional<Input>> json_records(const Input& input) {
  auto found = json::records_in([&] { return input.open(); }, input.name());
  if (!found) return forward(found.error());
  if (!*found) return std::nullopt;
  auto table = as_table(input, std::make_shared<const json::Records>(std::move(**found)));
  if (!table) return forward(table.error());
  return std::optional(std::move(*table));
}

Expected<std::optional<Input>> first_json_records(const Input& input) {
  constexpr std::int64_t kLong = 4 << 20; // of longer files [B] only the head is examined: reading them would
                                          // block the window for too long
  return json_records(input.disk_bytes <= kLong ? input
                                                : Input::from_memory(input.path, std::string(input.head)));
}

Expected<void> read_json_records(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress, ChooseReader choose) {
  const auto& input = inputs.front();
  auto found = json::records_in([&] { return input.open(); }, input.name());
  if (!found) return forward(found.error());
  if (!*found)
    return failure(ErrorKind::BadInput, "this is JSON, but not a list of records", input.name(), {},
                   "Write a list of flat records: [{\"kernel\": …, \"duration_ns\": …}, …]");
  const auto records = std::make_shared<const json::Records>(std::move(**found));
  auto table = as_table(input, records);
  if (!table) return forward(table.error());
  const auto reader = choose(*table);
  if (!reader) return forward(reader.error());
  source.format = (*reader)->format;
  if (auto done = (*reader)->read({&*table, 1}, draft, source, progress); !done) return done;
  RowIssues issues;
  issues.count(Severity::Info, "json-records", [&] {
    return fmt::format("{} contains {} JSON records{}: they are read as the rows of a table", input.name(),
                       records->count,
                       records->member.empty() ? "" : fmt::format(" (\"{}\")", clean_text(records->member)));
  });
  if (records->others > 0)
    issues.count(
        Severity::Drop, "other-elements",
        [&] { return fmt::format("{} contains elements that are not records", input.name()); },
        records->others);
  if (records->keys_left_out > 0)
    issues.count(Severity::Drop, "too-many-columns", [&] {
      return fmt::format("the records of {} have more than {} keys: the others are left out", input.name(),
                         json::kMaxRecordKeys);
    });
  if (records->more_behind)
    issues.count(Severity::Drop, "text-behind-the-end", [&] {
      return fmt::format("{} continues after its records: the rest is not read", input.name());
    });
  if (records->cut_off)
    issues.count(Severity::Drop, "cut-off-file", [&] {
      return fmt::format("{} is truncated: the last record may be lost. Copy or export it again",
                         input.name());
    });
  issues.move_to(draft.report);
  return {};
}

} // namespace jitterscope::import::table
