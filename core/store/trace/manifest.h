#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/error.h"
#include "core/store/trace/machine.h"

namespace jitterscope::store {

/// A file from which the store was imported.
struct Source {
  std::string path;          ///< path as given by the user
  std::int64_t bytes = 0;    ///< size of the file
  std::string sha256;        ///< checksum in hexadecimal
  std::string format;        ///< name of the format: "Nsight Systems SQLite"
  std::string tool;          ///< version of the tool: "2026.2.1.210"; empty if the file does not state it
  std::string schema;        ///< version of the schema: "3.25.0"; empty if the file does not state it
  std::int64_t utc_ns = -1;  ///< absolute time of the file's own zero, -1 unknown
  std::int64_t shift_ns = 0; ///< added to the file's times to reach the session's axis
  std::string alignment;     ///< how the shift was determined, in words
  bool timeless = false;     ///< the file is a table whose rows have an order but no time
  /// End of the recording in the file's own times, if it is after the last record: stated by the file, or
  /// that of the whole trace of which the store is a part.
  std::optional<std::int64_t> end_ns = {};
};

enum class Severity : std::uint8_t { Info, Repair, Doubt, Drop };
std::string to_string(Severity severity);

/// A kind of data that the import repaired, dropped or doubted: its count and one example.
struct ReportEntry {
  Severity severity = Severity::Info;
  std::string code; ///< identifies the kind in all versions, e.g. "overflowed-clock"
  std::int64_t count = 0;
  std::string text; ///< a sentence with an example
};

/// Collects report entries: the first text of each code is kept as its example, counts are summed.
class ImportReport {
public:
  void add(Severity severity, const std::string& code, const std::string& text, std::int64_t count = 1);
  const std::vector<ReportEntry>& entries() const { return entries_; }

private:
  std::vector<ReportEntry> entries_;
};

/// Properties of a device that are not in the resource tree.
struct DeviceInfo {
  std::uint32_t resource = 0; ///< ResourceId of the device in the tree (Resource::physical)
  std::string name;
  std::string uuid;
  std::int64_t multiprocessors = 0; ///< number of multiprocessors, 0 if unknown
  std::map<std::string, std::string> properties;
};

/// Numbers of a Paraver trace whose names are in the store: with them an export has the numbers of its
/// source, and window definitions of Paraver refer to the same states.
struct ParaverNumbers {
  std::map<std::int64_t, std::string> states;      ///< names of states
  std::map<std::int64_t, std::string> range_types; ///< labels of the event types that became ranges
  bool empty() const { return states.empty() && range_types.empty(); }
};

/// Description of a store, kept as JSON inside the file.
struct Manifest {
  std::vector<Source> sources;
  std::vector<DeviceInfo> devices;
  std::vector<ReportEntry> report;
  std::int64_t origin_utc_ns = -1; ///< absolute time of the axis' zero, -1 unknown
  bool launch_order = false;       ///< the axis counts launches (tables without times) instead of ns
  std::vector<std::string> constant_columns; ///< columns of launches with at most one value
  /// Columns of launches that the program sets before a launch, like the grid (tuning parameters).
  std::vector<std::string> parameter_columns;
  std::string collective_kernels; ///< the user's regular expression for kernels that communicate, or empty
  ParaverNumbers paraver;         ///< empty unless the source is a Paraver trace
  Machine machine;                ///< results of benchmarks of the machine, empty in most stores
};

nlohmann::json to_json(const Manifest& manifest);
Expected<Manifest> manifest_from_json(const nlohmann::json& json);

} // namespace jitterscope::store
