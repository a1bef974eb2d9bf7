#include "core/import/recognition.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "core/import/formats/device_log/device_log_reader.h"
#include "core/import/formats/table/table_reader.h"
#include "core/import/records/left_out.h"
#include "core/import/registry.h"
#include "core/import/text/text.h"

namespace jitterscope::import {
namespace {

using store::Severity;

constexpr Reader kSampleTables = device_log::kTableReader;

void leave_out(const Input& input, const Error& error, store::ImportReport& report) {
  if (is_foreign(input))
    report.add(Severity::Drop, foreign_code(input),
               fmt::format("{} was left out: {}", input.name(), describe(error)));
  else
    report.add(Severity::Info, "left-out",
               fmt::format("{} is not a file that can be imported", input.name()));
}

// Zeros after a text are not part of its head.
bool zeros_behind(const Input& input) {
  return input.member.empty() && !input.memory && !input.packed && !input.utf16 && !input.windows1252 &&
         input.whole() && input.disk_bytes > static_cast<std::int64_t>(input.head.size());
}

// A workbook is a zip archive of documents that cannot be imported.
bool is_workbook(const std::vector<std::string>& members) {
  return std::any_of(members.begin(), members.end(), [](const std::string& member) {
    return member == "xl/workbook.xml" || member == "xl/workbook.bin" || member == "content.xml";
  });
}

bool is_model(const std::vector<std::string>& members) {
  return std::any_of(members.begin(), members.end(),
                     [](const std::string& member) { return member.ends_with("/data.pkl"); });
}

// Recognises every input before the first is read: an unsupported one is reported at once.
class Recognition {
public:
  Recognition(store::ImportReport& report, const Job& job) : report_(report), job_(job) {}

  Expected<void> add(const std::string& path) {
    std::vector<Error> damaged;
    auto inputs = expand(path, job_, &damaged);
    if (!inputs) return forward(inputs.error());
    std::stable_sort(damaged.begin(), damaged.end(),
                     [](const Error& a, const Error& b) { return a.file < b.file; });
    for (const auto& error : damaged) add_left_out(error, report_);
    const auto before = groups_.size();
    not_exported_.reset();
    std::vector<std::string> members;
    for (const auto& input : *inputs) members.push_back(input.member);
    if (is_workbook(members))
      return failure(ErrorKind::BadInput, "this is a spreadsheet workbook (.xlsx or .ods)", path, {},
                     "Save its sheet as CSV UTF-8 and open the CSV file.");
    if (is_model(members))
      return failure(ErrorKind::BadInput, "this is a model or tensor that PyTorch saved, not a trace", path,
                     {}, "Record a trace: torch.profiler … export_chrome_trace(\"trace.json\").");
    for (auto& input : *inputs)
      if (auto done = add(std::move(input)); !done) return done;
    if (groups_.size() == before && !grew_ && !damaged.empty()) return forward(damaged.front());
    if (groups_.size() == before && !grew_ && not_exported_) return forward(*not_exported_);
    if (groups_.size() == before && !grew_)
      return failure(ErrorKind::BadInput, "the folder or archive contains nothing that can be imported", path,
                     {}, "Name a folder or archive that contains profiler exports.");
    return {};
  }

  Expected<std::vector<Group>> groups() {
    for (auto& group : groups_) {
      if (auto done = add_companions(group); !done) return forward(done.error());
      std::sort(group.inputs.begin(), group.inputs.end(),
                [](const Input& a, const Input& b) { return a.name() < b.name(); });
      group.source.format = group.reader->format;
      group.source.path = group.inputs.front().name();
    }
    return std::move(groups_);
  }

private:
  Expected<void> add(Input input) {
    const auto reader = reader_for(input);
    if (!reader) {
      if (input.named) return forward(reader.error());
      leave_out(input, reader.error(), report_);
      if (is_foreign(input) && !not_exported_) not_exported_ = reader.error();
      return {};
    }
    if (!seen_.insert(identity(input)).second) {
      if (!input.named) return {};
      return failure(ErrorKind::BadUse, "the same file was named twice", input.name(), {},
                     "Name every file once.");
    }
    if (input.utf16)
      report_.add(Severity::Repair, "utf-16",
                  fmt::format("{} is encoded in UTF-16 and was converted to UTF-8", input.name()));
    if (zeros_behind(input))
      report_.add(Severity::Repair, "zeros-behind",
                  fmt::format("{} ends in NUL bytes: the machine probably crashed while the file was "
                              "written, and the data there is lost",
                              input.name()));
    if (input.windows1252)
      report_.add(Severity::Repair, "windows-1252",
                  fmt::format("{} is not valid UTF-8 and is read as Windows-1252 (Latin-1)", input.name()));
    grew_ = true;
    const auto key = (*reader)->group ? (*reader)->group(input) : std::string();
    if (!key.empty())
      for (auto& group : groups_)
        if (group.reader == *reader && (*reader)->group(group.inputs.front()) == key) {
          group.inputs.push_back(std::move(input));
          return {};
        }
    Group group;
    group.reader = *reader;
    group.inputs.push_back(std::move(input));
    groups_.push_back(std::move(group));
    return {};
  }

