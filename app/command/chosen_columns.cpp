#include "app/command/chosen_columns.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "app/metrics/metric_library.h"
#include "app/session/questions.h"
#include "core/base/similar_names.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

bool is_metric_file(const std::string& name) {
  const auto path = QFile::decodeName(name.c_str());
  return path.endsWith(".metric") || QFileInfo(path).isFile();
}

bool is_column(const json& info, std::string name) {
  std::ranges::replace(name, '-', '_');
  for (const auto& column : info.at("columns"))
    if (const auto known = column.at("name").get<std::string>(); known == name || known == name + "_ns")
      return true;
  return false;
}

/// Error for a name that is neither a column nor a metric.
Error unknown_name(const json& info, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& column : info.at("columns")) known.push_back(column.at("name").get<std::string>());
  for (const auto& metric : shipped_metrics()) known.push_back(metric.name.toStdString());
  return {ErrorKind::BadUse,
          "no column or metric is named \"" + name + "\"",
          {},
          "--metric",
          did_you_mean(name, known,
                       "\"jitterscope info FILES --columns\" lists the columns; \"jitterscope metric "
                       "--list\" lists the metrics.")};
}

Expected<engine::ChooseColumnsOptions> options_of(const CommonOptions& common) {
  engine::ChooseColumnsOptions options;
  for (const auto& name : common.metrics) {
    auto metric = metric_of(name);
    if (!metric) return forward(metric.error());
    options.metrics.push_back({.name = metric->name.toStdString(), .text = metric->text});
  }
  auto session = columns_question(common.session_columns);
  if (!session) return forward(session.error());
  for (auto& metric : session->metrics)
    if (std::ranges::none_of(options.metrics, [&](const auto& own) { return own.name == metric.name; }))
      options.metrics.push_back(std::move(metric));
  options.efficiencies = std::move(session->efficiencies);
  if (common.efficiencies.empty()) return options;
  options.efficiencies = std::make_unique<engine::ColumnEfficienciesOptions>();
  if (common.efficiencies == "steps") return options;
  auto width = parse_time(common.efficiencies, "--efficiencies");
  if (!width) return forward(width.error());
  options.efficiencies->width_ns = *width;
  return options;
}

/// Names of the metrics' columns, in the order of the metrics.
Expected<std::vector<std::string>> choose(BlockingEngine& engine, const CommonOptions& common, json& info,
                                          const Job& job) {
  if (common.metrics.empty() && common.efficiencies.empty() && common.session_columns.empty())
    return std::vector<std::string>();
  auto options = options_of(common);
  if (!options) return forward(options.error());
  auto answer = engine.run(*options, job);
  if (!answer) return forward(answer.error());
  info["columns"] = answer->document.at("columns");
  return answer->document.at("metrics").get<std::vector<std::string>>();
}

} // namespace

Expected<NamedMetric> metric_of(const std::string& name) {
  const auto path = QFile::decodeName(name.c_str());
  return is_metric_file(name) ? metric_from_file(path) : shipped_metric(path);
}

void add_metrics(CLI::App& app, CommonOptions& common) {
  app.add_option(
         "--metric", common.metrics,
         "Add a metric as a column: a *.metric file or a shipped metric (help metrics); may be repeated")
      ->type_name("FILE|NAME")
      ->allow_extra_args(false);
}

void add_efficiencies(CLI::App& app, CommonOptions& common) {
  app.add_option("--efficiencies", common.efficiencies,
                 "Add columns with the efficiencies of the time window in which a launch starts: the length "
                 "of a window, e.g. 10ms, or steps")
      ->type_name("WIDTH|steps");
}

Expected<void> choose_columns(BlockingEngine& engine, const CommonOptions& common, json& info,
                              const Job& job) {
  auto chosen = choose(engine, common, info, job);
  if (!chosen) return forward(chosen.error());
  return {};
}

Expected<std::string> choose_named(BlockingEngine& engine, CommonOptions common,
                                   const std::vector<std::string>& names, json& info, const Job& job) {
  common.metrics.clear();
  for (const auto& name : names) {
    if (is_column(info, name)) continue;
    if (!is_metric_file(name) && !shipped_metric(QString::fromStdString(name)))
      return tl::unexpected<Error>(unknown_name(info, name));
    common.metrics.push_back(name);
  }
  auto chosen = choose(engine, common, info, job);
  if (!chosen) return forward(chosen.error());
  if (names.empty()) return std::string();
  return is_column(info, names.front()) && (common.metrics.empty() || common.metrics.front() != names.front())
             ? names.front()
             : chosen->front();
}

} // namespace jitterscope::app
