#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/formats/rocm/json/json_record.h"
#include "core/import/records/places.h"
#include "core/import/records/reader.h"
#include "core/import/text/json/cursor.h"

namespace jitterscope::import::rocm {

/// The tables of an element of "rocprofiler-sdk-tool" (one process), which resolve the ids in its records.
struct JsonTables {
  struct Agent {
    std::int64_t number = 0; ///< number of the agent among the GPUs of the node
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
  std::unordered_map<std::uint64_t, Agent> agents;         ///< handle → agent
  std::vector<Kind> kinds;                                 ///< kinds of buffer records
  std::unordered_map<std::int64_t, std::string> markers;   ///< correlation number → text
  std::unordered_map<std::uint64_t, std::string> counters; ///< handle → name
  std::unordered_map<std::int64_t, Symbol> symbols;        ///< kernel_id → symbol
  bool has_dispatches = false, has_counters = false;
};

/// json::each_member() for the next value if it is an object; any other value is skipped.
template <class Each>
Expected<void> each_member_of_object(json::Cursor& cursor, Each&& each) {
  const auto kind = cursor.kind();
  if (!kind) return forward(kind.error());
  return *kind == json::Cursor::Kind::Object ? json::each_member(cursor, each) : cursor.skip();
}

/// Iterates over a file of rocprofv3: `process` is called for every element, with the cursor before its
/// object, which it must read or skip.
Expected<void> each_json_process(json::Cursor& cursor,
                                 const std::function<Expected<void>(json::Cursor&, std::size_t)>& process);

/// Passes every record of the next array to `use`; any other next value is skipped.
/// `go_on` is called after each chunk; false cancels.
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

/// Reads the tables of one process; records are only detected, not read.
Expected<void> read_json_tables(json::Cursor& cursor, JsonRecords& records, JsonTables& tables);

} // namespace jitterscope::import::rocm
