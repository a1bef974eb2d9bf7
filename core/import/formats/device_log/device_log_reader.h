#pragma once

#include "core/import/records/reader.h"

namespace jitterscope::import::device_log {

/// Logs of monitors of devices: samples of clocks, power and the like, which are opened with a trace of the
/// same run. The rows become Draft::logs.

/// The text of nvidia-smi dmon, with blanks or commas between the columns. Needs the date and the time
/// (-o DT).
bool recognises_dmon(const Input& input);
Expected<void> read_dmon(std::span<const Input> inputs, Draft& draft, store::Source& source,
                         const Progress& progress);
inline constexpr Reader kDmonReader = {
    .format = "nvidia-smi dmon", .recognises = recognises_dmon, .read = read_dmon, .of_monitor = true};

/// Rows of nvidia-smi --query-gpu without column names, which are refused.
bool recognises_headerless(const Input& input);
Expected<void> refuse_headerless(const Input& input);
Expected<void> refuse_headerless(std::span<const Input> inputs, Draft& draft, store::Source& source,
                                 const Progress& progress);
inline constexpr Reader kHeaderlessReader = {.format = "nvidia-smi log",
                                             .recognises = recognises_headerless,
                                             .read = refuse_headerless,
                                             .of_monitor = true};

/// A table whose rows are samples: nvidia-smi --query-gpu, amd-smi --csv, tables of scripts. Not in the
/// registry, because only the other files show that a table is a log (is_table_of_samples()).
bool recognises_table(const Input& input);
Expected<void> read_table(std::span<const Input> inputs, Draft& draft, store::Source& source,
                          const Progress& progress);
inline constexpr Reader kTableReader = {
    .format = "table of samples", .recognises = recognises_table, .read = read_table, .of_monitor = true};

/// Whether a plain table that is opened with a trace is a log: it has a column of absolute times in ascending
/// order, and no column that describes launches (kernel, launch configuration, end or duration). All other
/// columns are numbers or identify a device, unless a column is a field of nvidia-smi's --query-gpu. If
/// `options.mapping.samples` is set, it decides instead.
bool is_table_of_samples(const Input& input, const ImportOptions& options);
/// Whether a plain table has launches with timestamps.
bool is_table_of_timed_launches(const Input& input, const ImportOptions& options);

} // namespace jitterscope::import::device_log
