#pragma once

#include <QString>
#include <QStringList>

#include <nlohmann/json_fwd.hpp>

namespace jitterscope::app {

/// The words for an answer of the engine's operation "efficiency" (core/efficiency/efficiency_json.h): one
/// place for the command line and the window.
namespace efficiency_text {

/// "load balance" of "device.load_balance"; "device parallel efficiency" of roots.
QString title(const QString& factor);
/// What the factor is, in one sentence with its formula.
QString meaning(const QString& factor);
/// "86.1 %", "not determined".
QString percent(const nlohmann::json& value);
/// Where a loss arises: "rank 2 · GPU 0 computes 25 ns less than rank 0 · GPU 0; 10 ns of it at 80 – 95 ns".
/// Empty without a place.
QString where(const nlohmann::json& loss);
/// "rank 2 · GPU 0 at 80 µs": the same where there is little room.
QString where_in_short(const nlohmann::json& loss);
/// "collectives count as communication".
QString convention(const nlohmann::json& document);
/// What the trace cannot show and what the range rests on, a sentence each.
QStringList notes(const nlohmann::json& document);

} // namespace efficiency_text
} // namespace jitterscope::app
