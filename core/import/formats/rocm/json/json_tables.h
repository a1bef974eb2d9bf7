#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/import/formats/rocm/json/json_record.h"
#include "core/import/records/places.h"
#include "core/import/records/reader.h"
#include "core/import/text/json/cursor.h"

namespace jitterscope::import::rocm {

/// What an element of "rocprofiler-sdk-tool" (one process) says of the numbers in its records.
struct JsonTables {
  struct Agent {
    std::int64_t number = 0; ///< among the GPUs of the node
    bool gpu = false;
    Gpu described;
  };
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  struct Symbol {
    std::string name;
    std::optional<std::int64_t> vgpr, accum_vgpr, sgpr;
  };
  std::int64_t pid = -1;
  std::string host;
  std::unordered_map<std::uint64_t, Agent> agents;         ///< by handle
  std::vector<Kind> kinds;                                 ///< of buffer records
  std::unordered_map<std::int64_t, std::string> markers;   ///< text by correlation number
  std::unordered_map<std::uint64_t, std::string> counters; ///< name by handle
  std::unordered_map<std::int64_t, Symbol> symbols;        ///< by kernel_id
  bool has_dispatches = false, has_counters = false;
};

/// Walks over a file of rocprofv3: `process` is called for every element with the cursor before its object,
/// and takes or skips it.
Expected<void> each_json_process(json::Cursor& cursor,
                                 const std::function<Expected<void>(json::Cursor&, std::size_t)>& process);

/// Gives every record of the array that comes next to `use`; anything else that comes next is skipped.
/// `go_on` is asked between chunks.
class JsonRecords {
public:
  explicit JsonRecords(std::function<bool()> go_on) : go_on_(std::move(go_on)) {}
  Expected<void> each(json::Cursor& cursor, const std::function<void(const JsonRecord&)>& use);
  const json::ElementIssues& issues() const { return issues_; }

private:
  std::function<bool()> go_on_;
  json::Elements elements_;
  json::ElementIssues issues_;
  JsonRecord record_;
};

/// Reads the tables of one process; records are only looked for, not read.
Expected<void> read_json_tables(json::Cursor& cursor, JsonRecords& records, JsonTables& tables);

} // namespace jitterscope::import::rocm
