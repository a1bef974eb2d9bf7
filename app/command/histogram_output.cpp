#include "app/command/histogram_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "app/command/text_fields.h"
#include "core/engine/messages/table_json.h"
#include "views/base/format.h"

namespace jitterscope::app {
namespace {

using nlohmann::json;

constexpr int kNames = 28, kNumber = 11;
constexpr std::size_t kPrintedBins = 12; ///< up to this number, cells are printed as numbers

json number_or_null(double value) {
  return std::isnan(value) ? json() : json(value);
}

} // namespace

HistogramOutput::HistogramOutput(const engine::answers::MetricHistogramAnswer& answer,
                                 CellStatisticSpec shown)
    : answer_(answer), shown_(shown), values_(cell_values(answer, shown.statistic)) {}

void HistogramOutput::print(std::size_t maximum) const {
  const auto& of_metric = *answer_.of;
  const auto unit = QString::fromStdString(of_metric.unit);
  QString shown = shown_.title;
  if (shown_.of_data) {
    const auto title = QString::fromStdString(answer_.data->title);
    shown += " of " + (title.isEmpty() ? QString("the data metric") : title);
  }
  const auto low = views::formatValue(edge(0), unit).toStdString();
  fmt::print("{}, per {}: {}", of_metric.title.empty() ? "metric" : of_metric.title, of_metric.level,
             shown.toStdString());
  if (edge(0) == edge(bins()))
    fmt::print("; all values are {}\n", low);
  else
    fmt::print(" in {} bins, {} to {}\n", bins(), low, views::formatValue(edge(bins()), unit).toStdString());
  const bool numbers = bins() <= kPrintedBins;
  const auto right = [](const QString& number) { return number.rightJustified(kNumber).toStdString(); };
  if (numbers) {
    fmt::print("{}{}", padded("bins from", kNames), right(shown_.amount ? QString("total") : QString()));
    for (std::size_t bin = 0; bin < bins(); ++bin)
      fmt::print(" {}", right(views::formatValue(edge(bin), unit)));
    fmt::print("\n");
  }
  double high = 0;
  for (const double value : values_) high = std::fmax(high, value);
  const auto& objects = of_metric.objects;
  for (std::size_t i = 0; i < std::min(objects.size(), maximum); ++i) {
    const double* const of = values_.data() + i * bins();
    double total = 0;
    for (std::size_t bin = 0; bin < bins(); ++bin) total += std::isnan(of[bin]) ? 0 : of[bin];
    fmt::print("{}{}", padded(objects[i].name, kNames), right(shown_.amount ? cell_text(total) : QString()));
    for (std::size_t bin = 0; numbers && bin < bins(); ++bin) fmt::print(" {}", right(cell_text(of[bin])));
    fmt::print("{}\n", numbers ? std::string() : "  " + sparkline(of, bins(), high));
  }
  if (objects.size() > maximum) fmt::print("… and {} more; --all prints them\n", objects.size() - maximum);
}

QString HistogramOutput::cell_text(double value) const {
  if (std::isnan(value)) return "–";
  switch (shown_.statistic) {
  case CellStatistic::Time:
  case CellStatistic::BurstTime:
    return views::formatDuration(Nanoseconds{std::llround(value)});
  case CellStatistic::Bursts:
    return QString::number(std::llround(value));
  default: {
    const auto unit = QString::fromStdString(answer_.data->unit);
    if (shown_.statistic != CellStatistic::Integral) return views::formatValue(value, unit);
    const auto integral = integral_unit(unit);
    return views::formatValue(value * integral.factor, integral.name);
  }
  }
}

std::string HistogramOutput::csv() const {
  std::string text = "object,from,to,time_ns,bursts";
  text += with_data() ? ",average,minimum,maximum,integral\n" : "\n";
  const auto& objects = answer_.of->objects;
  const auto average = with_data() ? cell_values(answer_, CellStatistic::Average) : std::vector<double>();
  for (std::size_t i = 0; i < objects.size(); ++i)
    for (std::size_t bin = 0; bin < bins(); ++bin) {
      const auto cell = i * bins() + bin;
      text += fmt::format("{},{},{},{},{}", csv_field(objects[i].name), edge(bin), edge(bin + 1),
                          answer_.time[cell], answer_.bursts[cell]);
      if (with_data())
        for (const double value :
             {average[cell], answer_.minimum[cell], answer_.maximum[cell], answer_.integral[cell]})
          text += std::isnan(value) ? std::string(",") : fmt::format(",{}", value);
      text += "\n";
    }
  return text;
}

json HistogramOutput::document() const {
  auto document = engine::json_of(*answer_.of);
  document["bins"] = answer_.bins, document["edges"] = answer_.edges;
  document["low"] = answer_.low, document["high"] = answer_.high;
  document["whole"] = answer_.whole, document["logarithmic"] = answer_.logarithmic;
  if (answer_.data) document["data"] = engine::json_of(*answer_.data);
  document["statistic"] = shown_.name;
  auto& objects = document["objects"];
  for (std::size_t i = 0; i < objects.size(); ++i) {
    auto& object = objects[i];
    object.erase("track");
    object["outside_ns"] = answer_.outside[i];
    const auto part = [&](const auto& of, const auto& convert) {
      json list = json::array();
      for (std::size_t bin = 0; bin < bins(); ++bin) list.push_back(convert(of[i * bins() + bin]));
      return list;
    };
    const auto whole = [](std::int64_t value) { return json(value); };
    object["time_ns"] = part(answer_.time, whole);
    object["bursts"] = part(answer_.bursts, whole);
    object["value"] = part(values_, number_or_null);
  }
  document["totals"] = json::array();
  for (std::size_t bin = 0; bin < bins(); ++bin) document["totals"].push_back(totals_of(bin));
  return document;
}

/// Totals of a bin over the objects, as in Paraver; `balance`: average / maximum.
json HistogramOutput::totals_of(std::size_t bin) const {
  std::vector<double> of;
  for (std::size_t cell = bin; cell < values_.size(); cell += bins())
    if (!std::isnan(values_[cell]))
      of.push_back(values_[cell]);
    else if (shown_.amount)
      of.push_back(0);
  if (of.empty()) return nullptr;
  double total = 0, squares = 0;
  for (const double value : of) total += value;
  const auto count = static_cast<double>(of.size());
  const double average = total / count, maximum = *std::ranges::max_element(of);
  for (const double value : of) squares += (value - average) * (value - average);
  return {{"total", total},
          {"average", average},
          {"maximum", maximum},
          {"minimum", *std::ranges::min_element(of)},
          {"deviation", std::sqrt(squares / count)},
          {"balance", maximum > 0 ? json(average / maximum) : json()}};
}

} // namespace jitterscope::app
