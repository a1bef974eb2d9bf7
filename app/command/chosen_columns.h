#pragma once

#include <string>
#include <vector>

#include "app/command/command.h"
#include "app/metrics/metric_library.h"

namespace jitterscope::app {

/// The metric in a *.metric file of this name, else a shipped metric.
Expected<NamedMetric> metric_of(const std::string& name);

/// Adds --metric and --efficiencies to commands that read columns of launches.
void add_metrics(CLI::App& app, CommonOptions& common);
void add_efficiencies(CLI::App& app, CommonOptions& common);

/// Turns the metrics and efficiencies of the options into columns of the open session and updates its info
/// document. Errors: those of the files, of the metrics and of the operation "choose_columns".
Expected<void> choose_columns(BlockingEngine& engine, const CommonOptions& common, nlohmann::json& info,
                              const Job& job);

/// Same as choose_columns(), but the metrics are the names that are not columns of the session, in place of
/// those of the options. Returns the column of the first name, empty if there are no names.
Expected<std::string> choose_named(BlockingEngine& engine, CommonOptions common,
                                   const std::vector<std::string>& names, nlohmann::json& info,
                                   const Job& job);

} // namespace jitterscope::app