  Expected<void> add_companions(Group& group) {
    if (!group.reader->companions) return {};
    const auto given = group.inputs;
    for (const auto& input : given)
      for (const auto& path : group.reader->companions(input)) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored)) continue;
        auto found = expand(path, job_);
        if (!found) continue;
        for (auto& companion : *found) {
          companion.named = false;
          if (group.reader->recognises(companion) && seen_.insert(identity(companion)).second)
            group.inputs.push_back(std::move(companion));
        }
      }
    return {};
  }

  store::ImportReport& report_;
  const Job& job_;
  std::vector<Group> groups_;
  std::set<std::string> seen_;
  std::optional<Error>
      not_exported_; ///< error of the first file of a folder or archive that must be exported first
  bool grew_ = false;
};

// A trace has launches with times, or rows of threads; a table may be neither.
bool is_trace(const Group& group, const ImportOptions& options) {
  if (group.reader->of_machine || group.reader->of_monitor) return false;
  return group.reader->read != &table::read ||
         device_log::is_table_of_timed_launches(group.inputs.front(), options);
}

Expected<void> refuse_log_alone(const Group& group) {
  if (group.reader->recognises == &device_log::recognises_headerless)
    return device_log::refuse_headerless(group.inputs.front());
  return failure(ErrorKind::BadInput, "this is a log of device samples, without launches",
                 group.inputs.front().name(), {},
                 "Open it together with a trace of the same run: jitterscope TRACE LOG");
}

// Tables of samples next to a trace become logs. Logs without a trace are refused or left out.
Expected<void> choose_logs(std::vector<Group>& groups, const ImportOptions& options,
                           store::ImportReport& report) {
  const auto& requested = options.mapping.samples;
  std::vector<Group*> tables;
  for (auto& group : groups)
    if ((groups.size() > 1 || requested) && group.reader->read == &table::read &&
        device_log::is_table_of_samples(group.inputs.front(), options))
      tables.push_back(&group);
  if (requested && !requested->empty() && tables.empty())
    return failure(ErrorKind::BadInput, fmt::format("no table has the column \"{}\" with times of samples",
                                                    clean_text(*requested)));
  const auto is_log = [](const Group& group) { return group.reader->of_monitor; };
  if (tables.empty() && std::none_of(groups.begin(), groups.end(), is_log)) return {};
  const auto is_table = [&](const Group& group) {
    return std::any_of(tables.begin(), tables.end(), [&](const Group* table) { return table == &group; });
  };
  const bool trace = std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return !is_table(group) && is_trace(group, options);
  });
  if (trace || (requested && !requested->empty()))
    for (auto* table : tables) {
      table->reader = &kSampleTables;
      table->source.format = kSampleTables.format;
    }
  const bool others =
      std::any_of(groups.begin(), groups.end(), [&](const Group& group) { return !is_log(group); });
  for (const auto& group : groups)
    if (!trace && is_log(group)) {
      auto refused = refuse_log_alone(group);
      if (group.named() || !others) return refused;
      report.add(Severity::Drop, "log-left-out", "left out: " + describe(refused.error()));
    }
  if (!trace) std::erase_if(groups, is_log);
  return {};
}

} // namespace

std::string identity(const Input& input) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(input.path, ignored).string() + '\n' + input.member;
}

Expected<std::vector<Group>> recognise(const std::vector<std::string>& files, const ImportOptions& options,
                                       store::ImportReport& report, const Job& job) {
  if (files.empty()) return failure(ErrorKind::BadUse, "no file was named");
  Recognition recognition(report, job);
  for (const auto& path : files)
    if (auto done = recognition.add(path); !done) return forward(done.error());
  auto groups = recognition.groups();
  if (!groups) return groups;
  if (auto done = choose_logs(*groups, options, report); !done) return forward(done.error());
  return groups;
}

} // namespace jitterscope::import
