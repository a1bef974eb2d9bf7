#pragma once

#include <QString>
#include <QStringList>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace jitterscope::app {

/// Texts for answers of the engine's operation "efficiency" (core/efficiency/efficiency_json.h), shared
/// by the command line and the window.
namespace efficiency_text {

/// What notes recommend: options of the command line, actions in the window, or nothing (pictures).
enum class Advice { CommandLine, Window, None };

/// Title of a factor: "load balance" for "device.load_balance"; "device parallel efficiency" for roots.
QString title(const QString& factor);
/// Title of a row in a tree of factors, indented: "  × load balance" at depth 1.
QString title_in_tree(const QString& factor, int depth);
/// Definition of the factor, in one sentence with its formula.
QString meaning(const QString& factor);
/// Host threads without counters, because of which IPC and frequency are not determined; 0 if this is not the
/// reason.
std::int64_t threads_without_counters(const nlohmann::json& document);
/// "Reference: b.jts, 0 s – 1 s.", and whether this range was chosen in the same way as that of the run.
/// `reference`: {name, range_ns, range_given}.
QStringList notes_on_reference(const nlohmann::json& document, const nlohmann::json& reference);
/// Which ranks and devices are included, as lists; empty: all.
QStringList notes_on_choice(const QString& ranks, const QString& devices);
/// "86.1 %", "not determined".
QString percent(const nlohmann::json& value);
/// Place of a loss: "rank 2 · GPU 0 computes 25 ns less than rank 0 · GPU 0; 10 ns of it at 80 – 95 ns".
/// Empty if the loss has no place.
QString where(const nlohmann::json& loss);
/// Short location for narrow columns: "rank 2 · GPU 0 at 80 µs".
QString where_in_short(const nlohmann::json& loss);
/// "collectives count as communication".
QString convention(const nlohmann::json& document);
/// Whether the range is all recorded activity of the devices and host threads.
bool covers_recorded(const nlohmann::json& document);
/// Whether the trace records what this part of a row's time counts ("mpi_ns", "offload_ns"; others: always).
bool is_recorded(const nlohmann::json& document, std::string_view part);
/// "40.00 – 50.00 µs" for {begin, end} [ns].
QString range_text(const nlohmann::json& range);
/// Limits of the trace and assumptions about the range, one sentence each: notes_on_range, then
/// notes_on_recording.
QStringList notes(const nlohmann::json& document, Advice advice = Advice::CommandLine);
/// Notes on what the range covers, and on what is outside it.
QStringList notes_on_range(const nlohmann::json& document, Advice advice = Advice::CommandLine);
/// Notes on limits of the trace.
QStringList notes_on_recording(const nlohmann::json& document, Advice advice = Advice::CommandLine);

} // namespace efficiency_text
} // namespace jitterscope::app
