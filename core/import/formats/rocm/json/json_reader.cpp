#include "core/import/formats/rocm/json/json_reader.h"

#include <algorithm>
#include <deque>

#include <fmt/core.h>

#include "core/import/formats/rocm/json/json_events.h"

namespace jitterscope::import::rocm {
namespace {

using import::json::Cursor;
using store::Severity;

constexpr std::size_t kMaxProcesses = 65'536;

/// One file, read several times.
class File {
public:
  File(const Input& input, const Progress& progress, RowIssues& issues)
      : input_(input), progress_(progress), issues_(issues) {}

  /// `process` is called with the cursor before each element; passes count from 0.
  Expected<void> pass(int number,
                      const std::function<Expected<void>(Cursor&, JsonRecords&, std::size_t)>& process) {
    auto stream = input_.open();
    if (!stream) return forward(stream.error());
    Cursor cursor(**stream, input_.name());
    JsonRecords records([&] {
      const auto done = number * input_.disk_bytes + (*stream)->consumed();
      return progress_.report(done, kPasses * input_.disk_bytes, "records");
    });
    auto done = each_json_process(
        cursor, [&](Cursor& at, std::size_t element) { return process(at, records, element); });
    if (cursor.cut_off() && number == 1)
      issues_.count(Severity::Drop, "cut-off-file", [] {
        return "the file is truncated: the last record may be lost, and names may be missing. Copy or export "
               "it again";
      });
    if (records.issues().broken > 0 && number == 1)
      issues_.count(
          Severity::Drop, "broken-records", [] { return "records that are not valid JSON were left out"; },
          records.issues().broken);
    return done;
  }

private:
  static constexpr std::int64_t kPasses = 3; // the third only for files with counters
  const Input& input_;
  const Progress& progress_;
  RowIssues& issues_;
};

std::uint32_t host_named(Draft& draft, const std::string& name) {
  if (!name.empty())
    for (std::uint32_t row = 0; row < draft.resources.size(); ++row)
      if (draft.resources[row].kind == store::ResourceKind::Host && draft.resources[row].name == name)
        return row;
  return draft.add_resource(store::ResourceKind::Host, kNone, 0, name);
}

// Enters a process and calls `use` at the member of this name.
Expected<void> with_member(Cursor& cursor, const char* requested,
                           const std::function<Expected<void>()>& use) {
  return each_member_of_object(cursor, [&](const std::string& key) -> Expected<void> {
    const auto member = cursor.kind();
    if (!member) return forward(member.error());
    return key == requested && *member == Cursor::Kind::Object ? use() : cursor.skip();
  });
}

Expected<void> read_file(const Input& input, Draft& draft, store::Source& source, const Progress& progress) {
  RowIssues issues;
  File file(input, progress, issues);
  const auto before = draft.sizes();
  std::deque<JsonTables> tables;
  auto done = file.pass(0, [&](Cursor& cursor, JsonRecords& records, std::size_t) -> Expected<void> {
    if (tables.size() >= kMaxProcesses) return cursor.skip();
    return read_json_tables(cursor, records, tables.emplace_back());
  });
  if (!done) return done;
  if (tables.empty())
    return failure(ErrorKind::BadInput, "the file contains no process", input.name(), "rocprofiler-sdk-tool",
                   "Record again: rocprofv3 --sys-trace --output-format json -- PROGRAM");
  std::deque<JsonEvents> events;
  for (const auto& process : tables)
    events.emplace_back(draft, issues, process, host_named(draft, process.host));
  const auto is_known = [&](std::size_t element) { return element < events.size(); };
  done = file.pass(1, [&](Cursor& cursor, JsonRecords& records, std::size_t element) -> Expected<void> {
    if (!is_known(element)) return cursor.skip();
    return with_member(cursor, "buffer_records",
                       [&] { return events[element].read_buffers(cursor, records); });
  });
  if (!done) return done;
  if (std::any_of(tables.begin(), tables.end(), [](const JsonTables& t) { return t.has_counters; })) {
    done = file.pass(2, [&](Cursor& cursor, JsonRecords& records, std::size_t element) -> Expected<void> {
      if (!is_known(element)) return cursor.skip();
      return with_member(cursor, "callback_records",
                         [&] { return events[element].read_callbacks(cursor, records); });
    });
    if (!done) return done;
  }
  source.timeless =
      std::any_of(events.begin(), events.end(), [](const JsonEvents& e) { return e.timeless(); });
  if (auto linked = link_calls(draft, before, issues, progress.job); !linked) return linked;
  if (draft.launches.start.size() == before.launches)
    issues.count(Severity::Doubt, "no-kernels",
                 [&] { return fmt::format("{} contains no GPU kernels", input.file_name()); });
  issues.move_to(draft.report);
  return {};
}

bool recognises_json(const Input& input) {
  const auto stream = open_memory(input.head);
  Cursor cursor(*stream, input.name());
  const auto kind = cursor.kind();
  if (!kind || (*kind != Cursor::Kind::Object && *kind != Cursor::Kind::Array) || !cursor.open())
    return false;
  const bool array = *kind == Cursor::Kind::Array; // the array of processes alone, as extracted with jq
  if (array) {
    const auto more = cursor.element();
    if (!more || !*more) return false;
    const auto first = cursor.kind();
    if (!first || *first != Cursor::Kind::Object || !cursor.open()) return false;
  }
  bool agents = false;
  for (;;) {
    const auto key = cursor.member();
    if (!key || !*key) return false;
    agents = agents || **key == "agents" || **key == "code_objects";
    if (array ? **key == "buffer_records" || **key == "kernel_symbols" || (agents && **key == "strings")
              : **key == "rocprofiler-sdk-tool")
      return true;
    if (!cursor.skip()) return false;
  }
}

Expected<void> read_json(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress) {
  auto done = read_file(inputs.front(), draft, source, progress);
  if (!done && done.error().file.empty()) done.error().file = inputs.front().name();
  return done;
}

} // namespace

const Reader kJsonReader = {"rocprofv3 JSON", recognises_json, read_json};

} // namespace jitterscope::import::rocm
